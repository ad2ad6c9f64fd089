package marketplace

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// TryGone asks for a publication that does not exist, by an id that is made like a real one. It
// returns what the server says in words, and whether that counts as absence. said is "" where such
// a publication exists by chance.
func (r *Reader) TryGone(ctx context.Context, like string) (said string, absent bool) {
	value, _, _, err := field[Entry](ctx, r, Urgent, nil, func(Dialect) request {
		return lookRequest(unlike(like), false)
	})
	switch {
	case err != nil:
		return fmt.Sprintf("an error, %q", about(err).Message), about(err).absent
	case value == nil:
		return "null", true
	default:
		return "", false
	}
}

// unlike is an id of the same form as another: each digit is the next one, or each letter where it
// has no digits.
func unlike(id string) string {
	for _, ends := range []string{"09", "az", "AZ"} {
		from, to := rune(ends[0]), rune(ends[1])
		other := strings.Map(func(c rune) rune {
			switch {
			case c == to:
				return from
			case c >= from && c < to:
				return c + 1
			default:
				return c
			}
		}, id)
		if other != id {
			return other
		}
	}
	return id + "0"
}

// TryContent reads a publication as the worker does, but for one variant and one picture. It is nil
// where there is no such publication.
func (r *Reader) TryContent(ctx context.Context, id string) (*Publication, error) {
	of := Expected{ID: id, Details: true}
	page, err := r.page(ctx, Urgent, nil, of, func(Dialect) pages {
		return pages{ofVariants: {first: 1}, ofImages: {first: 1}}
	})
	if err != nil || page == nil {
		return nil, err
	}
	read := page.begin(of)
	if read.Listing != nil {
		_, err = read.add(page)
	}
	return &read.Publication, err
}

// TryReport finds out whether the server would understand a report, and makes none. It looks into
// the schema, where that can be read. Else the server validates a document that holds the worker's
// report beside a query, and executes the query alone. Only a report can tell whether the token may
// report. userErrors says whether a refusal would come with its reason.
func (c *Client) TryReport(ctx context.Context) (userErrors bool, err error) {
	const op = "report publications"
	d, err := c.Probe(ctx)
	if err != nil {
		return false, err
	}
	var missing []string
	for what, lacks := range d.lacks {
		if report, ok := strings.CutPrefix(what, "report: "); ok && lacks {
			missing = append(missing, report)
		}
	}
	switch slices.Sort(missing); {
	case len(missing) > 0:
		message := "the marketplace's schema has no " + strings.Join(missing, ", no ")
		return false, &Error{Op: op, Kind: Invalid, Message: message}
	case d.Introspected:
		return !d.NoUserErrors, nil
	}
	try := func() error {
		_, err := c.ask(ctx, Urgent, nil, nil, func(Dialect) (request, error) {
			text := "query Trial{__typename} " + d.report(Report{}).text
			return request{op: op, name: "Trial", text: text, probe: true}, nil
		})
		return err
	}
	if err = try(); about(err).missing["userErrors"] {
		d.NoUserErrors = true
		err = try()
	}
	return !d.NoUserErrors, err
}
