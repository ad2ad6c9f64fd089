package marketplace

import (
	"context"
	"errors"
	"strings"
)

// The tries ask what the worker asks, change nothing and cost a few points.

// TryList asks for one entry of the list, in the order in which the worker asks for all of them. It
// returns its id, "" where the list is empty.
func (r *Reader) TryList(ctx context.Context) (id string, err error) {
	page, err := r.list(ctx, Urgent, UpdatedAtAsc, "", 1)
	if errors.Is(err, ErrNotSorted) {
		page, err = r.list(ctx, Urgent, IDDesc, "", 1)
	}
	if err != nil || len(page.Entries) == 0 {
		return "", err
	}
	return page.Entries[0].ID, nil
}

// TryContent reads a publication as the worker does, but for one variant and one picture. It is nil
// where there is no such publication.
func (r *Reader) TryContent(ctx context.Context, id string) (*Publication, error) {
	of := Expected{ID: id, Details: true}
	page, err := r.page(ctx, Urgent, nil, of, func(Dialect) pages {
		return pages{variants: span{first: 1}, images: span{first: 1}}
	})
	if err != nil || page == nil {
		return nil, err
	}
	whole := page.begin(of)
	_, err = whole.add(page)
	return &whole.Publication, err
}

// TryReport finds out whether the server would understand a report, and makes none. It looks into the
// schema. Where that cannot be read, the server validates a document that holds the worker's report
// beside a query, and executes the query alone. Only a report can tell whether the token may report.
// userErrors says whether a refusal would come with its reason.
func (c *Client) TryReport(ctx context.Context) (userErrors bool, err error) {
	const op = "report publications"
	d, err := c.Probe(ctx)
	switch {
	case err == nil && len(d.reportLacks) > 0:
		message := "the marketplace's schema has no " + strings.Join(d.reportLacks, ", no ")
		return false, &Error{Op: op, Kind: Invalid, Message: message}
	case err != nil || d.Introspected:
		return !d.NoUserErrors, err
	}
	try := func() error {
		_, err := c.ask(ctx, Urgent, nil, func(Dialect) request {
			q := d.report(Report{})
			q.text = "query Trial{__typename} " + q.text
			q.op, q.name, q.vars, q.one, q.probe = op, "Trial", nil, "", true
			return q
		})
		return err
	}
	if err = try(); about(err).names("userErrors") {
		d.NoUserErrors = true
		err = try()
	}
	return !d.NoUserErrors, err
}
