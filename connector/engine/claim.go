package engine

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A queue is the classes of marks that a goroutine works on.
type queue = store.ClassSet

// Each slot of the shop has a goroutine of queueAny; queueUrgent and queueRules have one each.
const (
	queueAny     queue = store.AllClasses
	queueUrgent  queue = 1<<store.ClassAsked | 1<<store.ClassHook // waits for no backlog
	queueRules   queue = 1 << store.ClassRules                    // costs no points: it waits for no look that does
	queueChanges queue = 1<<store.ClassSweep | 1<<store.ClassHint // a backlog of new publications would starve them

	changesEvery = 8 // one look of queueAny in so many is claimed from queueChanges first

	// upstream are the classes of upstream changes. Many that are due are a backlog: a look then reads and writes
	// only the figures. The remainder of each waits behind what is more urgent.
	upstream     queue = 1<<store.ClassHook | 1<<store.ClassSweep | 1<<store.ClassHint
	leastBacklog       = 20 // fewer are read in full within seconds
)

// A schedule is what is being looked at or reported. A mark stays in the store until its look settles.
type schedule struct {
	hints     share
	gaps      gaps
	turns     atomic.Uint64
	rulesWait atomic.Bool // prices by changed rules wait: the brake judges them with the supplier's changes

	claims    map[string]*claim
	reporting map[string]bool // neither looked at nor reported twice meanwhile
	backlog   bool            // at the last look at a change
}

// A claim reserves a publication for one goroutine until Engine.leave, and holds what its look reads. While it buys
// points, the goroutine of queueUrgent may take the publication over. Once it looks the claim is firm, and reports
// wait, see passOver.
type claim struct {
	mark   store.Mark
	record store.Record
	by     store.Mark // the decision goes by it
	hint   uint64     // generation of the stored hint; 0: none
	from   queue

	kind     readingKind
	details  bool // byContent shows the product's details too
	admitted *marketplace.Admission
	paid     float64 // of the share of hints
	asked    time.Time
	content  *marketplace.Publication // nil: gone
	figures  marketplace.Figures

	looks bool // guarded by the engine's mutex
}

func (c *claim) priority() marketplace.Priority {
	if c.from == queueChanges {
		return marketplace.News // in turn with the new ones
	}
	return map[store.Class]marketplace.Priority{
		store.ClassAsked: marketplace.Urgent, store.ClassHook: marketplace.Urgent, store.ClassNew: marketplace.News,
		store.ClassSweep: marketplace.Sweep, store.ClassHint: marketplace.Sweep, store.ClassRules: marketplace.Sweep,
		store.ClassFull: marketplace.Resync, store.ClassRefresh: marketplace.Refresh,
	}[c.mark.Class]
}

func (x *Engine) open(q queue, now time.Time) store.ClassSet {
	if !x.hints.open(now) {
		q &^= 1 << store.ClassHint
	}
	if x.rulesWait.Load() {
		q &^= queueRules
	}
	return q
}

func (x *Engine) looked() map[string]store.Class {
	looked := map[string]store.Class{}
	x.locked(func() {
		for id, c := range x.claims {
			if c.looks {
				looked[id] = c.mark.Class
			}
		}
	})
	return looked
}

func (x *Engine) choose(ctx context.Context, q queue) (c *claim, wait time.Duration, err error) {
	begun := time.Now() // what opens after this is asked for at once
	var next store.Instant
	if q == queueAny && x.turns.Add(1)%changesEvery == 0 {
		c, _, err = x.first(ctx, queueChanges)
	}
	if c == nil && err == nil {
		c, next, err = x.first(ctx, q)
	}
	if c != nil || err != nil {
		return c, 0, err
	}
	if wait = quiet; next != 0 {
		wait = min(wait, max(next.Time().Sub(begun), time.Millisecond))
	}
	if paid := x.hints.wait(begun, Idle); paid > 0 && q.Has(store.ClassHint) {
		wait = min(wait, paid)
	}
	return nil, wait, nil
}

// first claims the most urgent mark of a queue; else next is when one becomes due, 0 for never. It puts off a mark
// by webhook that comes too soon after the last such look.
func (x *Engine) first(ctx context.Context, q queue) (c *claim, next store.Instant, err error) {
	for again := true; again; {
		var skip []string
		most := 1
		x.locked(func() {
			for id := range x.reporting {
				skip = append(skip, id)
			}
			for id, c := range x.claims {
				if c.looks || q != queueUrgent { // else it may be taken over
					skip = append(skip, id)
				} else {
					most++
				}
			}
		})
		var due []store.Mark
		due, next, err = x.dueIn(ctx, q, store.DueQuery{Classes: store.AllClasses, Skip: skip, Limit: most})
		if err != nil {
			return nil, 0, err
		}
		again = false
		for _, m := range due {
			if c, err := x.claim(ctx, m, q); c != nil || err != nil {
				return c, 0, err
			}
			x.locked(func() { again = again || x.claims[m.ID] == nil }) // a look has settled it, or it was put off
		}
	}
	return nil, next, nil
}

