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

// A queue is a part of the due set, whose marks are claimed by class and time.
type queue int

// The queues. The first three are those of the goroutines that look. From the others one of queueAny
// claims when it is their turn.
const (
	queueAny     queue = iota
	queueUrgent        // only what somebody waits for: it waits for no backlog
	queueRules         // prices by changed rules, which cost no points: they wait for no look that does
	queueChanges       // of what is on sale: a backlog of new publications would starve them
	queueWhole         // what is to be read whole, however many changes there are
)

const (
	changesEvery = 8 // every how many looks one is claimed from the changes first
	wholeEvery   = 4 // the same during a backlog for what is to be read whole
)

// A schedule is which publications are being looked at and reported, kept in memory alone: a mark stays in the
// store until its look is settled. A claim is made in three steps: the due set is read, the publication is claimed
// unless another goroutine was faster, and its mark is read again, since a look that has ended meanwhile may have
// settled it.
type schedule struct {
	hints     share // what looks that unsigned webhooks lead to may cost
	turns     atomic.Uint64
	rulesWait atomic.Bool // prices by changed rules wait: the brake judges them with the supplier's own changes

	looking   map[string]store.Class
	reporting map[string]chan struct{} // closed when the attempt at the report has ended
	backlog   bool                     // more changes are due than the points pay for soon
	figuring  int                      // looks by figures that are under way
}

func (x *Engine) claims() (claimed map[string]store.Class) {
	x.locked(func() { claimed = maps.Clone(x.looking) })
	return claimed
}

func (x *Engine) claimedIDs() []string { return slices.Collect(maps.Keys(x.claims())) }

func (x *Engine) busy() int { return len(x.claims()) }

// reported is closed when the report of a publication that is under way has ended; nil where none is.
func (x *Engine) reported(id string) (ended <-chan struct{}) {
	x.locked(func() { ended = x.reporting[id] })
	return ended
}

// A claim is a mark that one goroutine looks at, until Engine.end.
type claim struct {
	mark   store.Mark
	record store.Record // as it was when the mark was claimed
	hint   uint64       // the number of the hint that it had then; 0: none
	own    *store.Mark  // beside that; nil: there is none

	worker queue // of the goroutine that claimed it
	from   queue // whose turn it was
	at     time.Time
}

// decides is the mark that a decision goes by: what an unsigned webhook asks for is a look beside the
// publication's own mark, and serves that too.
func (c claim) decides() store.Mark {
	if c.mark.Class != store.ClassHint {
		return c.mark
	}
	m := store.Mark{ID: c.mark.ID, Class: store.ClassSweep}
	if c.own != nil {
		m = *c.own
		m.Class = min(m.Class, store.ClassSweep)
	}
	return m
}

