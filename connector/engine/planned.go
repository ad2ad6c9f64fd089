package engine

import (
	"context"
	"iter"
	"maps"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A plannedShop accepts everything. The real shop answers what only reads.
type plannedShop struct {
	real shopadapter.Adapter
	over store.Store

	mu   sync.Mutex
	held map[shopadapter.PublicationID]bool // in the last complete list; nil before there was one
	done map[shopadapter.PublicationID]shopadapter.Listed
}

func newPlannedShop(real shopadapter.Adapter, over store.Store) *plannedShop {
	return &plannedShop{real: real, over: over, done: map[shopadapter.PublicationID]shopadapter.Listed{}}
}

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
	l := shopadapter.Listing{ID: ref.Listing, URL: known.Record.URL, Draft: p.Draft}
	if ref.Listing == "" {
		l.ID, l.URL = "planned", "https://planned.invalid/"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ours := s.done[ref.Publication]
	if s.held != nil && ref.Listing != "" && !s.held[ref.Publication] && !ours {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	ref.Listing = l.ID
	s.done[ref.Publication] = shopadapter.Listed{Ref: ref, Listing: shopadapter.Listing{
		ID: l.ID, URL: l.URL, OnSale: !p.Draft, Images: -1,
	}}
	return l, nil
}

// Unpublish takes the listing out of sale.
func (s *plannedShop) Unpublish(_ context.Context, ref shopadapter.Ref, _ shopadapter.Removal) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[ref.Publication] = shopadapter.Listed{Ref: ref, Listing: shopadapter.Listing{ID: ref.Listing, Images: -1}}
	return "", nil
}

// List yields the real shop's listings as the plan would leave them, and those that it would add. Of one that the
// plan wrote, List tells only whether it is on sale.
func (s *plannedShop) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		done, held := s.written(), map[shopadapter.PublicationID]bool{}
		for l, err := range s.real.List(ctx, q) {
			held[l.Ref.Publication] = true
			if made, ours := done[l.Ref.Publication]; ours {
				l.Listing = shopadapter.Listing{ID: l.ID, URL: l.URL, OnSale: made.OnSale, Images: -1}
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
		if q.Refs != nil {
			return
		}
		for id, l := range done {
			if !held[id] && l.OnSale && !yield(l, nil) {
				return
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held = held
	}
}

func (s *plannedShop) written() map[shopadapter.PublicationID]shopadapter.Listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.done)
}
