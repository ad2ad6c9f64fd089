package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

// mostMeant is how many publications are listed that a part of a title may mean.
const mostMeant = 20

// explain is what a desk knows of the publication with an id, or with a title of which the text is a
// part. Where several have it, the error lists them, unless it is the whole title of one alone.
func explain(ctx context.Context, d desk.Desk, text string) (desk.Explanation, error) {
	e, err := d.Explain(ctx, text)
	if !errors.Is(err, desk.ErrUnknown) || strings.TrimSpace(text) == "" {
		return e, err
	}
	found, failed := d.Publications(ctx, desk.Query{Find: text, Limit: mostMeant})
	if failed != nil {
		return e, failed
	}
	if len(found.Publications) == 0 {
		return e, err
	}
	meant := found.Publications
	if whole := withTitle(meant, text); found.After == "" && len(whole) == 1 {
		meant = whole
	}
	if len(meant) > 1 {
		return e, ambiguous(text, found)
	}
	return d.Explain(ctx, meant[0].ID)
}

// withTitle is the publications that have a title, in whatever case.
func withTitle(all []desk.Listed, title string) (some []desk.Listed) {
	for _, p := range all {
		if strings.EqualFold(strings.TrimSpace(p.Title), strings.TrimSpace(title)) {
			some = append(some, p)
		}
	}
	return some
}

// ambiguous lists the publications that a text may mean.
func ambiguous(text string, found desk.List) error {
	lines := []string{fmt.Sprintf("%s is a part of several titles: name one of these by its id", say.Plain(text))}
	for _, p := range found.Publications {
		lines = append(lines, "  "+say.Plain(p.ID)+"  "+say.Plain(p.Title))
	}
	if found.After != "" {
		lines = append(lines, fmt.Sprintf("  and more: pubsync publications %q", text))
	}
	return &exit.Error{Code: desk.ExitUsage, Err: errors.New(strings.Join(lines, "\n"))}
}
