package marketplace

import (
	"context"
	"errors"
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

// List reads the page of the list of publications after the cursor; "" is the start. Where the
// server cannot sort by UpdatedAtAsc the error is [ErrNotSorted]. The error for a cursor that it no
// longer accepts is of kind [CursorRefused].
func (r *Reader) List(ctx context.Context, p Priority, sort Sort, cursor string) (Page, error) {
	return r.list(ctx, p, sort, cursor, largestPage)
}

// list is List with at most so many entries.
func (r *Reader) list(ctx context.Context, p Priority, sort Sort, cursor string, most int) (Page, error) {
	both, err := r.lists(ctx, p, listQuery{
		op: "list publications", name: "List", most: most, sort: sort, cursor: cursor,
	})
	if sort == UpdatedAtAsc && KindOf(err) == Invalid && strings.Contains(about(err).said, string(UpdatedAtAsc)) {
		r.learn(func(d *Dialect) { d.Sorted = false })
		r.log.LogAttrs(ctx, slog.LevelWarn, "marketplace refuses to sort publications, listing all from now on",
			slog.String("error", about(err).Message))
		return Page{}, ErrNotSorted
	}
	return both.Publications, err
}

// Variants reads the page of at most so many product variants after the cursor, in the order in
// which they changed; "" is the start. An error of kind [Unauthorized] may be about this list
// alone.
func (r *Reader) Variants(ctx context.Context, p Priority, cursor string, most int) (VariantPage, error) {
	both, err := r.lists(ctx, p, listQuery{
		op: "list product variants", name: "Variants", mostVariants: most, variantCursor: cursor,
		variantFields: "id updatedAt product{id}",
	})
	return both.Variants, err
}

// SkipVariants finds out where a page after the cursor ends, and reads none of its entries: that
// costs some four points, however many they are.
func (r *Reader) SkipVariants(ctx context.Context, p Priority, cursor string) (VariantPage, error) {
	both, err := r.lists(ctx, p, listQuery{
		op: "list product variants", name: "SkipVariants", mostVariants: largestPage, variantCursor: cursor,
	})
	return both.Variants, err
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
	return r.lists(ctx, p, listQuery{
		op: "list publications and product variants", name: "ListBoth", most: largestPage, sort: UpdatedAtAsc,
		cursor: cursor, mostVariants: mostVariants, variantCursor: variantCursor,
		variantFields: "id updatedAt product{id}",
	})
}

// A listQuery asks for a page of one of the two lists, or of both.
type listQuery struct {
	op, name string

	most   int // publications; 0: none are asked for
	sort   Sort
	cursor string

	mostVariants  int // 0: none are asked for
	variantCursor string
	variantFields string // "": where the page ends alone
}

// request asks for so many entries of each list.
func (l listQuery) request(d Dialect, n, variants int) request {
	var roots []string
	if l.most > 0 {
		roots = append(roots, d.connection("publications", n, after(l.cursor)+",sort:"+string(l.sort), "id updatedAt status"))
	}
	if l.mostVariants > 0 {
		more := after(l.variantCursor) + ",sort:" + string(UpdatedAtAsc)
		roots = append(roots, d.connection("productVariants", variants, more, l.variantFields))
	}
	return request{
		op: l.op, name: l.name, text: "query " + l.name + "{" + strings.Join(roots, " ") + "}",
		cursor: l.cursor+l.variantCursor != "",
	}
}

// lists reads the largest pages that the plan allows. Variants take half of it at most where both
// lists are asked for.
func (r *Reader) lists(ctx context.Context, p Priority, l listQuery) (both Both, err error) {
	var data struct {
		Publications    *pageOf[Entry]
		ProductVariants *pageOf[struct {
			ID, UpdatedAt string
			Product       struct{ ID string }
		}]
	}
	answer, err := r.ask(ctx, p, nil, &data, func(d Dialect) (request, error) {
		switch {
		case l.sort == UpdatedAtAsc && !d.Sorted:
			return request{}, ErrNotSorted
		case l.mostVariants > 0 && d.lacks["productVariants"]:
			return request{}, ErrNoVariants
		}
		n, variants, plan := min(l.most, 1), 0, r.plan()
		if l.mostVariants > 0 {
			share := plan / float64(1+n)
			variants = r.costs.fit(share, l.mostVariants, func(v int) request { return l.request(d, n, v) })
		}
		if l.most > 0 {
			n = r.costs.fit(plan, l.most, func(n int) request { return l.request(d, n, variants) })
		}
		return l.request(d, n, variants), nil
	})
	if err != nil {
		return both, err
	}
	if l.most > 0 {
		both.Publications, err = pageOfList(data.Publications, l.cursor)
		both.Publications.Asked = answer.asked
	}
	if list, page := data.ProductVariants, &both.Variants; l.mostVariants > 0 && err == nil {
		page.Answered = time.Now()
		page.End, page.More, err = list.next(l.variantCursor)
		items, _ := list.items()
		for _, item := range items {
			page.Variants = append(page.Variants, ProductVariant{item.ID, item.UpdatedAt, item.Product.ID})
		}
	}
	if err != nil {
		return Both{}, unreadable(l.op, err)
	}
	return both, nil
}

// pageOfList is the page of publications that was asked for with a cursor.
func pageOfList(list *pageOf[Entry], cursor string) (page Page, err error) {
	if page.End, page.More, err = list.next(cursor); err != nil {
		return page, err
	}
	items, nulls := list.items()
	page.Nameless, page.Answered = nulls, time.Now()
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

// fitted is a request for the largest page up to most that the plan allows.
func (r *Reader) fitted(most int, build func(n int) request) request {
	return build(r.costs.fit(r.plan(), most, build))
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
				return request{op: op, name: name, text: text, cursor: cursor != ""}
			}), nil
		}); err != nil {
			return nil, err
		}
		got := page(data)
		if got != nil && most < largestPage && got.PageInfo.HasNextPage {
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
