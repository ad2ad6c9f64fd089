package marketplace

import (
	"context"
	"errors"
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

func (r *Reader) list(ctx context.Context, p Priority, sort Sort, cursor string, most int) (Page, error) {
	both, err := r.lists(ctx, p, listQuery{
		op: "list publications", name: "List", most: most, sort: sort, cursor: cursor,
	})
	if sort == UpdatedAtAsc && KindOf(err) == Invalid && strings.Contains(about(err).said, string(UpdatedAtAsc)) {
		r.learn(func(d *Dialect) { d.Sorted = false })
		r.o.Logger.WarnContext(ctx, "marketplace refuses to sort publications, listing all from now on",
			"error", about(err).Message)
		return Page{}, ErrNotSorted
	}
	return both.Publications, err
}

const opVariants = "list product variants"

func variantFields() part { return join(scalars("id updatedAt"), scalars("id").in("product")) }

// Variants reads the page of at most so many product variants after the cursor, in the order in
// which they changed; "" is the start. An error of kind [Unauthorized] may be about this list
// alone.
func (r *Reader) Variants(ctx context.Context, p Priority, cursor string, most int) (VariantPage, error) {
	both, err := r.lists(ctx, p, listQuery{
		op: opVariants, name: "Variants", mostVariants: most, variantCursor: cursor, variantFields: variantFields(),
	})
	return both.Variants, err
}

// SkipVariants finds out where a page after the cursor ends, and reads none of its entries: that
// costs some four points, however many they are.
func (r *Reader) SkipVariants(ctx context.Context, p Priority, cursor string) (VariantPage, error) {
	both, err := r.lists(ctx, p, listQuery{
		op: opVariants, name: "SkipVariants", mostVariants: largestPage, variantCursor: cursor,
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
		cursor: cursor, mostVariants: mostVariants, variantCursor: variantCursor, variantFields: variantFields(),
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
	variantFields part // none: where the page ends alone
}

func (l listQuery) request(d Dialect, n, variants int) request {
	var publications, productVariants part
	if l.most > 0 {
		fields := scalars("id updatedAt status")
		publications = d.connection("publications", n, l.cursor, ",sort:"+string(l.sort), fields)
	}
	if l.mostVariants > 0 {
		sort := ",sort:" + string(UpdatedAtAsc)
		productVariants = d.connection("productVariants", variants, l.variantCursor, sort, l.variantFields)
	}
	q := query(l.op, l.name, publications, productVariants)
	q.cursor = l.cursor+l.variantCursor != ""
	return q
}

// lists reads the largest pages that the plan allows. Variants take half of it at most where both
// lists are asked for.
func (r *Reader) lists(ctx context.Context, p Priority, l listQuery) (both Both, err error) {
	switch d, err := r.Probe(ctx); {
	case err != nil:
		return both, err
	case l.sort == UpdatedAtAsc && !d.Sorted:
		return both, ErrNotSorted
	case l.mostVariants > 0 && d.lacks["productVariants"]:
		return both, ErrNoVariants
	}
	answer, err := r.ask(ctx, p, nil, func(d Dialect) request {
		n, variants, plan := min(l.most, 1), 0, r.plan()
		if l.mostVariants > 0 {
			share := plan / float64(1+n)
			variants = r.fit(share, l.mostVariants, func(v int) request { return l.request(d, n, v) })
		}
		if l.most > 0 {
			n = r.fit(plan, l.most, func(n int) request { return l.request(d, n, variants) })
		}
		return l.request(d, n, variants)
	})
	if err == nil && l.most > 0 {
		both.Publications, err = publicationsOf(answer, l)
	}
	if err == nil && l.mostVariants > 0 {
		both.Variants, err = variantsOf(answer, l)
	}
	return both, err
}

func publicationsOf(answer *reply, l listQuery) (page Page, err error) {
	list, err := read[pageOf[Entry]](answer, l.op, "publications")
	if err != nil {
		return page, err
	}
	if page.End, page.More, err = list.next(l.cursor); err != nil {
		return Page{}, unreadable(l.op, err)
	}
	items, nulls := list.items()
	page.Nameless, page.Asked, page.Answered = nulls, answer.asked, time.Now()
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

func variantsOf(answer *reply, l listQuery) (page VariantPage, err error) {
	list, err := read[pageOf[struct {
		ID, UpdatedAt string
		Product       struct{ ID string }
	}]](answer, l.op, "productVariants")
	if err != nil {
		return page, err
	}
	if page.End, page.More, err = list.next(l.variantCursor); err != nil {
		return VariantPage{}, unreadable(l.op, err)
	}
	items, _ := list.items()
	page.Answered = time.Now()
	for _, item := range items {
		page.Variants = append(page.Variants, ProductVariant{item.ID, item.UpdatedAt, item.Product.ID})
	}
	return page, nil
}

func all[T any](ctx context.Context, r *Reader, p Priority, root string, fields part) (list []T, err error) {
	op, name, cursor := "list "+root, strings.ToUpper(root[:1])+root[1:], ""
	for range MostPages {
		answer, err := r.ask(ctx, p, nil, func(d Dialect) request {
			build := func(n int) request {
				q := query(op, name, d.connection(root, n, cursor, "", fields))
				q.cursor = cursor != ""
				return q
			}
			return build(r.fit(r.plan(), largestPage, build))
		})
		if err != nil {
			return nil, err
		}
		page, err := read[pageOf[T]](answer, op, root)
		if err != nil {
			return nil, err
		}
		next, more, err := page.next(cursor)
		if err != nil {
			return nil, unreadable(op, err)
		}
		items, _ := page.items()
		if list = append(list, items...); !more {
			return list, nil
		}
		cursor = next
	}
	return nil, &Error{Op: op, Message: ErrEndless.Error(), Err: ErrEndless}
}
