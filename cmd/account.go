package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// printAccount says whose import list this is, and which stores the marketplace thinks that it
// feeds.
func printAccount(w io.Writer, a *desk.Account) {
	if a == nil {
		return
	}
	age := ""
	if !a.ReadAt.IsZero() {
		age = ", read " + ago(a.ReadAt)
	}
	fmt.Fprintf(w, "account     %s%s\n", holder(a.Holder), age)
	if len(a.Channels) > 0 {
		fmt.Fprintf(w, "            feeds %s\n", channels(a.Channels))
	}
	if a.Warning != "" {
		fmt.Fprintf(w, "            warning: %s\n", harmless(a.Warning))
	}
	for _, part := range slices.Sorted(maps.Keys(a.Refused)) {
		fmt.Fprintf(w, "            the marketplace does not tell %s: %s\n", part, harmless(a.Refused[part]))
	}
}

// holder is an account in a few words.
func holder(h marketplace.Holder) string {
	text := cmp.Or(h.Name, h.Slug, "without a name")
	if h.Name != "" && h.Slug != "" && h.Name != h.Slug {
		text += " (" + h.Slug + ")"
	}
	if h.Type != "" {
		text += ", " + strings.ToLower(h.Type)
	}
	return harmless(text)
}

// channels is the stores that the marketplace thinks that it feeds.
func channels(list []marketplace.Channel) string {
	var names []string
	for _, c := range list {
		name := cmp.Or(c.Name, c.ID, "a store")
		if c.URL != "" {
			name += " at " + c.URL
		}
		names = append(names, name)
	}
	return harmless(strings.Join(names, "; "))
}

// checkAccount asks whose list it is and which store it feeds, and compares that with a product
// page that was reported. A token that may not read it is no fault: nothing else needs the scope.
func (c *setup) checkAccount(ctx context.Context, market *marketplace.Client, log *slog.Logger) (string, error) {
	d, err := market.Directory(ctx, "", marketplace.PartAccount, marketplace.PartChannels)
	if err != nil {
		return "", err
	}
	var lines []string
	if refused := d.Refused[marketplace.PartAccount]; refused != nil {
		lines = append(lines, "the marketplace does not tell whose list it is: "+harmless(refused.Error()))
	} else {
		lines = append(lines, "the list of "+holder(d.Account))
	}
	refused := d.Refused[marketplace.PartChannels]
	switch {
	case refused != nil:
		lines = append(lines, "the marketplace does not tell which store it feeds: "+harmless(refused.Error()))
	case len(d.Channels) == 0:
		lines = append(lines, "it names no store that it feeds")
	default:
		lines = append(lines, "feeds "+channels(d.Channels))
		if warning := (directory.List{Channels: d.Channels}).Elsewhere(c.reportedPage(ctx, log)); warning != "" {
			lines = append(lines, "warning: "+harmless(warning))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// reportedPage is a product page that was reported, as far as the store tells: whether it can be
// read is another check.
func (c *setup) reportedPage(ctx context.Context, log *slog.Logger) string {
	if c.storeMissing() {
		return ""
	}
	d, err := c.openDesk(log, toRead)
	if err != nil {
		return ""
	}
	defer d.Close() //nolint:errcheck // nothing was written
	status, err := d.Status(ctx)
	if err != nil || status.Account == nil {
		return ""
	}
	return status.Account.Page
}
