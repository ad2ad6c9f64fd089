package engine

import (
	"context"
	"iter"
	"sync"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A plannedMarket accepts every report, and sends none to the real marketplace. Where a report was owed
// before the plan, the light look before it is made: it may show a supplier's change that no list shows, or
// that the publication is gone. A report of the plan's own follows a reading, and a look would show no more.
type plannedMarket struct {
	real       *marketplace.Reader
	base, over store.Store // without what the plan writes, and with it
}

// LookAndReport accepts the reports for which choose says so. None moves the updatedAt that the look showed.
func (m *plannedMarket) LookAndReport(
	ctx context.Context, p marketplace.Priority, reports []marketplace.Report,
	choose func(r marketplace.Report, look *marketplace.Entry) bool,
) (results []marketplace.Result, err error) {
	for _, r := range reports {
		looks, err := m.Look(ctx, p, []string{r.ID}, false)
		if err != nil {
			return results, err
		}
		if look := looks[r.ID]; choose(r, look) {
			results = append(results, marketplace.Result{ID: r.ID, Status: r.Status, UpdatedAt: look.UpdatedAt})
		}
	}
	return results, nil
}

// Look asks the real marketplace about publications with a report owed before the plan. Of the others, and of
// those that it cannot show, it answers with what the plan knows.
func (m *plannedMarket) Look(
	ctx context.Context, p marketplace.Priority, ids []string, detail bool,
) (map[string]*marketplace.Entry, error) {
	looks := make(map[string]*marketplace.Entry, len(ids))
	for _, id := range ids {
		now, err := m.over.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		before, err := m.base.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		looks[id] = &marketplace.Entry{ID: id, UpdatedAt: now.Record.UpdatedAt}
		if before.Owed == nil {
			continue
		}
		seen, err := m.real.Look(ctx, p, []string{id}, detail)
		if err != nil {
			return looks, err
		}
		if e := seen[id]; e == nil || e.Err == nil {
			looks[id] = e
		}
	}
	return looks, nil
}

// A plannedShop accepts everything and keeps nothing. The real shop answers what only reads. A listing keeps
// the address that it has in the plan's store.
type plannedShop struct {
	real shopadapter.Adapter
	over store.Store

	mu   sync.Mutex
	held map[shopadapter.PublicationID]bool               // in the last complete list; nil before there was one
	done map[shopadapter.PublicationID]shopadapter.Listed // what the plan published and unpublished
}

func newPlannedShop(real shopadapter.Adapter, over store.Store) *plannedShop {
	return &plannedShop{real: real, over: over, done: map[shopadapter.PublicationID]shopadapter.Listed{}}
}

// Check checks the real shop.
func (s *plannedShop) Check(ctx context.Context) (shopadapter.Info, error) { return s.real.Check(ctx) }

// Publish accepts the product. A listing that a complete list lacks was deleted by hand.
func (s *plannedShop) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, _ shopadapter.Fields,
) (shopadapter.Listing, error) {
	known, err := s.over.Get(ctx, string(ref.Publication))
	if err != nil {
		return shopadapter.Listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ours := s.done[ref.Publication]
	if s.held != nil && ref.Listing != "" && !s.held[ref.Publication] && !ours {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	l := shopadapter.Listing{ID: ref.Listing, URL: known.Record.URL, Draft: p.Draft}
	if ref.Listing == "" {
		l.ID, l.URL = "planned", "https://planned.invalid/"
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

// List ranges over what stands in the real shop, as it is once the plan is carried out. Of what the plan has
// written it tells no more than whether it is on sale: it would be as it was written.
func (s *plannedShop) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		held := map[shopadapter.PublicationID]bool{}
		for l, err := range s.real.List(ctx, q) {
			if err == nil {
				held[l.Ref.Publication] = true
				l = s.after(l)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
		if q.Refs != nil {
			return
		}
		for _, l := range s.complete(held) {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// complete takes what a complete list showed, and returns what the plan put on sale beside it.
func (s *plannedShop) complete(held map[shopadapter.PublicationID]bool) (made []shopadapter.Listed) {
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

func (s *plannedShop) after(l shopadapter.Listed) shopadapter.Listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done, ours := s.done[l.Ref.Publication]; ours {
		l.Listing = shopadapter.Listing{ID: l.ID, URL: l.URL, OnSale: done.OnSale, Images: -1}
	}
	return l
}
