package marketplace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// ErrNotSorted says that this server's list cannot be sorted by UPDATED_AT_ASC. Enumerate it by
// [IDDesc] and compare updatedAt instead.
var ErrNotSorted = errors.New("the marketplace does not sort publications by UPDATED_AT_ASC")

// ErrNoVariants says that this marketplace has no list of product variants that can be followed in
// the order of their changes.
var ErrNoVariants = errors.New("the marketplace does not list product variants by UPDATED_AT_ASC")

// publications is the root field of a page of the list.
func (d Dialect) publications(first int, sort Sort, cursor string) string {
	return d.connection("publications", first, after(cursor)+",sort:"+string(sort), "id updatedAt status")
}

// productVariants is the root field of a page of the list of product variants; skipped, it shows
// where the page ends alone.
func (d Dialect) productVariants(first int, cursor string, skipped bool) string {
	more := after(cursor) + ",sort:" + string(UpdatedAtAsc)
	if skipped {
		return fmt.Sprintf("productVariants(first:%d%s){pageInfo{hasNextPage endCursor}}", first, more)
	}
	return d.connection("productVariants", first, more, "id updatedAt product{id}")
}

// List reads the page of the list of publications after the cursor; "" is the start. Where the
// server cannot sort by UpdatedAtAsc the error is [ErrNotSorted]. The error for a cursor that it no
// longer accepts is of kind [CursorRefused].
func (r *Reader) List(ctx context.Context, p Priority, sort Sort, cursor string) (Page, error) {
	return r.list(ctx, p, sort, cursor, largestPage)
}

// list is List with at most so many entries.
func (r *Reader) list(ctx context.Context, p Priority, sort Sort, cursor string, most int) (Page, error) {
	var data listData
	answer, err := r.ask(ctx, p, nil, &data, func(d Dialect) (request, error) {
		if sort == UpdatedAtAsc && !d.Sorted {
			return request{}, ErrNotSorted
		}
		return r.fitted(most, func(n int) request {
			return request{
				op: "list publications", name: "List", text: "query List{" + d.publications(n, sort, cursor) + "}",
				first: n, cursor: cursor != "",
			}
		}), nil
	})
	if sort == UpdatedAtAsc && KindOf(err) == Invalid && strings.Contains(about(err).said, string(UpdatedAtAsc)) {
		r.learn(func(d *Dialect) { d.Sorted = false })
		r.log.LogAttrs(ctx, slog.LevelWarn, "marketplace refuses to sort publications, listing all from now on",
			slog.String("error", about(err).Message))
		return Page{}, ErrNotSorted
	}
	if err != nil {
		return Page{}, err
	}
	page, err := data.page(cursor, answer.asked)
	if err != nil {
		return Page{}, unreadable("list publications", err)
	}
	return page, nil
}

// fitted is a request for the largest page up to most that the plan allows.
func (r *Reader) fitted(most int, build func(n int) request) request {
	return build(r.costs.fit(r.plan(), most, build))
}

// listData is the answer to a request for one or both lists.
type listData struct {
	Publications    *pageOf[Entry]
	ProductVariants *pageOf[struct {
		ID, UpdatedAt string
		Product       *struct{ ID string }
	}]
}

// page is the page of publications that was asked for with a cursor.
func (l listData) page(cursor string, asked time.Time) (page Page, err error) {
	if l.Publications == nil {
		return page, errNoPage
	}
	if page.End, page.More, err = l.Publications.next(cursor); err != nil {
		return page, err
	}
	items, nulls := l.Publications.items()
	page.Nameless, page.Asked, page.Answered = nulls, asked, time.Now()
	for _, e := range items {
		switch {
		case e.ID == "":
			page.Nameless++
		case e.UpdatedAt == "":
			page.Undated = append(page.Undated, e.ID)
		default:
			page.Entries = append(page.Entries, e)
		}
	}
	return page, nil
}

// variants is the page of product variants that was asked for with a cursor.
func (l listData) variants(cursor string) (page VariantPage, err error) {
	if l.ProductVariants == nil {
		return page, errNoPage
	}
	if page.End, page.More, err = l.ProductVariants.next(cursor); err != nil {
		return page, err
	}
	items, _ := l.ProductVariants.items()
	for _, item := range items {
		v := ProductVariant{ID: item.ID, UpdatedAt: item.UpdatedAt}
		if item.Product != nil {
			v.Product = item.Product.ID
		}
		page.Variants = append(page.Variants, v)
	}
	page.Answered = time.Now()
	return page, nil
}

