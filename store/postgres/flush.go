package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// write decides on a transaction and makes it: one round trip reads what is needed, and one writes.
// decide may run any number of times. Before it begins it waits for its turn, for as long as ctx
// lasts: an account that waits for others has no trouble with its store, and holds nothing.
func (s *Store) write(ctx context.Context, n need, decide func(w *work) error) error {
	if err := s.writable(); err != nil {
		return err
	}
	end, err := s.db.turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	began := time.Now()
	err = repeat(ctx, func(ctx context.Context) error {
		w, err := s.load(ctx, n)
		if err != nil {
			return err
		}
		if err := decide(w); err != nil {
			return err
		}
		b := &batch{}
		if err := s.queue(b, w); err != nil || len(b.statements) == 0 {
			return err
		}
		return s.commit(ctx, b, func() { s.forget(w) })
	})
	if observe := s.observe.Load(); observe != nil && err == nil {
		(*observe)(1, time.Since(began))
	}
	return err
}

// forget gives up the answers that a work changes.
func (s *Store) forget(w *work) {
	if len(w.removed) > 0 || slices.ContainsFunc(w.order, func(e *entry) bool { return e.written || e.markMoved }) {
		s.answers.forget(aboutPublications)
	}
	for name := range w.cursors {
		s.answers.forget(aboutCursors, cursorOf{name})
	}
}

// commit runs statements in one transaction, provided that the lease is held until it ends. forget
// gives up the answers that they change.
func (s *Store) commit(ctx context.Context, b *batch, forget func()) error {
	fenced := &batch{}
	if s.lease != nil {
		fenced.queue(checkFence, s.account, s.lease.Fence)
	}
	fenced.statements = append(fenced.statements, b.statements...)
	forget() // what is read until the end may be from before the commit
	err := s.db.send(ctx, fenced)
	if err != nil && !repeatable(err) {
		s.answers.doubt()
	}
	forget()
	if codeOf(err) == codeFenced && s.lease != nil {
		s.lease.End()
	}
	return err
}

// queue adds what a work writes to a batch.
func (s *Store) queue(b *batch, w *work) error {
	slices.SortFunc(w.order, func(a, b *entry) int { return strings.Compare(a.id, b.id) }) // the order of locks
	if err := s.queueRecords(b, w); err != nil {
		return err
	}
	if err := s.queueMarks(b, w); err != nil {
		return err
	}
	s.queueProperties(b, w)
	s.queueSKUs(b, w)
	if w.anew {
		b.queue(deleteSeen, s.account)
	}
	if len(w.seen) > 0 {
		keys, ids := make([][]byte, len(w.seen)), make([][]byte, len(w.seen))
		for i, id := range w.seen {
			keys[i], ids[i] = keyOf(id)
		}
		b.queue(insertSeen, s.account, keys, ids)
	}
	for _, r := range w.removed {
		b.queue(deleteRemoved, s.account, column(store.At(r.at.Time().Add(-removedKept))))
		key, long := keyOf(r.id)
		b.queue(insertRemoved, s.account, column(r.at), key, long)
	}
	for name, c := range w.cursors {
		if c == nil {
			b.queue(deleteCursor, s.account, key(name))
			continue
		}
		data, err := value.Encode(name, *c)
		if err != nil {
			return err
		}
		b.queue(upsertCursor, s.account, key(name), data)
	}
	return nil
}
