package connector

import (
	"cmp"
	"context"
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
)

// A dryShop answers as a shop does that takes everything, and holds nothing.
type dryShop struct {
	held map[shopadapter.PublicationID]bool // what the shop lists, nil where that is not known
}

// A listings ranges over what the shop holds as ours. See shopadapter.Lister.
type listings func(context.Context) iter.Seq2[shopadapter.Listed, error]

// newDryShop makes a dry shop. What the real one lists, it lists; list may be nil.
func newDryShop(list listings) shopadapter.Adapter {
	if list == nil {
		return &dryShop{}
	}
	return &dryLister{&dryShop{}, list}
}

// Publish takes the product. A listing that the shop was seen to lack has been deleted by hand.
func (s *dryShop) Publish(
	_ context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	_ shopadapter.Fields,
) (shopadapter.Listing, error) {
	if s.held != nil && ref.Listing != "" && !s.held[ref.Publication] {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	return shopadapter.Listing{
		ID:       cmp.Or(ref.Listing, "planned"),
		URL:      "https://planned.invalid/",
		Variants: map[string]string{},
		Refused:  map[string]string{},
	}, nil
}

// Restock takes the figures as Publish takes a product.
func (s *dryShop) Restock(
	ctx context.Context,
	ref shopadapter.Ref,
	_ []shopadapter.Figures,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	return s.Publish(ctx, ref, shopadapter.Product{}, changed)
}

// Unpublish does nothing.
func (s *dryShop) Unpublish(context.Context, shopadapter.Ref, shopadapter.Removal) error { return nil }

// A dryLister lists what the real shop holds.
type dryLister struct {
	*dryShop
	list listings
}

// Listings ranges over the real shop's. A complete one tells what it lacks.
func (s *dryLister) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		held := map[shopadapter.PublicationID]bool{}
		for l, err := range s.list(ctx) {
			held[l.Ref.Publication] = true
			if !yield(l, err) || err != nil {
				return
			}
		}
		s.held = held
	}
}
