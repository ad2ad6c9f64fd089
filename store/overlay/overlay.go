// Package overlay is a store over another that is only read: what is written stays in memory. A
// plan is a run over it.
package overlay

import (
	"context"
	"sync"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// A Store shows what its base holds, and in place of that what was written since. Marks and reports
// are copied at once. A record is copied with its SKUs when it is first written, and from then on
// the base is not asked about it.
type Store struct {
	base store.Reader

	mu     sync.Mutex // a copy and the write that it is made for are one
	top    *keyed.Store
	copied map[string]bool     // publications whose record is in top
	owners map[string]bool     // of these, as owners of SKUs name them
	were   map[store.State]int // the states of these in the base
	onSale int                 // how many of these are on sale in the base
	known  map[string]bool     // of these, those that the base knows
	facts  map[string]bool     // that are in top
	places map[string]bool     // cursors that are in top
	anew   bool                // what the base says of an enumeration counts no longer
}

// New makes an overlay over a base. Where the base is written meanwhile, what was copied stays as
// it was.
func New(ctx context.Context, base store.Reader) (*Store, error) {
	s := &Store{
		base:   base,
		top:    keyed.InMemory(),
		copied: map[string]bool{},
		owners: map[string]bool{},
		were:   map[store.State]int{},
		known:  map[string]bool{},
		facts:  map[string]bool{},
		places: map[string]bool{},
	}
	for m, err := range store.Marks(ctx, base, store.DueQuery{Classes: store.AllClasses, To: store.Latest}) {
		if err != nil {
			return nil, err
		}
		if m.Class == store.ClassHint && m.Hint != 0 { // it comes for its own reason, too
			continue
		}
		if err := s.top.Load(ctx, store.Entry{Record: store.Record{ID: m.ID}, Mark: &m}); err != nil {
			return nil, err
		}
	}
	for r, err := range store.Reports(ctx, base, store.AllOwed) {
		if err != nil {
			return nil, err
		}
		if err := s.top.Load(ctx, store.Entry{Record: store.Record{ID: r.ID}, Owed: &r}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// lift copies the records of publications that are to be written.
func (s *Store) lift(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		if s.copied[id] {
			continue
		}
		e, err := s.base.Get(ctx, id)
		if err != nil {
			return err
		}
		claims, err := s.claimsOf(ctx, e.Record)
		if err != nil {
			return err
		}
		e.Mark, e.Owed = nil, nil // they are there already
		if err := s.top.Load(ctx, e); err != nil {
			return err
		}
		if err := s.top.Hold(ctx, claims); err != nil {
			return err
		}
		s.copied[id], s.owners[store.OwnerOf(id, "").Publication()] = true, true
		if e.Known {
			s.known[id] = true
			s.were[e.Record.State]++
			if e.Record.OnSale {
				s.onSale++
			}
		}
	}
	return nil
}

// claimsOf is the SKUs that a publication holds in the base.
func (s *Store) claimsOf(ctx context.Context, r store.Record) (map[string]store.Owner, error) {
	var keys []string
	for _, v := range r.Variants {
		keys = append(keys, store.SKUKey(v.SKU))
	}
	for _, c := range r.Claims {
		keys = append(keys, store.SKUKey(c.SKU))
	}
	held, err := s.base.Holders(ctx, keys...)
	for key, by := range held {
		if by.Publication() != store.OwnerOf(r.ID, "").Publication() {
			delete(held, key)
		}
	}
	return held, err
}

var _ store.Store = (*Store)(nil)
