package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A queue is the classes whose marks a goroutine looks at, the most urgent class first and then the earliest.
type queue = store.ClassSet

// The queues of the goroutines that look. From queueChanges one of queueAny claims when it is its turn.
const (
	queueAny     queue = store.AllClasses
	queueUrgent  queue = 1<<store.ClassAsked | 1<<store.ClassHook // what somebody waits for: it waits for no backlog
	queueRules   queue = 1 << store.ClassRules                    // costs no points: it waits for no look that does
	queueChanges queue = 1<<store.ClassSweep | 1<<store.ClassHint // a backlog of new publications would starve them

	changesEvery = 8 // every how many looks one is claimed from the changes first

	// upstream are the classes of what changed upstream. A backlog is many such changes that are due. During one,
	// prices and stock come first: a look reads the figures of several changes, and writes them. The remainder of
	// each change is read once nothing more urgent is due.
	upstream     queue = 1<<store.ClassHook | 1<<store.ClassSweep | 1<<store.ClassHint
	leastBacklog       = 20 // fewer looks are read in full within seconds
)

// A schedule is which publications are being looked at and reported, kept in memory alone: a mark stays in the
// store until its look is settled. A goroutine chooses the most urgent mark, buys the points that its look
// needs, and only then claims what is most urgent: a claim waits for no points.
type schedule struct {
	hints     share // what looks that unsigned webhooks lead to may cost
	gaps      gaps
	turns     atomic.Uint64
	rulesWait atomic.Bool // prices by changed rules wait: the brake judges them with the supplier's own changes

	claims    map[string]chosen
	reporting map[string]bool // neither looked at nor reported twice meanwhile
	backlog   bool            // there was one at the last look at a change
}

// A chosen publication is being looked at, or the points of its look are being bought.
type chosen struct {
	class store.Class
	looks bool
}

// A claim is a mark that one goroutine has chosen or looks at, until Engine.leave.
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
	p := map[store.Class]marketplace.Priority{
		store.ClassAsked: marketplace.Urgent, store.ClassHook: marketplace.Urgent, store.ClassNew: marketplace.News,
		store.ClassSweep: marketplace.Sweep, store.ClassHint: marketplace.Sweep, store.ClassRules: marketplace.Sweep,
		store.ClassFull: marketplace.Resync, store.ClassRefresh: marketplace.Refresh,
	}[c.mark.Class]
	if c.from == queueChanges {
		p = min(p, marketplace.News)
	}
	return p
}

// open is the classes of a queue that may be looked at now.
func (x *Engine) open(q queue, now time.Time) store.ClassSet {
	if !x.hints.open(now) {
		q &^= 1 << store.ClassHint
	}
	if x.rulesWait.Load() {
		q &^= queueRules
	}
	return q
}

// looked are the publications that are being looked at.
func (x *Engine) looked() map[string]store.Class {
	looked := map[string]store.Class{}
	x.locked(func() {
		for id, c := range x.claims {
			if c.looks {
				looked[id] = c.class
			}
		}
	})
	return looked
}

// mayChoose reports whether a goroutine of a queue may choose a publication, or with looks begin to look at it:
// own is the one that it has chosen itself. What has become urgent waits for no goroutine that buys points at a
// lesser priority. The caller holds the mutex.
func (s *schedule) mayChoose(id, own string, worker queue) bool {
	c, taken := s.claims[id]
	free := !taken || id == own || worker == queueUrgent && c.class > store.ClassHook
	return free && !c.looks && !s.reporting[id]
}

