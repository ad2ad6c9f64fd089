package marketplace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sort is an order of the list of publications.
type Sort string

// The orders that the marketplace has. Not every server has UpdatedAtAsc.
const (
	IDDesc       Sort = "ID_DESC"
	UpdatedAtAsc Sort = "UPDATED_AT_ASC"
)

// An Entry is a publication without its content.
type Entry struct {
	ID         string
	UpdatedAt  string // ISO 8601, exactly as sent
	Status     string // lower case: syncing, success, failed, or a value this package does not know
	ProductURL string // only where detail was asked for
	Err        error  // of a look: why nothing is known of this publication now. It is not gone
}

// A Page is part of the list of publications. An entry that the server spoils is not among Entries:
// nothing can be said of it.
type Page struct {
	Entries  []Entry
	Undated  []string  // ids of entries without an updatedAt: they are on the list
	Nameless int       // entries without an id, or null: each may be any publication
	End      string    // cursor of the last entry; "" on an empty page
	More     bool      // another page follows
	Asked    time.Time // just before the page was asked for: what happened later may not be on it
	Answered time.Time // when it had arrived: what happened earlier may be on it
}

// A wireEntry is a publication as the documents without content select it.
type wireEntry struct {
	ID         text `json:"id"`
	UpdatedAt  text `json:"updatedAt"`
	Status     text `json:"status"`
	ProductURL text `json:"productUrl"`
}

func (w wireEntry) entry() Entry {
	return Entry{
		ID:         string(w.ID),
		UpdatedAt:  string(w.UpdatedAt),
		Status:     strings.ToLower(string(w.Status)),
		ProductURL: string(w.ProductURL),
	}
}

// A wirePage is a page of a connection, through nodes or edges.
type wirePage[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   text
	}
	Nodes []*T
	Edges []struct{ Node *T }
}

// items are the page's entries; what the server nulls is left out.
func (p *wirePage[T]) items() []T {
	all, _ := p.split()
	return all
}

// split is the page's entries, and how many the server nulls.
func (p *wirePage[T]) split() (all []T, nulls int) {
	all = make([]T, 0, len(p.Nodes)+len(p.Edges))
	add := func(item *T) {
		if item == nil {
			nulls++
			return
		}
		all = append(all, *item)
	}
	for _, node := range p.Nodes {
		add(node)
	}
	for _, edge := range p.Edges {
		add(edge.Node)
	}
	return all, nulls
}

// next is the cursor of the page after this one. A page that says more follows and does not say
// where is an error, or the rest were lost.
func (p *wirePage[T]) next(after string) (cursor string, more bool, err error) {
	cursor, more = string(p.PageInfo.EndCursor), p.PageInfo.HasNextPage
	if more && (cursor == "" || cursor == after) {
		return "", false, fmt.Errorf("another page follows, but no cursor leads to it")
	}
	return cursor, more, nil
}

// List reads the page of the list of publications after the cursor; "" is the start. Where the
// server cannot sort by UpdatedAtAsc the error is [ErrNotSorted]; a cursor that it no longer takes
// is of kind [CursorRefused].
func (r *Reader) List(ctx context.Context, p Priority, sort Sort, after string) (Page, error) {
	return r.list(ctx, p, sort, after, largestPage)
}

// list is List with a page of most entries at the most.
func (r *Reader) list(ctx context.Context, p Priority, sort Sort, after string, most int) (Page, error) {
	const op = "list publications"
	answer, err := r.run(ctx, p, nil, func(f Forms) (request, error) {
		if sort == UpdatedAtAsc && !f.UpdatedAtAsc {
			if f.tried { // whether the server objects to the order alone
				return request{op: op, doc: listDocument(f, 1, IDDesc, false), first: 1}, nil
			}
			return request{}, ErrNotSorted
		}
		first := r.costs.fit(r.plan(), most, func(n int) document { return listDocument(f, n, sort, after != "") })
		q := request{op: op, doc: listDocument(f, first, sort, after != ""), first: first, cursor: after != ""}
		if after != "" {
			q.vars = map[string]any{"after": after}
		}
		return q, nil
	})
	if err != nil {
		return Page{}, err
	}
	if sort == UpdatedAtAsc && !answer.forms.UpdatedAtAsc {
		return Page{}, ErrNotSorted
	}
	var data struct{ Publications *wirePage[wireEntry] }
	if err := unmarshal(answer.data, &data); err != nil {
		return Page{}, unreadable(op, err)
	}
	page, err := pageOf(data.Publications, after)
	if err != nil {
		return Page{}, unreadable(op, err)
	}
	page.Asked, page.Answered = answer.asked, time.Now()
	return page, nil
}

// errNoPage says that an answer has no page where one was asked for.
var errNoPage = errors.New("there is no page of the list")

// pageOf is a page that was asked for with the cursor after, but for its times.
func pageOf(w *wirePage[wireEntry], after string) (Page, error) {
	if w == nil {
		return Page{}, errNoPage
	}
	end, more, err := w.next(after)
	if err != nil {
		return Page{}, err
	}
	page := Page{End: end, More: more}
	items, nulls := w.split()
	page.Nameless = nulls
	for _, item := range items {
		switch {
		case item.ID == "":
			page.Nameless++
		case item.UpdatedAt == "":
			page.Undated = append(page.Undated, string(item.ID))
		default:
			page.Entries = append(page.Entries, item.entry())
		}
	}
	return page, nil
}

func listDocument(f Forms, first int, sort Sort, after bool) document {
	d := document{kind: "query", name: "List"}
	more := "sort:" + string(sort)
	if after {
		d.vars = []string{"$after:String!"}
		more = "after:$after," + more
	}
	entries := f.connection("publications", "publication", first, more, scalars("id", "updatedAt", "status")...)
	d.body = []field{entries}
	return d
}

// unreadable is an answer that is not what was asked for; err may be nil.
func unreadable(op string, err error) *Error {
	if err == nil {
		return &Error{Op: op, Message: "the answer does not hold what was asked for"}
	}
	return &Error{Op: op, Message: "the answer cannot be read: " + clean(err.Error(), ""), Err: err}
}
