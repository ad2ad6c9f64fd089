package doctor

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// checkAccount asks whose list it is and which store it feeds, and compares that with a product
// page that was reported. A token that may not read it is no fault: nothing else needs the scope.
func (x *examination) checkAccount(ctx context.Context) (string, error) {
	d, err := x.market.Directory(ctx, "", marketplace.PartAccount, marketplace.PartChannels)
	if err != nil {
		return "", err
	}
	var lines []string
	if refused := d.Refused[marketplace.PartAccount]; refused != nil {
		lines = append(lines, "the marketplace does not tell whose list it is: "+say.Harmless(refused.Error()))
	} else {
		lines = append(lines, "the list of "+say.Holder(d.Account))
	}
	refused := d.Refused[marketplace.PartChannels]
	switch {
	case refused != nil:
		lines = append(lines, "the marketplace does not tell which store it feeds: "+say.Harmless(refused.Error()))
	case len(d.Channels) == 0:
		lines = append(lines, "it names no store that it feeds")
	default:
		lines = append(lines, "feeds "+say.Channels(d.Channels))
		if warning := (directory.List{Channels: d.Channels}).Elsewhere(x.reportedPage(ctx)); warning != "" {
			lines = append(lines, "warning: "+say.Harmless(warning))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// reportedPage returns a product page that was reported, or "". A store that cannot be read is the
// finding of the store's check.
func (x *examination) reportedPage(ctx context.Context) string {
	if x.StoreMissing() {
		return ""
	}
	d, err := x.OpenDesk(x.log, setup.ToRead)
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
