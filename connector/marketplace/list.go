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

func (r *Reader) list(ctx context.Context, p Priority, sort Sort, cursor string, most int) (page Page, err error) {
	switch d, err := r.Probe(ctx); {
	case err != nil:
		return page, err
	case sort == UpdatedAtAsc && !d.Sorted:
		return page, ErrNotSorted
	}
	list, err := pageAt[Entry](ctx, r, p, listQuery{
		op: "list publications", name: "List", root: "publications", sort: sort, cursor: cursor, most: most,
		fields: scalars("id updatedAt status"),
	})
	switch {
	case err == nil:
	case sort == UpdatedAtAsc && KindOf(err) == Invalid && strings.Contains(about(err).said, string(UpdatedAtAsc)):
		r.learn(func(d *Dialect) { d.Sorted = false })
		r.o.Logger.WarnContext(ctx, "marketplace refuses to sort publications, listing all from now on",
			"error", about(err).Message)
		return page, ErrNotSorted
	default:
		return page, err
	}
	items, nulls := list.items()
	page = Page{Nameless: nulls, End: list.end, More: list.more, Asked: list.asked, Answered: list.answered}
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

// Variants reads the page of at most so many product variants after the cursor, in the order in
// which they changed; "" is the start. With skip it finds out where the page ends and reads none of
// its entries: that costs some four points, however many they are. An error of kind [Unauthorized]
// may be about this list alone.
func (r *Reader) Variants(ctx context.Context, p Priority, cursor string, most int, skip bool) (VariantPage, error) {
	if d, err := r.Probe(ctx); err != nil {
		return VariantPage{}, err
	} else if d.lacks["productVariants"] {
		return VariantPage{}, ErrNoVariants
	}
	l := listQuery{
		op: "list product variants", name: "Variants", root: "productVariants", sort: UpdatedAtAsc, cursor: cursor,
		most: most, fields: join(scalars("id updatedAt"), scalars("id").in("product")),
	}
	if skip {
		l.name, l.fields = "SkipVariants", part{}
	}
	list, err := pageAt[struct {
		ID, UpdatedAt string
		Product       struct{ ID string }
	}](ctx, r, p, l)
	if err != nil {
		return VariantPage{}, err
	}
	items, _ := list.items()
	page := VariantPage{End: list.end, More: list.more, Answered: list.answered}
	for _, item := range items {
		page.Variants = append(page.Variants, ProductVariant{item.ID, item.UpdatedAt, item.Product.ID})
	}
	return page, nil
}

// A listQuery asks for a page of a list.
type listQuery struct {
	op, name, root string
	sort           Sort   // "": the list has none
	cursor         string // "": the first page
	most           int    // entries
	fields         part   // of an entry; none: where the page ends alone
}

// A listPage is a page of a list as it came.
type listPage[T any] struct {
	*pageOf[T]
	end             string // the cursor behind it
	more            bool
	asked, answered time.Time
}

// pageAt reads the largest page that the plan allows.
func pageAt[T any](ctx context.Context, r *Reader, p Priority, l listQuery) (list listPage[T], err error) {
	more := ""
	if l.sort != "" {
		more = ",sort:" + string(l.sort)
	}
	answer, err := r.ask(ctx, p, nil, func(d Dialect) request {
		build := func(n int) request {
			q := query(l.op, l.name, d.connection(l.root, n, l.cursor, more, l.fields))
			q.cursor = l.cursor != ""
			return q
		}
		return build(r.fit(r.plan(), l.most, build))
	})
	if err != nil {
		return list, err
	}
	list.asked, list.answered = answer.asked, time.Now()
	if list.pageOf, err = read[pageOf[T]](answer, l.op, l.root); err != nil {
		return list, err
	}
	if list.end, list.more, err = list.next(l.cursor); err != nil {
		return list, unreadable(l.op, err)
	}
	return list, nil
}

func all[T any](ctx context.Context, r *Reader, p Priority, root string, fields part) (whole []T, err error) {
	l := listQuery{
		op: "list " + root, name: strings.ToUpper(root[:1]) + root[1:], root: root, most: largestPage, fields: fields,
	}
	for range MostPages {
		list, err := pageAt[T](ctx, r, p, l)
		if err != nil {
			return nil, err
		}
		items, _ := list.items()
		if whole = append(whole, items...); !list.more {
			return whole, nil
		}
		l.cursor = list.end
	}
	return nil, &Error{Op: l.op, Message: ErrEndless.Error(), Err: ErrEndless}
}
