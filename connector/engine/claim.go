package engine

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A queue is a part of the due set, whose marks are looked at by class and time.
type queue int

// The queues. The first three are those of the goroutines that look. From the last, one of queueAny claims
// when it is its turn.
const (
	queueAny     queue = iota
	queueUrgent        // only what somebody waits for: it waits for no backlog
	queueRules         // prices by changed rules, which cost no points: they wait for no look that does
	queueChanges       // of what is on sale: a backlog of new publications would starve them
)

const changesEvery = 8 // every how many looks one is claimed from the changes first

// A backlog is many due changes. During one, prices and stock come first: a look reads the figures of several
// changes, and writes them. The remainder of each change is read once nothing more urgent is due.
const (
	leastBacklog = 20 // fewer looks are read in full within seconds

	// upstream are the classes of what changed upstream.
	upstream store.ClassSet = 1<<store.ClassHook | 1<<store.ClassSweep | 1<<store.ClassHint
)

// A schedule is which publications are being looked at and reported, kept in memory alone: a mark stays in the
// store until its look is settled. A goroutine peeks at the most urgent mark, buys the points that its look
// needs, and only then claims what is most urgent: a claim waits for no points.
type schedule struct {
	hints     share // what looks that unsigned webhooks lead to may cost
	gaps      gaps
	turns     atomic.Uint64
	rulesWait atomic.Bool // prices by changed rules wait: the brake judges them with the supplier's own changes

	looking   map[string]store.Class
	buying    map[string]store.Class // a goroutine buys the points of their looks
	reporting map[string]bool        // neither looked at nor reported twice meanwhile
	backlog   bool                   // there was one at the last look at a change
}

func (x *Engine) claims() (claimed map[string]store.Class) {
	x.locked(func() { claimed = maps.Clone(x.looking) })
	return claimed
}

func (x *Engine) busy() int { return len(x.claims()) }