func (x *Engine) dueIn(
	ctx context.Context, q queue, query store.DueQuery,
) (due []store.Mark, next store.Instant, err error) {
	now := time.Now()
	query.To, query.Classes = store.At(now), query.Classes&x.open(q, now)
	return x.Store.Due(ctx, query)
}

// claim returns nil if a claim as urgent or a report bars it, or if the mark was settled or comes too soon.
func (x *Engine) claim(ctx context.Context, m store.Mark, from queue) (*claim, error) {
	c, free := &claim{mark: m, from: from}, false
	x.locked(func() {
		holder := x.claims[m.ID]
		free = (holder == nil || !holder.looks && m.Class < holder.mark.Class) && !x.reporting[m.ID]
		if free {
			x.claims[m.ID] = c
		}
	})
	if !free {
		return nil, nil
	}
	ok, err := x.load(ctx, c)
	if at := x.gaps.putOff(c.mark, time.Now()); ok && !at.IsZero() {
		ok, err = false, x.putOff(ctx, c.mark, at, 0)
	}
	if !ok || err != nil {
		x.leave(c)
		return nil, err
	}
	return c, nil
}

// load reports whether the publication is still due.
func (x *Engine) load(ctx context.Context, c *claim) (ok bool, err error) {
	e, err := x.Store.Get(ctx, c.mark.ID)
	m := markOf(e, c.mark.Class)
	if err != nil || m == nil || m.At > store.At(time.Now()) {
		return false, err
	}
	x.locked(func() { c.mark = *m })
	if c.record, c.by = e.Record, *m; e.Hint != nil {
		c.hint = e.Hint.Gen
	}
	if m.Class == store.ClassHint { // serves the publication's own mark too
		if c.by = (store.Mark{ID: m.ID, Class: store.ClassSweep, At: m.At}); e.Mark != nil {
			c.by = e.Mark.Merge(c.by)
			c.by.Gen = e.Mark.Gen
		}
	}
	return true, nil
}

// beginLook fails if the claim was taken over, a report is being made, or the publication is no longer due.
func (x *Engine) beginLook(ctx context.Context, c *claim) (ok bool, err error) {
	x.locked(func() {
		hinted, now := c.mark.Class == store.ClassHint, time.Now()
		c.looks = x.claims[c.mark.ID] == c && !x.reporting[c.mark.ID] && (!hinted || x.hints.open(now))
		if c.looks && hinted {
			c.paid = c.admitted.Cost()
			x.hints.spend(c.paid, x.Market.Budget().RestoreRate, now)
		}
	})
	if !c.looks {
		return false, nil
	}
	return x.load(ctx, c)
}

func markOf(e store.Entry, class store.Class) *store.Mark {
	if class == store.ClassHint {
		return e.Hint
	}
	return e.Mark
}

// putOff delays a mark, unless it has changed meanwhile. tries is added to its failures in a row.
func (x *Engine) putOff(ctx context.Context, m store.Mark, at time.Time, tries int) error {
	_, err := x.Store.Change(ctx, []string{m.ID}, func(e *store.Entry) bool {
		now := markOf(*e, m.Class)
		if now == nil || now.Gen != m.Gen {
			return false
		}
		now.At, now.Tries = store.At(at), now.Tries+tries
		return true
	})
	return err
}

// leave ends a claim. The end of a look wakes idle loops.
func (x *Engine) leave(c *claim) {
	x.locked(func() {
		if x.claims[c.mark.ID] == c {
			delete(x.claims, c.mark.ID)
		}
	})
	if c.looks {
		x.due.Raise()
	}
}

// backlogged reports a backlog, which lasts until no other change is due: else its last changes would be read in
// full before all figures are right.
func (x *Engine) backlogged(ctx context.Context, id string) bool {
	was, least := x.Scarce != nil && x.Scarce(), leastBacklog
	x.locked(func() { was = was || x.backlog })
	if was {
		least = 1
	}
	due, _, err := x.dueIn(ctx, queueAny, store.DueQuery{
		Classes: upstream, Skip: slices.AppendSeq([]string{id}, maps.Keys(x.looked())), Limit: least,
	})
	more := err == nil && len(due) == least
	x.locked(func() { x.backlog = more })
	return more || was
}
