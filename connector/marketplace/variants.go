package marketplace

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
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

func variantSelection() []document.Field {
	return append(document.Scalars("id", "updatedAt"), document.Object("product", "", document.Scalars("id")...))
}

// SkipVariants finds out where a page after the cursor ends, and reads none of its entries: that
// costs some four points, however many they are.
func (r *Reader) SkipVariants(ctx context.Context, p Priority, after string) (VariantPage, error) {
	return r.variants(ctx, p, after, cost.LargestPage, nil)
}

// variants is one request for the list.
func (r *Reader) variants(
	ctx context.Context, p Priority, after string, most int, selection []document.Field,
) (VariantPage, error) {
	const op = "list product variants"
	answer, err := r.conn.Run(ctx, p, nil, func(f Forms) (client.Request, error) {
		if f.NoVariants {
			return client.Request{}, ErrNoVariants
		}
		return r.variantsRequest(op, f, after, most, selection), nil
	})
	if err != nil {
		return VariantPage{}, err
	}
	var data struct {
		ProductVariants *wire.Page[wireProductVariant]
	}
	if err := document.Unmarshal(answer.Data, &data); err != nil {
		return VariantPage{}, fault.Unreadable(op, err)
	}
	page, err := variantPageOf(data.ProductVariants, after)
	if err != nil {
		return VariantPage{}, fault.Unreadable(op, err)
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
	ctx context.Context, p Priority, after, afterVariants string, mostVariants int,
) (both Both, err error) {
	const op = "list publications and product variants"
	answer, err := r.conn.Run(ctx, p, nil, func(f Forms) (client.Request, error) {
		switch {
		case !f.UpdatedAtAsc:
			return client.Request{}, ErrNotSorted
		case f.NoVariants:
			return client.Request{}, ErrNoVariants
		}
		return r.bothRequest(op, f, after, afterVariants, mostVariants), nil
	})
	if err != nil {
		return both, err
	}
	var data struct {
		Publications    *wire.Page[wireEntry]
		ProductVariants *wire.Page[wireProductVariant]
	}
	if err = document.Unmarshal(answer.Data, &data); err != nil {
		return both, fault.Unreadable(op, err)
	}
	if both.Publications, err = pageOf(data.Publications, after); err != nil {
		return both, fault.Unreadable(op, err)
	}
	if both.Variants, err = variantPageOf(data.ProductVariants, afterVariants); err != nil {
		return both, fault.Unreadable(op, err)
	}
	now := time.Now()
	both.Publications.Asked, both.Publications.Answered, both.Variants.Answered = answer.Asked, now, now
	return both, nil
}

func (r *Reader) bothRequest(op string, f Forms, after, afterVariants string, mostVariants int) client.Request {
	budget := r.conn.Plan()
	variants := r.conn.Costs.Fit(
		budget/2, mostVariants,
		func(n int) document.Document { return variantsDocument(f, n, afterVariants != "", variantSelection()) },
	)
	build := func(n int) document.Document {
		d := listDocument(f, n, UpdatedAtAsc, after != "")
		other := variantsDocument(f, variants, afterVariants != "", variantSelection())
		d.Name, d.Vars, d.Body = "ListBoth", append(d.Vars, other.Vars...), append(d.Body, other.Body...)
		return d
	}
	first := r.conn.Costs.Fit(budget, cost.LargestPage, build)
	q := client.Request{
		Op:     op,
		Doc:    build(first),
		First:  max(first, variants),
		Cursor: after != "" || afterVariants != "",
		Vars:   map[string]any{},
	}
	if after != "" {
		q.Vars["after"] = after
	}
	if afterVariants != "" {
		q.Vars["afterVariants"] = afterVariants
	}
	return q
}

// A wireProductVariant is a product variant as the documents select it.
type wireProductVariant struct {
	ID, UpdatedAt wire.Text
	Product       *struct{ ID wire.Text }
}

// variantPageOf is a page that was asked for with the cursor after. Its time is left to the caller.
func variantPageOf(w *wire.Page[wireProductVariant], after string) (VariantPage, error) {
	if w == nil {
		return VariantPage{}, errNoPage
	}
	end, more, err := w.Next(after)
	if err != nil {
		return VariantPage{}, err
	}
	page := VariantPage{End: end, More: more}
	for _, item := range w.Items() {
		v := ProductVariant{ID: string(item.ID), UpdatedAt: string(item.UpdatedAt)}
		if item.Product != nil {
			v.Product = string(item.Product.ID)
		}
		page.Variants = append(page.Variants, v)
	}
	return page, nil
}

func (r *Reader) variantsRequest(
	op string, f Forms, after string, most int, selection []document.Field,
) client.Request {
	build := func(first int) document.Document { return variantsDocument(f, first, after != "", selection) }
	first := r.conn.Costs.Fit(r.conn.Plan(), most, build)
	q := client.Request{Op: op, Doc: build(first), First: first, Cursor: after != ""}
	if after != "" {
		q.Vars = map[string]any{"afterVariants": after}
	}
	return q
}

func variantsDocument(f Forms, first int, after bool, selection []document.Field) document.Document {
	d := document.Document{Kind: "query", Name: "Variants"}
	more := "sort:" + string(UpdatedAtAsc)
	if after {
		d.Vars = []string{"$afterVariants:String!"}
		more = "after:$afterVariants," + more
	}
	list := f.Connection("productVariants", form.ProductVariant, first, more, selection...)
	if selection == nil {
		d.Name = "SkipVariants"
		list.Sub = list.Sub[:1] // where the page ends, and no entries
	}
	d.Body = []document.Field{list}
	return d
}