// notFor are the publications that a goroutine of a queue may not choose.
func (x *Engine) notFor(worker queue, own string) (ids []string) {
	x.locked(func() {
		for id := range x.reporting {
			ids = append(ids, id)
		}
		for id := range x.claims {
			if !x.mayChoose(id, own, worker) {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// choose is what a goroutine of a queue is to look at next, and buys the points for: others do not choose it
// meanwhile. Where there is nothing, wait says when to ask again, unless due is raised before.
func (x *Engine) choose(ctx context.Context, worker queue) (c claim, wait time.Duration, ok bool, err error) {
	begun := time.Now() // what has become open since then is asked for again at once
	turn := []queue{worker}
	if worker == queueAny && x.turns.Add(1)%changesEvery == 0 {
		turn = []queue{queueChanges, worker}
	}
	var next store.Instant
	for _, from := range turn {
		c, next, ok, err = x.claim(ctx, worker, from, "", false)
		if ok || err != nil {
			return c, 0, ok, err
		}
	}
	wait = quiet
	if next != 0 {
		wait = min(wait, max(next.Time().Sub(begun), time.Millisecond))
	}
	if paid := x.hints.wait(begun, Idle); paid > 0 && worker == queueAny {
		wait = min(wait, paid)
	}
	return c, wait, false, nil
}

// claim claims the most urgent mark of a queue for a goroutine of the queue worker, which has chosen own before.
// With looks its look begins now. Where there is none, next is when the first becomes due, 0 for never. A mark that
// only webhooks ask for is put off where it comes too soon after the last look that they led to: under a claim,
// since that look may have been under way.
func (x *Engine) claim(
	ctx context.Context, worker, from queue, own string, looks bool,
) (c claim, next store.Instant, ok bool, err error) {
	for {
		due, next, err := x.dueIn(ctx, from, store.DueQuery{
			Classes: store.AllClasses, Skip: x.notFor(worker, own), Limit: 1,
		})
		if err != nil || len(due) == 0 {
			return c, next, false, err
		}
		if c, ok, err = x.claimMark(ctx, due[0], worker, own, looks); err != nil {
			return c, 0, false, err
		} else if !ok {
			continue // another goroutine was faster
		}
		at := x.gaps.putOff(c.mark, time.Now())
		if at.IsZero() {
			c.from = from
			return c, 0, true, nil
		}
		err = x.putOff(ctx, c.mark, at, 0)
		if x.leave(c.mark, looks); err != nil {
			return c, 0, false, err
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

// claimMark claims a mark that was read. ok is false where the publication is claimed already, or the mark has
// changed since: a look that has ended meanwhile may have settled it or put it off.
func (x *Engine) claimMark(
	ctx context.Context, m store.Mark, worker queue, own string, looks bool,
) (c claim, ok bool, err error) {
	x.locked(func() {
		if ok = x.mayChoose(m.ID, own, worker); !ok {
			return
		}
		if looks && m.Class == store.ClassHint && !x.hints.begin(time.Now()) {
			ok = false
			return
		}
		x.claims[m.ID] = chosen{m.Class, looks}
	})
	if !ok {
		return c, false, nil
	}
	e, err := x.Store.Get(ctx, m.ID)
	now := markOf(e, m.Class)
	if err != nil || now == nil || now.Gen != m.Gen || now.At != m.At {
		x.leave(m, looks)
		return c, false, err
	}
	c = claim{mark: m, record: e.Record, own: e.Mark, worker: worker, from: worker}
	if e.Hint != nil {
		c.hint = e.Hint.Gen
	}
	return c, true, nil
}

// markOf is the mark of an entry that is due in a class, nil where it has none.
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

// leave ends the claim of a mark. The end of a look wakes the goroutines that found nothing else.
func (x *Engine) leave(m store.Mark, looks bool) {
	passed := false
	x.locked(func() {
		if x.claims[m.ID].looks == looks { // else another goroutine looks at it by now
			delete(x.claims, m.ID)
		}
		if looks {
			passed, x.passed = x.passed, false
		}
	})
	if passed {
		x.owed.Raise()
	}
	if !looks {
		return
	}
	if m.Class == store.ClassHint {
		x.hints.end()
		x.asked.Raise() // a sweep may wait for the budget too
	}
	x.idle.Raise()
	x.due.Raise()
}

// join has a batch read others that are due like the first, and need the same: other goroutines do not choose
// them. A look that a hint pays for is made alone. So is a look of queueUrgent: what comes there next waits for no
// others.
func (x *Engine) join(ctx context.Context, b *batch) {
	first, most, fits := b.claims[0], mostFigured, x.figured(b.set)
	if b.kind == byEntry {
		most, fits = mostLight, unmade
	}
	if b.kind != byEntry && b.kind != byFigures || first.mark.Class == store.ClassHint || first.worker == queueUrgent {
		return
	}
	due, _, err := x.dueIn(ctx, first.worker, store.DueQuery{
		Classes: 1 << first.mark.Class, Skip: x.notFor(first.worker, ""), Limit: most - 1,
	})
	for _, m := range due {
		if err != nil || !x.gaps.putOff(m, time.Now()).IsZero() {
			continue
		}
		var c claim
		var ok bool
		if c, ok, err = x.claimMark(ctx, m, first.worker, "", false); ok && fits(m, c.record) {
			b.claims = append(b.claims, c)
		} else if ok {
			x.leave(m, false)
		}
	}
}

// backlogged reports whether there is a backlog beside the change that is about to be looked at. Once there is
// one it lasts until no other change is due, be it chosen or not: else its last changes would be read in full
// before the prices and stock of all are right.
func (x *Engine) backlogged(ctx context.Context, id string) bool {
	was, least, skip := x.Scarce != nil && x.Scarce(), leastBacklog, []string{id}
	for other := range x.looked() {
		skip = append(skip, other)
	}
	x.locked(func() { was = was || x.backlog })
	if was {
		least = 1
	}
	due, _, err := x.dueIn(ctx, queueAny, store.DueQuery{Classes: upstream, Skip: skip, Limit: least})
	more := err == nil && len(due) == least
	x.locked(func() { x.backlog = more })
	return more || was
}