// spoken are the publications that are looked at or reported, and those for which other goroutines than one of
// a queue buy points. What has become urgent meanwhile waits for no goroutine that buys at a lesser priority.
func (x *Engine) spoken(q queue) (ids []string) {
	x.locked(func() {
		ids = slices.AppendSeq(slices.Collect(maps.Keys(x.looking)), maps.Keys(x.reporting))
		for id, class := range x.buying {
			if q != queueUrgent || class <= store.ClassHook {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// A claim is a mark that one goroutine looks at, until Engine.end.
type claim struct {
	mark   store.Mark
	record store.Record // as it was when the mark was claimed
	hint   uint64       // the number of the hint that it had then; 0: none
	own    *store.Mark  // beside that; nil: there is none

	worker queue // of the goroutine that claimed it
	from   queue // whose turn it was
}

// decides is the mark that a decision goes by: what an unsigned webhook asks for is a look beside the
// publication's own mark, and serves that too.
func (c claim) decides() store.Mark {
	if c.mark.Class != store.ClassHint {
		return c.mark
	}
	m := store.Mark{ID: c.mark.ID, Class: store.ClassSweep, At: c.mark.At}
	if c.own != nil {
		gen := c.own.Gen
		m = c.own.Merge(m)
		m.Gen = gen
	}
	return m
}

func (c claim) priority() marketplace.Priority {
	p := marketplace.Refresh
	switch c.mark.Class {
	case store.ClassAsked, store.ClassHook:
		p = marketplace.Urgent
	case store.ClassNew:
		p = marketplace.News
	case store.ClassSweep, store.ClassHint, store.ClassRules:
		p = marketplace.Sweep
	case store.ClassFull:
		p = marketplace.Resync
	}
	if c.from == queueChanges {
		p = min(p, marketplace.News)
	}
	return p
}

// open is the classes that a queue holds now.
func (x *Engine) open(q queue, now time.Time) store.ClassSet {
	set := store.AllClasses
	switch q {
	case queueUrgent:
		return store.ClassesOf(store.ClassAsked, store.ClassHook)
	case queueChanges:
		set = store.ClassesOf(store.ClassSweep, store.ClassHint)
	case queueRules:
		set = store.ClassesOf(store.ClassRules)
	}
	if !x.hints.open(now) {
		set &^= store.ClassesOf(store.ClassHint)
	}
	if x.rulesWait.Load() {
		set &^= store.ClassesOf(store.ClassRules)
	}
	return set
}

// turnOf is the queues from which a goroutine of one claims, in their order.
func (x *Engine) turnOf(q queue) []queue {
	if q == queueAny && x.turns.Add(1)%changesEvery == 0 {
		return []queue{queueChanges, q}
	}
	return []queue{q}
}

// peek is what a goroutine of a queue is to look at next, and buys the points for: others do not peek at it
// until unwant. Where there is nothing, wait says when to ask again, unless due is raised before.
func (x *Engine) peek(ctx context.Context, q queue) (c claim, wait time.Duration, ok bool, err error) {
	begun := time.Now() // what has become open since then is asked for again at once
	var first store.Instant
	for _, from := range x.turnOf(q) {
		for {
			var m *store.Mark
			if m, first, err = x.mostUrgent(ctx, q, from); err != nil {
				return c, 0, false, err
			}
			if m == nil {
				break
			}
			if !x.want(q, *m) {
				continue // another goroutine was faster
			}
			if c, ok, err = x.load(ctx, *m); ok {
				c.worker, c.from = q, from
				return c, 0, true, nil
			}
			x.unwant(m.ID) // its look has just ended
			if err != nil {
				return c, 0, false, err
			}
		}
	}
	wait = quiet
	if first != 0 {
		wait = min(wait, max(first.Time().Sub(begun), time.Millisecond))
	}
	if paid := x.hints.wait(begun, breaker.Idle); paid > 0 && q == queueAny {
		wait = min(wait, paid)
	}
	return c, wait, false, nil
}

func (x *Engine) want(q queue, m store.Mark) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, buys := x.buying[m.ID]; buys && q != queueUrgent {
		return false
	}
	x.buying[m.ID] = m.Class
	return true
}

func (x *Engine) unwant(id string) { x.locked(func() { delete(x.buying, id) }) }

// claim claims the most urgent mark of the queue from for a goroutine of the queue worker.
func (x *Engine) claim(ctx context.Context, worker, from queue) (c claim, ok bool, err error) {
	for {
		m, _, err := x.mostUrgent(ctx, worker, from)
		if m == nil || err != nil {
			return c, false, err
		}
		c, ok, err = x.claimMark(ctx, *m)
		if c.worker, c.from = worker, from; ok || err != nil {
			return c, ok, err
		}
	}
}

// mostUrgent is the mark of a queue that a goroutine of one is to look at next. Where there is none it is nil, and
// next is when the first becomes due, 0 for never. One that only webhooks ask for is put off where it comes too soon
// after the last look that they led to: under a claim, since that look may be under way.
func (x *Engine) mostUrgent(ctx context.Context, worker, from queue) (m *store.Mark, next store.Instant, err error) {
	for {
		due, next, err := x.dueIn(ctx, from, store.DueQuery{
			Classes: store.AllClasses, Skip: x.spoken(worker), Limit: 1,
		})
		if err != nil || len(due) == 0 {
			return nil, next, err
		}
		if x.gaps.putOff(due[0], time.Now()).IsZero() {
			return &due[0], 0, nil
		}
		c, ok, err := x.claimMark(ctx, due[0])
		if ok {
			if at := x.gaps.putOff(c.mark, time.Now()); !at.IsZero() {
				err = x.putOff(ctx, c.mark, at, 0)
			}
			x.end(c.mark)
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// dueIn is the marks of a queue that a query asks for and that are due. Where there is none, next is when
// the first becomes due, 0 for never.
func (x *Engine) dueIn(
	ctx context.Context, q queue, query store.DueQuery,
) (due []store.Mark, next store.Instant, err error) {
	now := time.Now()
	query.To, query.Classes = store.At(now), query.Classes&x.open(q, now)
	return x.Store.Due(ctx, query)
}

// load reads the entry of a mark. ok is false where the mark has changed since it was read.
func (x *Engine) load(ctx context.Context, m store.Mark) (c claim, ok bool, err error) {
	e, err := x.Store.Get(ctx, m.ID)
	now := markOf(e, m.Class)
	if err != nil || now == nil || now.Gen != m.Gen || now.At != m.At {
		return c, false, err
	}
	c = claim{mark: m, record: e.Record, own: e.Mark}
	if e.Hint != nil {
		c.hint = e.Hint.Gen
	}
	return c, true, nil
}

// claimMark claims a mark that was read. ok is false where the publication is claimed already, or the
// mark has changed since: a look that has ended meanwhile may have settled it.
func (x *Engine) claimMark(ctx context.Context, m store.Mark) (c claim, ok bool, err error) {
	x.locked(func() {
		if _, claimed := x.looking[m.ID]; claimed || x.reporting[m.ID] ||
			m.Class == store.ClassHint && !x.hints.begin(time.Now()) {
			return
		}
		x.looking[m.ID], ok = m.Class, true
	})
	if !ok {
		return c, false, nil
	}
	if c, ok, err = x.load(ctx, m); !ok {
		x.end(m)
	}
	return c, ok, err
}

// markOf is the mark of an entry that is due in a class, nil where it has none. A look that began and
// ended since may have settled it or put it off.
func markOf(e store.Entry, class store.Class) *store.Mark {
	if class == store.ClassHint {
		return e.Hint
	}
	return e.Mark
}

// putOff has a mark due at a later time, where no other came meanwhile. tries is how many failures in a
// row that adds.
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

// end ends the claim of a mark, and wakes the goroutines that found nothing else.
func (x *Engine) end(m store.Mark) {
	var passed bool
	x.locked(func() {
		delete(x.looking, m.ID)
		passed, x.passed = x.passed, false
	})
	if passed {
		x.owed.Raise()
	}
	if m.Class == store.ClassHint {
		x.hints.end()
		x.asked.Raise() // a sweep may wait for the budget too
	}
	x.idle.Raise()
	x.due.Raise()
}

// join has a batch read others that are due like the first, and fit: other goroutines do not peek at them. A look
// that a hint pays for is made alone. So is a look of queueUrgent: what comes there next waits for no others.
func (x *Engine) join(ctx context.Context, b *batch, most int, fits func(store.Mark, store.Record) bool) {
	first := b.claims[0]
	if first.mark.Class == store.ClassHint || first.worker == queueUrgent {
		return
	}
	due, _, err := x.dueIn(ctx, first.worker, store.DueQuery{
		Classes: store.ClassesOf(first.mark.Class), Skip: x.spoken(first.worker), Limit: most - 1,
	})
	for _, m := range due {
		if err != nil || !x.gaps.putOff(m, time.Now()).IsZero() || !x.want(first.worker, m) {
			continue
		}
		var c claim
		var ok bool
		if c, ok, err = x.load(ctx, m); ok && fits(m, c.record) {
			b.claims = append(b.claims, c)
		} else {
			x.unwant(m.ID)
		}
	}
}

// backlogged reports whether there is a backlog beside the change that is about to be looked at. Once there is
// one it lasts until no other change is due: else its last changes would be read in full before the prices and
// stock of all are right.
func (x *Engine) backlogged(ctx context.Context) bool {
	was, most := x.Scarce != nil && x.Scarce(), leastBacklog-1
	x.locked(func() { was = was || x.backlog })
	if was {
		most = 0
	}
	due, _, err := x.dueIn(ctx, queueAny, store.DueQuery{Classes: upstream, Skip: x.spoken(queueAny), Limit: most + 1})
	more := err == nil && len(due) > most
	x.locked(func() { x.backlog = more })
	return more || was
}
