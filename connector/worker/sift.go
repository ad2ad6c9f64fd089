package worker

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	siftAfter = 10 // looks in a row at new entries that do not exist
	siftBatch = 50 // entries of one light look
)

// missed counts the looks in a row at new entries of the list that do not exist. Where there are
// many, the list names what is not there, and what is waits behind it.
func (w *Worker) missed(m store.Mark, pub *marketplace.Publication) {
	switch {
	case m.Class != store.ClassNew:
	case pub == nil:
		w.misses.Add(1)
	default:
		w.misses.Store(0)
	}
}

// sifts reports whether a new entry is looked at lightly first, together with others.
func (w *Worker) sifts(m store.Mark, r store.Record) bool {
	return m.Class == store.ClassNew && w.misses.Load() >= siftAfter && publication.Unmade(r)
}

// sift looks lightly at the new entry whose mark is claimed and at others that are due, and settles
// those that do not exist. The others are read in full in their turn, before any more is sifted.
func (w *Worker) sift(ctx, work context.Context, first store.Mark) {
	defer w.recovered(ctx, first)
	batch := append([]store.Mark{first}, w.claimNew(ctx)...)
	defer func() {
		for _, m := range batch {
			w.unclaim(ctx, m)
		}
	}()
	ids := make([]string, len(batch))
	for i, m := range batch {
		ids[i] = m.ID
	}
	asked := time.Now()
	seen, err := w.market.Look(ctx, marketplace.News, ids, false)
	if err != nil {
		w.misses.Store(0) // each is read by itself, which tells of the trouble
		return
	}
	w.marketBreaker.Succeed(time.Now())
	for _, m := range batch {
		if entry, answered := seen[m.ID]; !answered || entry != nil {
			w.misses.Store(0)
			continue
		}
		e, err := w.store.Get(ctx, m.ID)
		if err != nil {
			w.health.StoreFailed(err)
			return
		}
		w.settleAbsent(work, m, e.Record, asked)
	}
}

// claimNew claims further marks of new entries that may be sifted.
func (w *Worker) claimNew(ctx context.Context) (batch []store.Mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	due, _, err := w.dueBy(ctx, laneAny, store.ClassesOf(store.ClassNew), w.claimed, time.Now(), siftBatch-1)
	if err != nil {
		return nil
	}
	for _, m := range due {
		e, err := w.store.Get(ctx, m.ID)
		if err != nil {
			break
		}
		if _, claimed := w.claimed[m.ID]; claimed || !publication.Unmade(e.Record) {
			continue
		}
		w.claimed[m.ID] = m.Class
		batch = append(batch, m)
	}
	return batch
}

// settleAbsent settles a look that showed no publication.
func (w *Worker) settleAbsent(ctx context.Context, m store.Mark, r store.Record, asked time.Time) {
	// a webhook has just named it: that it is gone is not believed yet
	if again := w.awaited.judge(m.ID, nil, time.Now()); !again.IsZero() {
		w.later(ctx, store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(again), Cause: store.CauseSigned})
		return
	}
	if d, next := w.carryOut(ctx, m, w.decider.Decide(r, m, publication.Seen{At: asked}), asked); next == toSettle {
		w.settle(ctx, m, d, time.Now())
	}
}