// Variants reads the page of at most so many product variants after the cursor, in the order in
// which they changed; "" is the start. An error of kind [Unauthorized] may be about this list
// alone.
func (r *Reader) Variants(ctx context.Context, p Priority, cursor string, most int) (VariantPage, error) {
	return r.variants(ctx, p, "Variants", cursor, most)
}

// SkipVariants finds out where a page after the cursor ends, and reads none of its entries: that
// costs some four points, however many they are.
func (r *Reader) SkipVariants(ctx context.Context, p Priority, cursor string) (VariantPage, error) {
	return r.variants(ctx, p, "SkipVariants", cursor, largestPage)
}

func (r *Reader) variants(ctx context.Context, p Priority, name, cursor string, most int) (VariantPage, error) {
	var data listData
	_, err := r.ask(ctx, p, nil, &data, func(d Dialect) (request, error) {
		if d.lacks["productVariants"] {
			return request{}, ErrNoVariants
		}
		return r.fitted(most, func(n int) request {
			text := "query " + name + "{" + d.productVariants(n, cursor, name == "SkipVariants") + "}"
			return request{op: "list product variants", name: name, text: text, first: n, cursor: cursor != ""}
		}), nil
	})
	if err != nil {
		return VariantPage{}, err
	}
	page, err := data.variants(cursor)
	if err != nil {
		return VariantPage{}, unreadable("list product variants", err)
	}
	return page, nil
}

// A Both is the pages of both lists that one request read.
type Both struct {
	Publications Page
	Variants     VariantPage
}

// ListBoth is List by UpdatedAtAsc and Variants in one request, which saves a sweep a round trip.
// Where it fails nothing is known of either list.
func (r *Reader) ListBoth(
	ctx context.Context, p Priority, cursor, variantCursor string, mostVariants int,
) (both Both, err error) {
	const op = "list publications and product variants"
	var data listData
	answer, err := r.ask(ctx, p, nil, &data, func(d Dialect) (request, error) {
		switch {
		case !d.Sorted:
			return request{}, ErrNotSorted
		case d.lacks["productVariants"]:
			return request{}, ErrNoVariants
		}
		build := func(n, variants int) request {
			text := d.publications(n, UpdatedAtAsc, cursor) + " " + d.productVariants(variants, variantCursor, false)
			return request{
				op: op, name: "ListBoth", text: "query ListBoth{" + text + "}", first: max(n, variants),
				cursor: cursor != "" || variantCursor != "",
			}
		}
		few := r.costs.fit(r.plan()/2, mostVariants, func(n int) request { return build(1, n) })
		return r.fitted(largestPage, func(n int) request { return build(n, few) }), nil
	})
	if err != nil {
		return both, err
	}
	if both.Publications, err = data.page(cursor, answer.asked); err != nil {
		return both, unreadable(op, err)
	}
	if both.Variants, err = data.variants(variantCursor); err != nil {
		return both, unreadable(op, err)
	}
	return both, nil
}

// all reads a short list to its end: the first few entries, which an account seldom exceeds, and
// where there are more, a hundred from the start. Only behind these it uses the argument after,
// which the specification does not show for these lists. page takes the page out of the answer.
func all[T any, D any](
	ctx context.Context, r *Reader, p Priority, op, name, fields string, few int, page func(*D) *pageOf[T],
) (list []T, err error) {
	cursor, most := "", few
	for range MostPages {
		data := new(D)
		if _, err := r.ask(ctx, p, nil, data, func(d Dialect) (request, error) {
			return r.fitted(most, func(n int) request {
				root := strings.ToLower(name[:1]) + name[1:]
				text := "query " + name + "{" + d.connection(root, n, after(cursor), fields) + "}"
				return request{op: op, name: name, text: text, first: n, cursor: cursor != ""}
			}), nil
		}); err != nil {
			return nil, err
		}
		got := page(data)
		if got == nil {
			return nil, unreadable(op, nil)
		}
		if most < largestPage && got.PageInfo.HasNextPage {
			most = largestPage
			continue
		}
		most = largestPage
		items, _ := got.items()
		list = append(list, items...)
		next, more, err := got.next(cursor)
		if err != nil {
			return nil, unreadable(op, err)
		}
		if !more {
			return list, nil
		}
		cursor = next
	}
	return nil, &Error{Op: op, Message: ErrEndless.Error(), Err: ErrEndless}
}
