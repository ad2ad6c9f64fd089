package dry

import (
	"context"
	"iter"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Reads are the functions of an adapter that only read. What the adapter lacks is nil.
type Reads struct {
	Listings   func(context.Context) iter.Seq2[shopadapter.Listed, error]
	Observe    func(context.Context, shopadapter.Observation) iter.Seq2[shopadapter.Observed, error]
	Observes   func(context.Context) bool // whether the shop tells what stands in it
	Review     func(context.Context, shopadapter.Ref) (shopadapter.Fields, error)
	ReviewedBy string // the settings that Review depends on
	Check      func(context.Context) error
	Currency   func(context.Context) (string, error)
	Prices     func(context.Context) (shopadapter.Prices, error)
	Restocks   func(context.Context) bool // whether the shop accepts figures alone
}

// ReadsOf is the functions of an adapter that only read.
func ReadsOf(shop shopadapter.Adapter) Reads {
	r := Reads{Restocks: func(ctx context.Context) bool { return shopadapter.RestockerOf(ctx, shop) != nil }}
	if s, ok := shop.(shopadapter.Lister); ok {
		r.Listings = s.Listings
	}
	if s, ok := shop.(shopadapter.Observer); ok {
		r.Observe = s.Observe
		r.Observes = func(ctx context.Context) bool { return shopadapter.ObserverOf(ctx, shop) != nil }
	}
	if s, ok := shop.(shopadapter.Reviewer); ok {
		r.Review, r.ReviewedBy = s.Review, s.ReviewedBy()
	}
	if s, ok := shop.(shopadapter.Checker); ok {
		r.Check = s.Check
	}
	if s, ok := shop.(shopadapter.Pricer); ok {
		r.Currency = s.Currency
	}
	if s, ok := shop.(shopadapter.Taxer); ok {
		r.Prices = s.Prices
	}
	return r
}

// NewShop makes a shop that accepts everything and stores nothing. The real shop answers what only
// reads. A listing keeps the address that it has in the plan's store.
func NewShop(real Reads, overlay store.Reader) shopadapter.Adapter {
	s := &shop{real: real, overlay: overlay, done: map[shopadapter.PublicationID]shopadapter.Listed{}}
	if real.Prices == nil {
		return s
	}
	return &taxer{s}
}

// A shop has every capability but that of a taxer. Where the real adapter lacks one, it answers as
// an adapter without it does.
type shop struct {
	real    Reads
	overlay store.Reader

	mu   sync.Mutex
	held map[shopadapter.PublicationID]bool               // in the last complete list; nil before there was one
	done map[shopadapter.PublicationID]shopadapter.Listed // what the plan published and unpublished
}

// Planned says that this is the shop of a plan.
func (s *shop) Planned() {}

// Publish accepts the product. A listing that a complete list lacks was deleted by hand.
func (s *shop) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, _ shopadapter.Fields,
) (shopadapter.Listing, error) {
	return s.accept(ctx, ref, p.Draft)
}

// Restock accepts the figures.
func (s *shop) Restock(
	ctx context.Context, ref shopadapter.Ref, _ []shopadapter.Figures, _ shopadapter.Fields,
) (shopadapter.Listing, error) {
	return s.accept(ctx, ref, false)
}

