package marketplace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
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
	if errors.Is(err, ErrNotSorted) { // it looked as if it could
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
	var w *wirePublication
	for begun := time.Now(); ; {
		w, _, err = r.contentPage(ctx, Urgent, nil, id, func(Forms) pages { return pages{variants: 1, images: 1} })
		if !InDoubt(err) || time.Since(begun) > 2*contentSuspicion || ctx.Err() != nil {
			break
		}
		select {
		case <-time.After(suspicion):
		case <-ctx.Done():
		}
	}
	if err != nil || w == nil {
		return nil, err
	}
	p = w.publication(id)
	if p.Listing != nil {
		_, err = p.take(w, pages{}, newNested())
	}
	return p, err
}

// TryReport finds out whether a report would be understood, and makes none. Where the schema can be
// read it is looked up there. Where it cannot, the server validates a document that holds the
// worker's report beside the query that is to be executed. That the token may report, only a report
// tells. userErrors reports whether a refusal would be told with its reason.
func (c *Client) TryReport(ctx context.Context) (userErrors bool, err error) {
	const op = "report publications"
	forms, err := c.Probe(ctx)
	switch {
	case err != nil:
		return false, err
	case len(forms.reportLacks) > 0:
		return false, &Error{
			Op:      op,
			Kind:    Invalid,
			Message: "the marketplace's schema has no " + strings.Join(forms.reportLacks, ", no "),
		}
	case forms.Introspected:
		return !forms.noUserErrors, nil
	}
	forms.noUserErrors = false
	try := func() error {
		_, err := c.run(ctx, Urgent, nil, func(Forms) (request, error) {
			d := document{kind: query, name: "Trial", body: scalars("__typename")}
			d.kept = d.text() + " " + reportDocument(forms, 1).text()
			d.kind = mutation                                             // a complaint is about the report
			return request{op: op, doc: d, probe: true, rigid: true}, nil // what it costs is a query's
		})
		return err
	}
	err = try()
	if e, ok := errors.AsType[*Error](err); ok && forms.lacksUserErrors(e.said) {
		forms.noUserErrors = true
		err = try()
	}
	return !forms.noUserErrors, err
}

// reportFields are what a report's input must have.
func reportFields() []string { return []string{"id", "status", "productUrl"} }

// lacking is what a schema's mutation lacks of what a report needs.
func lacking(types map[string]schemaType, mutation schemaType) (lacks []string) {
	const name = "publicationStatusUpdated"
	operation, ok := find(mutation.Fields, name)
	if !ok {
		return []string{"mutation " + name}
	}
	arg, ok := findInput(operation.Args, "input")
	if !ok {
		return []string{"argument input of " + name}
	}
	for _, field := range reportFields() {
		if _, ok := findInput(types[arg.Type.base().Name].InputFields, field); !ok {
			lacks = append(lacks, fmt.Sprintf("field %s in the input of %s", field, name))
		}
	}
	return lacks
}
