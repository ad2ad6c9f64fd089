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

// MostPages bounds a list.
const MostPages = 10_000

var (
	// ErrEndless says that a list has more than MostPages pages.
	ErrEndless = fmt.Errorf("the marketplace's list has more than %d pages", MostPages)
	// ErrNotSorted says that this server's list cannot be sorted by UPDATED_AT_ASC. Enumerate it by
	// [IDDesc] and compare updatedAt instead.
	ErrNotSorted = errors.New("the marketplace does not sort publications by UPDATED_AT_ASC")
	// ErrNoVariants says that this marketplace has no list of product variants that can be followed in
	// the order of their changes.
	ErrNoVariants = errors.New("the marketplace does not list product variants by UPDATED_AT_ASC")
)

// List reads the page of the list of publications after the cursor; "" is the start. Where the
// server cannot sort by UpdatedAtAsc the error is [ErrNotSorted]. The error for a cursor that it no
// longer accepts is of kind [CursorRefused].
func (r *Reader) List(ctx context.Context, p Priority, sort Sort, cursor string) (Page, error) {
	return r.list(ctx, p, sort, cursor, largestPage)
}

func (r *Reader) list(ctx context.Context, p Priority, sort Sort, cursor string, most int) (page Page, err error) {
	d, err := r.Probe(ctx)
	switch {
	case err != nil:
		return page, err
	case sort == UpdatedAtAsc && !d.Sorted:
		return page, ErrNotSorted
	}
	list, err := pageAt[Entry](ctx, r, p, listQuery{
		op: "list publications", name: "List", root: "publications", sort: sort, cursor: cursor, most: most,
		fields: scalars("id updatedAt status"),
	})
	if sort == UpdatedAtAsc && KindOf(err) == Invalid && strings.Contains(about(err).said, string(UpdatedAtAsc)) {
		r.learn(func(d *Dialect) { d.Sorted = false })
		r.o.Logger.WarnContext(ctx, "marketplace refuses to sort publications, listing all from now on",
			"error", about(err).Message)
		return page, ErrNotSorted
	}
	if err != nil {
		return page, err
	}
	page = Page{Nameless: list.nulls, End: list.end, More: list.more, Asked: list.asked, Answered: list.answered}
	for _, e := range list.items {
		switch e.Status = strings.ToLower(e.Status); {
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
	page := VariantPage{End: list.end, More: list.more, Answered: list.answered}
	for _, item := range list.items {
		page.Variants = append(page.Variants, ProductVariant{item.ID, item.UpdatedAt, item.Product.ID})
	}
	return page, err
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
	items           []T
	nulls           int    // entries that are null
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
	page, answer, err := fetch[pageOf[T]](ctx, r, &Admission{priority: p}, func(d Dialect) request {
		build := func(n int) request {
			q := query(l.op, l.name, d.connection(l.root, span{n, l.cursor}, more, l.fields))
			q.cursor = l.cursor != ""
			return q
		}
		return build(r.fit(l.most, build))
	})
	if err != nil {
		return list, err
	}
	list.asked, list.answered = answer.asked, time.Now()
	list.items, list.nulls = page.items()
	if list.end, list.more, err = page.next(l.cursor); err != nil {
		return listPage[T]{}, unreadable(l.op, err)
	}
	return list, nil
}

// all reads a list to its end.
func all[T any](ctx context.Context, r *Reader, p Priority, root string, fields part) (whole []T, err error) {
	l := listQuery{
		op: "list " + root, name: strings.ToUpper(root[:1]) + root[1:], root: root, most: largestPage, fields: fields,
	}
	for range MostPages {
		list, err := pageAt[T](ctx, r, p, l)
		if err != nil {
			return nil, err
		}
		if whole = append(whole, list.items...); !list.more {
			return whole, nil
		}
		l.cursor = list.end
	}
	return nil, &Error{Op: l.op, Message: ErrEndless.Error(), Err: ErrEndless}
}