func (c claim) inTurn() bool { return c.from == queueChanges || c.from == queueWhole }

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
	if c.inTurn() {
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
	case queueWhole:
		return store.ClassesOf(store.ClassFull)
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
func (x *Engine) turnOf(q queue) (from []queue) {
	if q == queueAny {
		n := x.turns.Add(1)
		if n%changesEvery == 0 {
			from = append(from, queueChanges)
		}
		if n%wholeEvery == wholeEvery/2 && x.backlogged() {
			from = append(from, queueWhole)
		}
	}
	return append(from, q)
}

// next claims what a goroutine of a queue looks at next. Where there is nothing, ok is false and wait
// says when to ask again, unless due is raised before.
func (x *Engine) next(ctx context.Context, q queue) (c claim, wait time.Duration, ok bool, err error) {
	begun := time.Now() // what has become open since then is asked for again at once
	var first store.Instant
	for _, from := range x.turnOf(q) {
		if c, first, ok, err = x.claim(ctx, q, from, store.AllClasses); ok || err != nil {
			return c, 0, ok, err
		}
	}
	wait = breaker.Idle
	if first != 0 {
		wait = min(wait, max(first.Time().Sub(begun), time.Millisecond))
	}
	if paid := x.hints.wait(begun, breaker.Idle); paid > 0 && q == queueAny {
		wait = min(wait, paid)
	}
	return c, wait, false, nil
}

// claim claims the most urgent mark of the queue from whose class is in only, for a goroutine of the
// queue worker. Where there is none, next is when the first becomes due, 0 for never.
//
// A look that only webhooks ask for is put off where it comes too soon after the last one. That is
// decided after the claim: the last look may have begun after the webhook came.
func (x *Engine) claim(
	ctx context.Context, worker, from queue, only store.ClassSet,
) (c claim, next store.Instant, ok bool, err error) {
	for {
		if from == queueAny && x.figuresFirst() {
			only &= store.ClassesBefore(store.ClassFull) | store.ClassesOf(store.ClassRules)
		}
		due, next, err := x.dueIn(ctx, from, store.DueQuery{Classes: only, Skip: x.claimedIDs(), Limit: 1})
		if err != nil || len(due) == 0 {
			return c, next, false, err
		}
		c, ok, err = x.claimMark(ctx, due[0])
		if err != nil {
			return c, 0, false, err
		}
		if !ok {
			continue // another goroutine was faster
		}
		c.worker, c.from = worker, from
		at := x.Gaps.PutOff(c.mark, c.at)
		if at.IsZero() {
			return c, 0, true, nil
		}
		err = x.putOff(ctx, c.mark, at, 0)
		x.end(ctx, c)
		if err != nil {
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

// claimMark claims a mark that was read. ok is false where the publication is claimed already, or the
// mark has changed since.
func (x *Engine) claimMark(ctx context.Context, m store.Mark) (c claim, ok bool, err error) {
	c = claim{mark: m, at: time.Now()}
	x.locked(func() {
		if _, claimed := x.looking[m.ID]; claimed || m.Class == store.ClassHint && !x.hints.begin(c.at) {
			return
		}
		x.looking[m.ID], ok = m.Class, true
	})
	if !ok {
		return c, false, nil
	}
	e, err := x.Store.Get(ctx, m.ID)
	if now := markOf(e, m.Class); err == nil && now != nil && now.Gen == m.Gen && now.At == m.At {
		c.record, c.own = e.Record, e.Mark
		if e.Hint != nil {
			c.hint = e.Hint.Gen
		}
		return c, true, nil
	}
	x.free(ctx, m)
	return c, false, err
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

func (x *Engine) end(ctx context.Context, c claim) {
	x.free(ctx, c.mark)
	if c.mark.Class == store.ClassHint {
		x.asked.Raise() // a sweep may wait for the budget too
	}
}

// free ends the claim of a mark, and wakes the goroutines that found nothing else.
func (x *Engine) free(ctx context.Context, m store.Mark) {
	last := false
	x.locked(func() {
		delete(x.looking, m.ID)
		last = x.backlog && x.figuring == 0
	})
	if m.Class == store.ClassHint {
		x.hints.end()
	}
	if last {
		x.judgeBacklog(ctx)
	}
	x.idle.Raise()
	x.due.Raise()
}

// longComing is how long a look waits for its points before it is checked whether another has become more
// urgent.
const longComing = 10 * time.Millisecond

// overtaking claims a mark that has become more urgent than c while c waited for its points. It does not
// end c.
func (x *Engine) overtaking(ctx context.Context, c claim) (urgent claim, ok bool) {
	if time.Since(c.at) < longComing {
		return urgent, false
	}
	before := store.ClassesBefore(c.mark.Class)
	if c.inTurn() {
		before = store.ClassesBefore(store.ClassNew)
	}
	urgent, _, ok, err := x.claim(ctx, c.worker, c.worker, before)
	return urgent, ok && err == nil
}

// join claims others that are due like first and may be read with it, at most so many; fits is asked when
// a record has been read. A look that a hint pays for is made alone. So is a look of queueUrgent: what
// comes there next waits for no others.
func (x *Engine) join(
	ctx context.Context, first claim, most int, fits func(store.Mark, store.Record) bool,
) (others []claim) {
	if first.mark.Class == store.ClassHint || first.worker == queueUrgent {
		return nil
	}
	due, _, err := x.dueIn(ctx, first.worker, store.DueQuery{
		Classes: store.ClassesOf(first.mark.Class), Skip: x.claimedIDs(), Limit: most + 1,
	})
	if err != nil {
		return nil
	}
	for _, m := range due {
		if len(others) == most {
			break
		}
		if x.reported(m.ID) != nil || !x.Gaps.PutOff(m, time.Now()).IsZero() {
			continue
		}
		c, ok, err := x.claimMark(ctx, m)
		if err != nil {
			break
		}
		c.worker, c.from = first.worker, first.worker
		switch {
		case !ok:
		case !fits(m, c.record):
			x.free(ctx, m) // it is claimed alone
		default:
			others = append(others, c)
		}
	}
	return others
}
