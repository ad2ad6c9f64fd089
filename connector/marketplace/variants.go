package marketplace

import (
	"context"
	"errors"
	"strings"
	"time"
)

// A ProductVariant is one entry of the list of product variants.
type ProductVariant struct {
	ID        string
	UpdatedAt string // ISO 8601, exactly as sent
	Product   string // the id of its product, "" where there is none
}

// A VariantPage is part of the list of product variants.
type VariantPage struct {
	Variants []ProductVariant // none where the page was skipped
	End      string           // cursor of the last entry; "" on an empty page
	More     bool             // another page follows
	Answered time.Time        // when it had arrived: what happened earlier may be on it
}

// ErrNoVariants says that this marketplace has no list of product variants that can be followed in
// the order of their changes.
var ErrNoVariants = errors.New("the marketplace does not list product variants by UPDATED_AT_ASC")

// Variants reads the page of at most so many product variants after the cursor, in the order in
// which they changed; "" is the start. An error of kind [Unauthorized] may be about this list
// alone.
func (r *Reader) Variants(ctx context.Context, p Priority, after string, most int) (VariantPage, error) {
	return r.variants(ctx, p, after, most, variantSelection())
}

func variantSelection() []field {
	return append(scalars("id", "updatedAt"), object("product", "", scalars("id")...))
}

// SkipVariants finds out where a page after the cursor ends, and reads none of its entries: that
// costs some four points, however many they are.
func (r *Reader) SkipVariants(ctx context.Context, p Priority, after string) (VariantPage, error) {
	return r.variants(ctx, p, after, largestPage, nil)
}

// variants is one request for the list. Its forms are tried here alone: what this list lacks says
// nothing of the others.
func (r *Reader) variants(
	ctx context.Context,
	p Priority,
	after string,
	most int,
	selection []field,
) (VariantPage, error) {
	const op = "list product variants"
	edges := false
	answer, err := r.run(ctx, p, nil, func(f Forms) (request, error) {
		if f.noVariants {
			return request{}, ErrNoVariants
		}
		edges = f.edges[productVariant]
		return r.variantsRequest(op, f, after, most, selection), nil
	})
	if err != nil && !edges && selection != nil && KindOf(err) == Invalid && strings.Contains(err.Error(), "nodes") {
		answer, err = r.run(ctx, p, nil, func(f Forms) (request, error) {
			f.edges = map[string]bool{productVariant: true}
			return r.variantsRequest(op, f, after, most, selection), nil
		})
	}
	if err != nil {
		return VariantPage{}, err
	}
	var data struct {
		ProductVariants *wirePage[wireProductVariant]
	}
	if err := unmarshal(answer.data, &data); err != nil {
		return VariantPage{}, unreadable(op, err)
	}
	page, err := variantPageOf(data.ProductVariants, after)
	if err != nil {
		return VariantPage{}, unreadable(op, err)
	}
	page.Answered = time.Now()
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
	ctx context.Context,
	p Priority,
	after, afterVariants string,
	mostVariants int,
) (both Both, err error) {
	const op = "list publications and product variants"
	answer, err := r.run(ctx, p, nil, func(f Forms) (request, error) {
		switch {
		case !f.UpdatedAtAsc:
			return request{}, ErrNotSorted
		case f.noVariants:
			return request{}, ErrNoVariants
		}
		return r.bothRequest(op, f, after, afterVariants, mostVariants), nil
	})
	if err != nil {
		return both, err
	}
	var data struct {
		Publications    *wirePage[wireEntry]
		ProductVariants *wirePage[wireProductVariant]
	}
	if err = unmarshal(answer.data, &data); err != nil {
		return both, unreadable(op, err)
	}
	if both.Publications, err = pageOf(data.Publications, after); err != nil {
		return both, unreadable(op, err)
	}
	if both.Variants, err = variantPageOf(data.ProductVariants, afterVariants); err != nil {
		return both, unreadable(op, err)
	}
	now := time.Now()
	both.Publications.Asked, both.Publications.Answered, both.Variants.Answered = answer.asked, now, now
	return both, nil
}

