package overlay

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Mark makes publications due.
func (s *Store) Mark(ctx context.Context, marks ...store.Mark) error {
	return s.top.Mark(ctx, marks...)
}

// Reschedule moves a mark to a later time.
func (s *Store) Reschedule(ctx context.Context, d store.Rescheduling) error {
	return s.top.Reschedule(ctx, d)
}

// BringForward makes reasons for looks due at an earlier moment, and returns how many.
func (s *Store) BringForward(ctx context.Context, to store.Instant, marks ...store.Mark) (int, error) {
	return s.top.BringForward(ctx, to, marks...)
}

// Begin records an attempt before it is made, and claims the SKUs.
func (s *Store) Begin(ctx context.Context, a store.Attempt) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lift(ctx, a.ID); err != nil {
		return nil, err
	}
	held, err := s.holders(ctx, a.Keys)
	if err != nil {
		return nil, err
	}
	if err := s.top.Hold(ctx, held); err != nil {
		return nil, err
	}
	return s.top.Begin(ctx, a)
}

// Settle ends a piece of work.
func (s *Store) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lift(ctx, w.Record.ID); err != nil {
		return store.Record{}, err
	}
	return s.top.Settle(ctx, w)
}

// Change makes changes, all in one transaction, and returns how many were made.
func (s *Store) Change(ctx context.Context, changes ...store.Change) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		if err := s.lift(ctx, c.ID); err != nil {
			return 0, err
		}
	}
	return s.top.Change(ctx, changes...)
}

// PutPage stores a cursor and makes the changes of a page.
func (s *Store) PutPage(ctx context.Context, p store.Page) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range p.Changes {
		if c.ID == "" || len(c.ID) > store.MaxID {
			continue
		}
		if err := s.lift(ctx, c.ID); err != nil {
			return err
		}
	}
	if err := s.top.PutPage(ctx, p); err != nil {
		return err
	}
	s.places[p.Name] = true
	return nil
}

// EndListing forgets a cursor.
func (s *Store) EndListing(ctx context.Context, e store.End) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.top.EndListing(ctx, e); err != nil {
		return err
	}
	s.places[e.Name] = true
	s.places[e.Name+".done"] = s.places[e.Name+".done"] || e.Done != 0
	s.anew = s.anew || e.Seen
	return nil
}

// SetMeta sets a fact.
func (s *Store) SetMeta(ctx context.Context, key, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.facts[key] { // whether it may be set depends on what it was
		was, err := s.base.Meta(ctx, key)
		if err != nil {
			return err
		}
		if err := s.top.SetMeta(ctx, key, was); err != nil {
			return err
		}
		s.facts[key] = true
	}
	return s.top.SetMeta(ctx, key, text)
}
