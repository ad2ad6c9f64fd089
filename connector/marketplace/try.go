package marketplace

import (
	"context"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// TryList asks for one entry of the list, in the order in which the worker asks for all of them. It
// returns its id, "" where the list is empty.
func (r *Reader) TryList(ctx context.Context) (id string, err error) {
	forms, err := r.Probe(ctx)
	if err != nil {
		return "", err
	}
	sort := IDDesc
	if forms.UpdatedAtAsc {
		sort = UpdatedAtAsc
	}
	page, err := r.list(ctx, Urgent, sort, "", 1)
	if errors.Is(err, ErrNotSorted) { // the order was assumed
		page, err = r.list(ctx, Urgent, IDDesc, "", 1)
	}
	if err != nil || len(page.Entries) == 0 {
		return "", err
	}
	return page.Entries[0].ID, nil
}

// TryContent reads a publication as the worker does, but for one variant and one picture. It is nil
// where there is no such publication.
func (r *Reader) TryContent(ctx context.Context, id string) (p *Publication, err error) {
	if p, err = r.tryContent(ctx, id, false); errors.Is(err, errNoOriginals) {
		p, err = r.tryContent(ctx, id, true)
	}
	return p, err
}

func (r *Reader) tryContent(ctx context.Context, id string, without bool) (p *Publication, err error) {
	w, _, err := r.contentPage(
		ctx, Urgent, nil, id, without, func(Forms) pages { return pages{variants: 1, images: 1} },
	)
	if err != nil || w == nil {
		return nil, err
	}
	p = w.publication(id)
	if p.Listing != nil {
		_, err = p.add(w, pages{}, make(map[string]bool))
	}
	return p, err
}

// TryReport finds out whether the server would understand a report, and makes none. It looks into
// the schema, where that can be read. Else the server validates a document that holds the worker's
// report beside a query, and executes the query alone. Only a report can tell whether the token may
// report. userErrors says whether a refusal would come with its reason.
func (c *Client) TryReport(ctx context.Context) (userErrors bool, err error) {
	const op = "report publications"
	forms, err := c.Probe(ctx)
	switch {
	case err != nil:
		return false, err
	case len(forms.ReportLacks) > 0:
		return false, &Error{
			Op:      op,
			Kind:    Invalid,
			Message: "the marketplace's schema has no " + strings.Join(forms.ReportLacks, ", no "),
		}
	case forms.Introspected:
		return !forms.NoUserErrors, nil
	}
	try := func() error {
		_, err := c.conn.Run(ctx, Urgent, nil, func(Forms) (client.Request, error) {
			d := document.Document{Kind: document.Query, Name: "Trial", Body: document.Scalars("__typename")}
			d.Kept = d.Text() + " " + reportDocument(forms).Text()
			d.Kind = document.Mutation                              // a complaint is about the report
			return client.Request{Op: op, Doc: d, Probe: true}, nil // what it costs is a query's
		})
		return err
	}
	if err = try(); lacksUserErrors(err) {
		forms.NoUserErrors = true
		err = try()
	}
	return !forms.NoUserErrors, err
}
