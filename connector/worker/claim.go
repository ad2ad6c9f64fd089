package worker

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A lane is what a worker takes: the urgent one only what somebody waits for, so that a backlog
// never stands before it.
type lane int

const (
	laneAny lane = iota
	laneUrgent
	laneTurn // what a backlog of new publications would starve: one look in TurnEvery is taken from it first
	// what is owed since long of changes whose figures alone were read: one look in restEvery is
	// taken from it first
	laneRest
	laneRules // prices by other rules, which cost no points: no backlog of looks that do stands before them
	laneLate  // the rests among them that have waited for as long as they may: half the points of all looks are theirs
)

// TurnEvery keeps an import that takes hours from hiding the changes of what is on sale already.
const TurnEvery = 8

// restEvery gives the rests of changes a share of the points, however many changes there are.
const restEvery = 4

// mostLate bounds the marks among which a rest is looked for: those of a full run may stand before
// it.
const mostLate = 1000

// allowed is the classes that a lane takes now.
func (w *Worker) allowed(l lane, now time.Time) store.ClassSet {
	var set store.ClassSet
	switch l {
	case laneUrgent:
		return store.ClassesOf(store.ClassAsked, store.ClassHook)
	case laneTurn:
		set = store.ClassesOf(store.ClassSweep, store.ClassHint)
	case laneRules:
		set = store.ClassesOf(store.ClassRules)
	case laneRest, laneLate:
		return store.ClassesOf(store.ClassFull)
	default:
		set = store.AllClasses
	}
	if !w.hints.Open(now) {
		set &^= store.ClassesOf(store.ClassHint)
	}
	if w.rulesWait.Load() {
		set &^= store.ClassesOf(store.ClassRules)
	}
	return set
}

// dueBy is the most urgent marks that are due by a time, of those classes that a lane takes, but
// for the publications in skip. next is when the first becomes due where there is none, 0 for
// never.
func (w *Worker) dueBy(ctx context.Context,
	l lane,
	classes store.ClassSet,
	skip map[string]store.Class,
	at time.Time,
	most int,
) (due []store.Mark, next store.Instant, err error) {
	ids := slices.AppendSeq(make([]string, 0, len(skip)), maps.Keys(skip))
	return w.store.Due(
		ctx,
		store.DueQuery{Classes: classes & w.allowed(l, at), To: store.At(at), Skip: ids, Limit: most},
	)
}

// claim takes the most urgent mark that is due and that nobody works on, of one of the classes in
// only. What only webhooks ask for too soon after the last look is put off: whether it is too soon
// is decided here, since the last look may have begun after the webhook was judged.
//
// Where there is none, next is when the first becomes due, 0 for never.
func (w *Worker) claim(
	ctx context.Context,
	l lane,
	only store.ClassSet,
) (m store.Mark, next store.Instant, ok bool, err error) {
	for {
		var at time.Time
		m, at, next, ok, err = w.claimOne(ctx, l, only)
		if err != nil || !ok || at.IsZero() {
			return m, next, ok, err
		}
		err = w.store.Defer(
			ctx,
			store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(at), Hint: m.Class == store.ClassHint},
		)
		w.unclaim(ctx, m)
		if err != nil {
			return m, 0, false, err
		}
	}
}

// claimOne claims one mark; at is the time to which it must be put off, zero when it need not, and
// next is as with claim.
func (w *Worker) claimOne(ctx context.Context,
	l lane,
	only store.ClassSet,
) (m store.Mark, at time.Time, next store.Instant, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	by, most := now, 1
	switch l {
	case laneRest:
		by = now.Add(-publication.RestWait)
	case laneLate:
		by, most = now.Add(-publication.RestMost), mostLate
	}
	if l == laneAny && w.figuresFirst() {
		only &= store.ClassesBefore(store.ClassFull)
	}
	due, next, err := w.dueBy(ctx, l, only, w.claimed, by, most)
	if l == laneLate {
		due = slices.DeleteFunc(due, func(m store.Mark) bool { return m.Cause&store.CauseRest == 0 })
	}
	if err != nil || len(due) == 0 {
		return m, at, next, false, err
	}
	m = due[0]
	w.claimed[m.ID] = m.Class
	if m.Class == store.ClassHint {
		w.hints.Begin()
	}
	return m, w.gaps.PutOff(m, now), 0, true, nil
}

// claimNext takes the most urgent mark, or when it is their turn one of those that more urgent ones
// would starve; from is the lane that it was taken from. Where there is none, next is when the
// first becomes due, 0 for never.
func (w *Worker) claimNext(
	ctx context.Context,
	l lane,
) (m store.Mark, next store.Instant, from lane, ok bool, err error) {
	if l == laneAny {
		for _, first := range w.turn(time.Now()) {
			if m, _, ok, err = w.claim(ctx, first, store.AllClasses); ok || err != nil {
				return m, 0, first, ok, err
			}
			if first == laneLate {
				w.rests.none(time.Now())
			}
		}
	}
	m, next, ok, err = w.claim(ctx, l, store.AllClasses)
	return m, next, l, ok, err
}

// turn is the lanes whose turn it is, before any other look.
func (w *Worker) turn(now time.Time) (first []lane) {
	n := w.turns.Add(1)
	if n%TurnEvery == 0 {
		first = append(first, laneTurn)
	}
	if w.rests.open(now) {
		first = append(first, laneLate)
	}
	if n%restEvery == restEvery/2 {
		first = append(first, laneRest)
	}
	return first
}

// priority is the place in the queue for the marketplace's points of a look that was taken from the
// lane.
func (l lane) priority(c store.Class) marketplace.Priority {
	switch l {
	case laneLate:
		return marketplace.Urgent
	case laneTurn, laneRest:
		return min(priorityOf(c), marketplace.News)
	default:
		return priorityOf(c)
	}
}

// before is the classes that go before a look that was taken from the lane, though it has been
// chosen.
func (l lane) before(c store.Class) store.ClassSet {
	switch l {
	case laneLate:
		return store.ClassesBefore(store.ClassHook)
	case laneTurn, laneRest:
		return store.ClassesBefore(store.ClassNew)
	default:
		return store.ClassesBefore(c)
	}
}

func (w *Worker) unclaim(ctx context.Context, m store.Mark) {
	w.mu.Lock()
	delete(w.claimed, m.ID)
	backlog := w.backlog && w.figuring == 0
	w.mu.Unlock()
	if backlog {
		w.endBacklog(ctx)
	}
	if m.Class == store.ClassHint {
		w.hints.End()
		w.removals.HintSpent()
	}
	w.idle.Raise()
	w.due.Raise()
}

// Idle is raised whenever a piece of work has ended.
func (w *Worker) Idle() *breaker.Signal { return w.idle }

// Busy is the number of publications being worked on.
func (w *Worker) Busy() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.claimed)
}

// BusyWith reports whether something such as which says is being worked on.
func (w *Worker) BusyWith(which func(id string, class store.Class) bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, class := range w.claimed {
		if which(id, class) {
			return true
		}
	}
	return false
}

// Classes are those that are worked on now.
func (w *Worker) Classes(now time.Time) store.ClassSet { return w.allowed(laneAny, now) }

// HoldRules keeps prices by other rules from being made until [Worker.LetRules]: what the supplier
// moved beside them is to be known first, so that the brake judges both together.
func (w *Worker) HoldRules() { w.rulesWait.Store(true) }

// LetRules ends HoldRules.
func (w *Worker) LetRules() {
	w.rulesWait.Store(false)
	w.due.Raise()
}
