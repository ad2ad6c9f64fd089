package schedule

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Claim is a mark that one worker looks at. It ends with [Schedule.End].
type Claim struct {
	Mark   store.Mark
	Record store.Record // as it was when the mark was claimed
	Hint   uint64       // the number of the hint that it had then; 0: none
	own    *store.Mark  // beside that; nil: there is none

	worker Queue // the queue of the worker that claimed it
	from   Queue // the queue whose turn it was
	at     time.Time
}

// Decides is the mark that a decision goes by: what an unsigned webhook asks for is a look beside the
// publication's own mark, and serves that too.
func (c Claim) Decides() store.Mark {
	if c.Mark.Class != store.ClassHint {
		return c.Mark
	}
	m := store.Mark{ID: c.Mark.ID, Class: store.ClassSweep}
	if c.own != nil {
		m = *c.own
		m.Class = min(m.Class, store.ClassSweep)
	}
	return m
}

// Priority is that of the look when it waits for the marketplace's points.
func (c Claim) Priority() marketplace.Priority { return c.from.priority(c.Mark.Class) }

// Next claims what a goroutine of a queue looks at next. Where there is nothing, ok is false and
// wait says when to ask again, unless [Options.Due] is raised before.
func (s *Schedule) Next(ctx context.Context, q Queue) (c Claim, wait time.Duration, ok bool, err error) {
	begun := time.Now()
	if q == Any {
		for _, first := range s.turn() {
			if c, _, ok, err = s.claim(ctx, q, first, store.AllClasses); ok || err != nil {
				return c, 0, ok, err
			}
		}
	}
	c, next, ok, err := s.claim(ctx, q, q, store.AllClasses)
	return c, s.wait(q, next, begun), ok, err
}

// wait is how long a goroutine of a queue sleeps when its first mark becomes due at next, 0 for
// never. now is before the marks were read: what has become open since then is asked for again at
// once.
func (s *Schedule) wait(q Queue, next store.Instant, now time.Time) time.Duration {
	wait := breaker.Idle
	if next != 0 {
		wait = min(wait, max(next.Time().Sub(now), time.Millisecond))
	}
	if until := s.o.Hints.Overdrawn(now); until > 0 && q == Any {
		wait = min(wait, until)
	}
	return wait
}

// claim claims the most urgent mark of the queue from whose class is in only, for a goroutine of
// the queue worker. Where there is none, next is when the first becomes due, 0 for never.
//
// A look that only webhooks ask for is put off where it comes too soon after the last one. That is
// decided after the claim: the last look may have begun after the webhook came.
func (s *Schedule) claim(
	ctx context.Context, worker, from Queue, only store.ClassSet,
) (c Claim, next store.Instant, ok bool, err error) {
	for {
		m, next, ok, err := s.first(ctx, from, only)
		if err != nil || !ok {
			return c, next, false, err
		}
		c, ok, err = s.claimMark(ctx, m)
		if err != nil {
			return c, 0, false, err
		}
		if !ok {
			continue // another goroutine was faster
		}
		c.worker, c.from = worker, from
		at := s.o.Gaps.PutOff(m, c.at)
		if at.IsZero() {
			return c, 0, true, nil
		}
		err = PutOff(ctx, s.o.Store, m, at, 0)
		s.End(ctx, c)
		if err != nil {
			return c, 0, false, err
		}
	}
}

// first is the most urgent mark of a queue that is due and not claimed, of one of the classes in
// only. Where there is none, next is when the first becomes due, 0 for never.
func (s *Schedule) first(
	ctx context.Context, q Queue, only store.ClassSet,
) (m store.Mark, next store.Instant, ok bool, err error) {
	if q == Any && s.claims.figuresFirst() {
		only &= store.ClassesBefore(store.ClassFull) | store.ClassesOf(store.ClassRules)
	}
	due, next, err := s.due(ctx, q, store.DueQuery{
		Classes: only, To: store.At(time.Now()), Skip: s.claims.ids(), Limit: 1,
	})
	if err != nil || len(due) == 0 {
		return m, next, false, err
	}
	return due[0], 0, true, nil
}

