package marketplace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// Sort is an order of the list of publications.
type Sort string

// The orders that the marketplace has. Not every server has UpdatedAtAsc.
const (
	IDDesc       Sort = "ID_DESC"
	UpdatedAtAsc Sort = form.UpdatedAtAsc
)

// An Entry is a publication without its content.
type Entry struct {
	ID         string
	UpdatedAt  string // ISO 8601, exactly as sent
	Status     string // lower case: syncing, success, failed, or a value this package does not know
	ProductURL string // only where detail was asked for
	Err        error  // of a look: why nothing is known of this publication now; it is not gone
}

// A Page is part of the list of publications. Entries has only those with an id and an updatedAt.
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
	ID         wire.Text `json:"id"`
	UpdatedAt  wire.Text `json:"updatedAt"`
	Status     wire.Text `json:"status"`
	ProductURL wire.Text `json:"productUrl"`
}

func (w wireEntry) entry() Entry {
	return Entry{
		ID:         string(w.ID),
		UpdatedAt:  string(w.UpdatedAt),
		Status:     strings.ToLower(string(w.Status)),
		ProductURL: string(w.ProductURL),
	}
}

// List reads the page of the list of publications after the cursor; "" is the start. Where the
// server cannot sort by UpdatedAtAsc the error is [ErrNotSorted]. The error for a cursor that it no
// longer accepts is of kind [CursorRefused].
func (r *Reader) List(ctx context.Context, p Priority, sort Sort, after string) (Page, error) {
	return r.list(ctx, p, sort, after, cost.LargestPage)
}

// list is List with at most so many entries.
func (r *Reader) list(ctx context.Context, p Priority, sort Sort, after string, most int) (Page, error) {
	const op = "list publications"
	answer, err := r.conn.Run(ctx, p, nil, func(f Forms) (client.Request, error) {
		if sort == UpdatedAtAsc && !f.UpdatedAtAsc {
			return client.Request{}, ErrNotSorted
		}
		first := r.conn.Costs.Fit(
			r.conn.Plan(), most, func(n int) document.Document { return listDocument(f, n, sort, after != "") },
		)
		q := client.Request{Op: op, Doc: listDocument(f, first, sort, after != ""), First: first, Cursor: after != ""}
		if after != "" {
			q.Vars = map[string]any{"after": after}
		}
		return q, nil
	})
	if e, ok := errors.AsType[*Error](err); ok && sort == UpdatedAtAsc && e.Kind == Invalid &&
		strings.Contains(e.Said.Text, string(UpdatedAtAsc)) {
		r.conn.Forms.Unsorted()
		r.conn.Log.LogAttrs(ctx, slog.LevelWarn, "marketplace refuses to sort publications, listing all from now on",
			slog.String("error", e.Message))
		return Page{}, ErrNotSorted
	}
	if err != nil {
		return Page{}, err
	}
	var data struct{ Publications *wire.Page[wireEntry] }
	if err := document.Unmarshal(answer.Data, &data); err != nil {
		return Page{}, fault.Unreadable(op, err)
	}
	page, err := pageOf(data.Publications, after)
	if err != nil {
		return Page{}, fault.Unreadable(op, err)
	}
	page.Asked, page.Answered = answer.Asked, time.Now()
	return page, nil
}

// errNoPage says that an answer has no page where one was asked for.
var errNoPage = errors.New("there is no page of the list")

// pageOf is a page that was asked for with the cursor after. Its times are left to the caller.
func pageOf(w *wire.Page[wireEntry], after string) (Page, error) {
	if w == nil {
		return Page{}, errNoPage
	}
	end, more, err := w.Next(after)
	if err != nil {
		return Page{}, err
	}
	page := Page{End: end, More: more}
	items, nulls := w.Split()
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

func listDocument(f Forms, first int, sort Sort, after bool) document.Document {
	d := document.Document{Kind: "query", Name: "List"}
	more := "sort:" + string(sort)
	if after {
		d.Vars = []string{"$after:String!"}
		more = "after:$after," + more
	}
	entries := f.Connection(
		"publications",
		"publication",
		first,
		more,
		document.Scalars("id", "updatedAt", "status")...)
	d.Body = []document.Field{entries}
	return d
}

// ErrNotSorted says that this server's list cannot be sorted by UPDATED_AT_ASC. Enumerate it by
// [IDDesc] and compare updatedAt instead.
var ErrNotSorted = errors.New("the marketplace does not sort publications by UPDATED_AT_ASC")

// MostPages bounds a list.
const MostPages = 10_000

// ErrEndless says that a list has more than MostPages pages.
var ErrEndless = fmt.Errorf("the marketplace's list has more than %d pages", MostPages)

// allPages reads a short list to its end. read gives the page after a cursor, "" for the first; a
// nil page is an empty one.
func allPages[T any](op string, read func(after string) (*wire.Page[T], error)) (all []T, err error) {
	after := ""
	for range MostPages {
		page, err := read(after)
		if err != nil || page == nil {
			return all, err
		}
		all = append(all, page.Items()...)
		cursor, more, err := page.Next(after)
		if err != nil {
			return nil, fault.Unreadable(op, err)
		}
		if !more {
			return all, nil
		}
		after = cursor
	}
	return nil, &Error{Op: op, Message: ErrEndless.Error(), Err: ErrEndless}
}
