package sweep

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// FoundRemoval records that a look has found a publication that must leave the shop. The brake
// judges it together with others.
func (s *Sweeper) FoundRemoval() {
	s.removals.Store(true)
	s.removal.Raise()
}

// RemovalsWait reports whether the brake has removals to judge.
func (s *Sweeper) RemovalsWait() bool { return s.removals.Load() }

// findAbsent asks the marketplace about each publication that a complete enumeration did not meet.
// Only a publication for which it answers null is gone. An entry without an id may be any
// publication: an enumeration with such an entry proves no absence.
func (s *Sweeper) findAbsent(ctx context.Context, priority marketplace.Priority, enumeration store.Cursor) error {
	if enumeration.Nameless > 0 {
		s.log.Warn("no publication counts as gone: entries of the list have no id", "entries", enumeration.Nameless)
		return nil
	}
	var unseen []string
	for r, err := range store.Records(ctx, s.store, store.Query{Unseen: true}) {
		if err != nil {
			return err
		}
		if publication.Listable(r, enumeration.Started, time.Now()) {
			unseen = append(unseen, r.ID)
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	looks, err := s.market.Look(ctx, priority, unseen, false)
	if err != nil {
		return fmt.Errorf("ask for absent publications: %w", err)
	}
	var absent []string
	for _, id := range unseen {
		if entry, answered := looks[id]; answered && entry == nil {
			absent = append(absent, id)
		}
	}
	return s.markAbsent(ctx, absent)
}

// markAbsent records that entries are gone, all in one transaction: even after a crash the brake
// judges all of them together. It judges those on sale; a look clears the others away.
func (s *Sweeper) markAbsent(ctx context.Context, ids []string) error {
	now := time.Now()
	_, err := s.store.Change(ctx, ids, func(e *store.Entry) bool { return e.Known && publication.Absent(e, now) })
	s.FoundRemoval()
	s.due.Raise()
	return err
}

// JudgeRemovals has the brake judge the removals that wait, while no sweep is under way.
func (s *Sweeper) JudgeRemovals(ctx context.Context) (err error) {
	s.alone(ctx, func() { err = s.judgeRemovals(ctx) })
	return err
}

// judgeRemovals has the brake judge all removals found since it last did, together with those it
// holds: entries that go one by one while a mass removal waits for a person are part of it. The
// caller is alone.
func (s *Sweeper) judgeRemovals(ctx context.Context) error {
	if !s.removals.Swap(false) {
		return nil
	}
	now := time.Now()
	backlog, err := s.store.Backlog(ctx, store.At(now))
	if err != nil {
		return err
	}
	n, found := publication.Removals{Recent: backlog.Removed, OnSale: backlog.OnSale}, []string(nil)
	for r, err := range store.Records(ctx, s.store, store.Query{Key: store.KeyLeaving()}) {
		if err != nil {
			return err
		}
		if r.Removal.Go {
			n.Recent, n.OnSale = n.Recent+1, n.OnSale-1
			continue
		}
		found = append(found, r.ID)
	}
	if n.Found = len(found); n.Found == 0 {
		return nil
	}
	news, err := s.store.Change(ctx, found, func(e *store.Entry) bool { return s.brake.Removals(e, n, now) })
	if err != nil {
		return err
	}
	if s.brake.RemovesTooMuch(n.OnSale, n.Recent, n.Found) && news > 0 {
		s.log.Warn("removals held until a person approves them", "held", n.Found, "on_sale", n.OnSale, "recent", n.Recent)
	}
	s.due.Raise()
	return nil
}

const (
	removalQuiet = 500 * time.Millisecond // between two checks whether the due set is empty
	removalWait  = time.Minute            // how long removals found one by one wait to be judged together
)

// WatchRemovals has the removals that looks found one by one judged together: when nothing is being
// worked on, or after a minute.
func (s *Sweeper) WatchRemovals(ctx context.Context, working func(context.Context) bool) {
	var since time.Time
	for ctx.Err() == nil {
		found := s.removal.Raised()
		if !s.RemovalsWait() {
			since = time.Time{}
			breaker.Sleep(ctx, removalWait, found)
			continue
		}
		breaker.Sleep(ctx, removalQuiet)
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < removalWait && working(ctx) {
			continue
		}
		if err := s.JudgeRemovals(ctx); err != nil {
			s.health.StoreFailed(err)
		}
	}
}