func (r *Reader) bothRequest(op string, f Forms, after, afterVariants string, mostVariants int) request {
	budget := r.plan()
	variants := r.costs.fit(
		budget/2,
		mostVariants,
		func(n int) document { return variantsDocument(f, n, afterVariants != "", variantSelection()) },
	)
	build := func(n int) document {
		d := listDocument(f, n, UpdatedAtAsc, after != "")
		other := variantsDocument(f, variants, afterVariants != "", variantSelection())
		d.name, d.vars, d.body = "ListBoth", append(d.vars, other.vars...), append(d.body, other.body...)
		return d
	}
	first := r.costs.fit(budget, largestPage, build)
	q := request{
		op:     op,
		doc:    build(first),
		first:  max(first, variants),
		cursor: after != "" || afterVariants != "",
		rigid:  true,
		vars:   map[string]any{},
	}
	if after != "" {
		q.vars["after"] = after
	}
	if afterVariants != "" {
		q.vars["afterVariants"] = afterVariants
	}
	return q
}

// A wireProductVariant is a product variant as the documents select it.
type wireProductVariant struct {
	ID, UpdatedAt text
	Product       *struct{ ID text }
}

// variantPageOf is a page that was asked for with the cursor after, but for its time.
func variantPageOf(w *wirePage[wireProductVariant], after string) (VariantPage, error) {
	if w == nil {
		return VariantPage{}, errNoPage
	}
	end, more, err := w.next(after)
	if err != nil {
		return VariantPage{}, err
	}
	page := VariantPage{End: end, More: more}
	for _, item := range w.items() {
		v := ProductVariant{ID: string(item.ID), UpdatedAt: string(item.UpdatedAt)}
		if item.Product != nil {
			v.Product = string(item.Product.ID)
		}
		page.Variants = append(page.Variants, v)
	}
	return page, nil
}

// productVariant is the kind of connection of the list.
const productVariant = "product variant"

func (r *Reader) variantsRequest(op string, f Forms, after string, most int, selection []field) request {
	build := func(first int) document { return variantsDocument(f, first, after != "", selection) }
	first := r.costs.fit(r.plan(), most, build)
	q := request{op: op, doc: build(first), first: first, cursor: after != "", rigid: true}
	if after != "" {
		q.vars = map[string]any{"afterVariants": after}
	}
	return q
}

func variantsDocument(f Forms, first int, after bool, selection []field) document {
	d := document{kind: "query", name: "Variants"}
	more := "sort:" + string(UpdatedAtAsc)
	if after {
		d.vars = []string{"$afterVariants:String!"}
		more = "after:$afterVariants," + more
	}
	list := f.connection("productVariants", productVariant, first, more, selection...)
	if selection == nil {
		d.name = "SkipVariants"
		list.sub = list.sub[:1] // where the page ends, and no entries
	}
	d.body = []field{list}
	return d
}

// FollowVariants is Follow for a page of product variants.
func (t *Trail) FollowVariants(after string, p VariantPage) error {
	items := make([]string, 0, len(p.Variants)+1)
	for _, v := range p.Variants {
		items = append(items, v.ID+"\x00"+v.UpdatedAt)
	}
	if len(items) == 0 { // a page that was skipped shows where it ends
		items = append(items, p.End)
	}
	if err := t.step(after, p.End, p.More, items); err != nil {
		return &Error{Op: "list product variants", Message: err.Error(), Err: err}
	}
	return nil
}

// noteVariants notes whether a schema has the list, in the order in which it is followed.
func (f *Forms) noteVariants(types map[string]schemaType, query schemaType) {
	list, there := find(query.Fields, "productVariants")
	sort, _ := findInput(list.Args, "sort")
	f.noVariants = !there || spelled(types[sort.Type.base().Name], string(UpdatedAtAsc)) != string(UpdatedAtAsc)
	if there {
		f.page(types, list, productVariant)
	}
}
