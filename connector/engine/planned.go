package engine

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A plannedShop accepts everything. The real shop answers what only reads.
type plannedShop struct {
	real shopadapter.Adapter
	over store.Store
	held atomic.Pointer[map[shopadapter.PublicationID]bool] // in the last complete list; nil before there was one
}

// planned is the id of a listing that a plan makes.
const planned shopadapter.ListingID = "planned"

// Check checks the real shop.
func (s *plannedShop) Check(ctx context.Context) (shopadapter.Info, error) { return s.real.Check(ctx) }

// Publish accepts the product, unless a complete list lacks its listing.
func (s *plannedShop) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, _ shopadapter.Fields,
) (shopadapter.Listing, error) {
	known, err := s.over.Get(ctx, string(ref.Publication))
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if held := s.held.Load(); held != nil && ref.Listing != "" && ref.Listing != planned && !(*held)[ref.Publication] {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	l := shopadapter.Listing{ID: ref.Listing, URL: known.Record.URL, Draft: p.Draft}
	if ref.Listing == "" {
		l.ID, l.URL = planned, "https://planned.invalid/"
	}
	return l, nil
}

// Unpublish takes the listing out of sale.
func (s *plannedShop) Unpublish(context.Context, shopadapter.Ref, shopadapter.Removal) (string, error) {
	return "", nil
}

// List yields the real shop's listings, without what the plan has written.
func (s *plannedShop) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		held := map[shopadapter.PublicationID]bool{}
		for l, err := range s.real.List(ctx, q) {
			held[l.Ref.Publication] = true
			if !yield(l, err) || err != nil {
				return
			}
		}
		if q.Refs == nil {
			s.held.Store(&held)
		}
	}
}