func (s *shop) accept(ctx context.Context, ref shopadapter.Ref, draft bool) (shopadapter.Listing, error) {
	known, err := s.overlay.Get(ctx, string(ref.Publication))
	if err != nil {
		return shopadapter.Listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ours := s.done[ref.Publication]
	if s.held != nil && ref.Listing != "" && !s.held[ref.Publication] && !ours {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	l := shopadapter.Listing{
		ID: ref.Listing, URL: known.Record.URL, Variants: map[string]string{}, Refused: map[string]string{},
		Draft: draft,
	}
	if ref.Listing == "" {
		l.ID, l.URL = "planned", "https://planned.invalid/"
	}
	ref.Listing = l.ID
	s.done[ref.Publication] = shopadapter.Listed{Ref: ref, URL: l.URL, OnSale: !draft}
	return l, nil
}

// Unpublish takes the listing out of sale.
func (s *shop) Unpublish(_ context.Context, ref shopadapter.Ref, _ shopadapter.Removal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[ref.Publication] = shopadapter.Listed{Ref: ref}
	return nil
}

// Restocks reports whether the real shop accepts figures alone.
func (s *shop) Restocks(ctx context.Context) bool {
	return s.real.Restocks != nil && s.real.Restocks(ctx)
}

// Listings ranges over the real shop's, as they are once the plan is carried out.
func (s *shop) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		if s.real.Listings == nil {
			yield(shopadapter.Listed{}, shopadapter.ErrNoList)
			return
		}
		held := map[shopadapter.PublicationID]bool{}
		for l, err := range s.real.Listings(ctx) {
			if held[l.Ref.Publication] = true; err == nil {
				l = s.after(l)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
		for _, l := range s.complete(held) {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// Observes reports whether the real shop tells what stands in it.
func (s *shop) Observes(ctx context.Context) bool {
	return s.real.Observes != nil && s.real.Observes(ctx)
}

// Observe ranges over what stands in the real shop. Of what the plan has written it tells no more
// than Listings does: it would be as it was written.
func (s *shop) Observe(
	ctx context.Context, what shopadapter.Observation,
) iter.Seq2[shopadapter.Observed, error] {
	return func(yield func(shopadapter.Observed, error) bool) {
		if s.real.Observe == nil {
			yield(shopadapter.Observed{}, shopadapter.ErrNoList)
			return
		}
		held := map[shopadapter.PublicationID]bool{}
		for o, err := range s.real.Observe(ctx, what) {
			if err == nil {
				held[o.Ref.Publication] = true
				o = s.observed(o)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
		if !what.Complete() {
			return
		}
		for _, l := range s.complete(held) {
			if !yield(shopadapter.Observed{Listed: l, Images: -1}, nil) {
				return
			}
		}
	}
}

// complete takes what a complete list showed, and returns what the plan put on sale beside it.
func (s *shop) complete(held map[shopadapter.PublicationID]bool) (made []shopadapter.Listed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
	for id, l := range s.done {
		if !held[id] && l.OnSale {
			made = append(made, l)
		}
	}
	return made
}

// observed is a listing of the real shop once the plan is carried out.
func (s *shop) observed(o shopadapter.Observed) shopadapter.Observed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done, ours := s.done[o.Ref.Publication]; ours {
		return shopadapter.Observed{Listed: shopadapter.Listed{Ref: o.Ref, URL: o.URL, OnSale: done.OnSale}, Images: -1}
	}
	return o
}

// after is a listing of the real shop once the plan is carried out.
func (s *shop) after(l shopadapter.Listed) shopadapter.Listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done, ours := s.done[l.Ref.Publication]; ours {
		l.OnSale = done.OnSale
	}
	return l
}

// Review asks the real shop.
func (s *shop) Review(ctx context.Context, ref shopadapter.Ref) (shopadapter.Fields, error) {
	if s.real.Review == nil {
		return shopadapter.NoFields, nil
	}
	return s.real.Review(ctx, ref)
}

// ReviewedBy is the real shop's.
func (s *shop) ReviewedBy() string { return s.real.ReviewedBy }

// Currency is the real shop's.
func (s *shop) Currency(ctx context.Context) (string, error) {
	if s.real.Currency == nil {
		return "", nil
	}
	return s.real.Currency(ctx)
}

// Check checks the real shop.
func (s *shop) Check(ctx context.Context) error {
	if s.real.Check == nil {
		return nil
	}
	return s.real.Check(ctx)
}

// A taxer is a shop whose prices depend on taxes.
type taxer struct{ *shop }

// Prices asks the real shop.
func (s *taxer) Prices(ctx context.Context) (shopadapter.Prices, error) { return s.real.Prices(ctx) }