// due is the marks of a queue that a query asks for. Where there is none, next is when the first
// becomes due, 0 for never.
func (s *Schedule) due(
	ctx context.Context, q Queue, query store.DueQuery,
) (due []store.Mark, next store.Instant, err error) {
	query.Classes &= s.open(q, time.Now())
	return s.o.Store.Due(ctx, query)
}

// claimMark claims a mark that was read. ok is false where it is claimed already, or has changed
// since.
func (s *Schedule) claimMark(ctx context.Context, m store.Mark) (c Claim, ok bool, err error) {
	c = Claim{Mark: m, at: time.Now()}
	if !s.claims.add(m, func() bool { return s.beginHint(m, c.at) }) {
		return c, false, nil
	}
	e, err := s.o.Store.Get(ctx, m.ID)
	if now := markOf(e, m.Class); err == nil && now != nil && now.Gen == m.Gen && now.At == m.At {
		c.Record, c.own = e.Record, e.Mark
		if e.Hint != nil {
			c.Hint = e.Hint.Gen
		}
		return c, true, nil
	}
	s.free(ctx, m)
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

// PutOff has a mark due at a later time, where no other came meanwhile. tries is how many failures in a
// row that adds.
func PutOff(ctx context.Context, s Store, m store.Mark, at time.Time, tries int) error {
	_, err := s.Change(ctx, []string{m.ID}, func(e *store.Entry) bool {
		now := markOf(*e, m.Class)
		if now == nil || now.Gen != m.Gen {
			return false
		}
		now.At, now.Tries = store.At(at), now.Tries+tries
		return true
	})
	return err
}

// beginHint reports whether a mark may be looked at. Of the looks that unsigned webhooks lead to,
// one may be under way at a time; beginHint begins it.
func (s *Schedule) beginHint(m store.Mark, now time.Time) bool {
	if m.Class != store.ClassHint {
		return true
	}
	if !s.o.Hints.Open(now) {
		return false
	}
	s.o.Hints.Begin()
	return true
}

// End ends a claim.
func (s *Schedule) End(ctx context.Context, c Claim) {
	s.free(ctx, c.Mark)
	if c.Mark.Class == store.ClassHint {
		s.o.HintSpent()
	}
}

// free ends the claim of a mark, and wakes the goroutines that found nothing else.
func (s *Schedule) free(ctx context.Context, m store.Mark) {
	last := s.claims.remove(m.ID)
	if m.Class == store.ClassHint {
		s.o.Hints.End()
	}
	if last {
		s.judgeBacklog(ctx)
	}
	s.idle.Raise()
	s.o.Due.Raise()
}

// longComing is how long a look waits for its points before the schedule checks whether another has
// become more urgent.
const longComing = 10 * time.Millisecond

// Overtaking claims a mark that has become more urgent than c while c waited for its points. It
// does not end c.
func (s *Schedule) Overtaking(ctx context.Context, c Claim) (urgent Claim, ok bool) {
	if time.Since(c.at) < longComing {
		return urgent, false
	}
	urgent, _, ok, err := s.claim(ctx, c.worker, c.worker, c.from.before(c.Mark.Class))
	return urgent, ok && err == nil
}

// Join claims others that are due like first and may be read with it, at most so many. free is
// asked before one is claimed, fits when its record has been read. A look that a hint pays for is
// made alone. So is a look of the queue Urgent: what comes there next waits for no others.
func (s *Schedule) Join(
	ctx context.Context, first Claim, most int, free func(id string) bool, fits func(store.Mark, store.Record) bool,
) (others []Claim) {
	if first.Mark.Class == store.ClassHint || first.worker == Urgent {
		return nil
	}
	due, _, err := s.due(ctx, first.worker, store.DueQuery{
		Classes: store.ClassesOf(first.Mark.Class), To: store.At(time.Now()), Skip: s.claims.ids(), Limit: most + 1,
	})
	if err != nil {
		return nil
	}
	for _, m := range due {
		if len(others) == most {
			break
		}
		if !free(m.ID) || !s.o.Gaps.PutOff(m, time.Now()).IsZero() {
			continue
		}
		c, ok, err := s.claimMark(ctx, m)
		if err != nil {
			break
		}
		if !ok {
			continue
		}
		c.worker, c.from = first.worker, first.worker
		if !fits(m, c.Record) {
			s.free(ctx, m) // it is claimed alone
			continue
		}
		others = append(others, c)
	}
	return others
}
