package worker

import (
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A lane is what a worker takes: the urgent one only what somebody waits for, so that a backlog never stands before it.
type lane int

const (
	laneAny lane = iota
	laneUrgent
	laneTurn // what a backlog of new publications would starve: one look in TurnEvery is taken from it first
	laneRest // what is owed since long of changes whose figures alone were read: one look in restEvery is taken from it first
)

// TurnEvery keeps an import that takes hours from hiding the changes of what is on sale already.
const TurnEvery = 8

// restEvery gives the rests of changes a share of the points, however many changes there are.
const restEvery = 4

// allowed is the classes that a lane takes now.
func (w *Worker) allowed(l lane, now time.Time) store.ClassSet {
	var set store.ClassSet
	switch l {
	case laneUrgent:
		return store.ClassesOf(store.ClassAsked, store.ClassHook)
	case laneTurn:
		set = store.ClassesOf(store.ClassSweep, store.ClassHint)
	case laneRest:
		return store.ClassesOf(store.ClassFull)
	default:
		set = store.AllClasses
	}
	if !w.hints.Open(now) {
		set &^= store.ClassesOf(store.ClassHint)
	}
	return set
}

// dueBy is the most urgent marks that are due by a time, of those classes that a lane takes, but for the publications in skip. next is when the first becomes
// due where there is none, 0 for never.
func (w *Worker) dueBy(l lane, classes store.ClassSet, skip map[string]store.Class, at time.Time, most int) (due []store.Mark, next store.Instant, err error) {
	return w.store.Due(store.DueQuery{Classes: classes & w.allowed(l, at), To: store.At(at), Skip: slices.Collect(maps.Keys(skip)), Limit: most})
}

// claim takes the most urgent mark that is due and that nobody works on, of one of the classes in only. What only webhooks ask for too soon after the last look
// is put off: whether it is too soon is decided here, since the last look may have begun after the webhook was judged.
//
// Where there is none, next is when the first becomes due, 0 for never.
func (w *Worker) claim(l lane, only store.ClassSet) (m store.Mark, next store.Instant, ok bool, err error) {
	for {
		var at time.Time
		m, at, next, ok, err = w.claimOne(l, only)
		if err != nil || !ok || at.IsZero() {
			return m, next, ok, err
		}
		err = w.store.Defer(store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(at), Hint: m.Class == store.ClassHint})
		w.unclaim(m)
		if err != nil {
			return m, 0, false, err
		}
	}
}

// claimOne claims one mark; at is the time to which it must be put off, zero when it need not, and next is as with claim.
func (w *Worker) claimOne(l lane, only store.ClassSet) (m store.Mark, at time.Time, next store.Instant, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	by := now
	if l == laneRest {
		by = now.Add(-publication.RestWait)
	}
	if l == laneAny && w.figuresFirst() {
		only &= store.ClassesBefore(store.ClassFull)
	}
	due, next, err := w.dueBy(l, only, w.claimed, by, 1)
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

// claimNext takes the most urgent mark, or when it is their turn the most urgent of those that new publications would starve.
// Where there is none, next is when the first becomes due, 0 for never.
func (w *Worker) claimNext(l lane) (m store.Mark, next store.Instant, turn, ok bool, err error) {
	if l == laneAny {
		first := laneAny
		switch n := w.turns.Add(1); {
		case n%TurnEvery == 0:
			first = laneTurn
		case n%restEvery == restEvery/2:
			first = laneRest
		}
		if first != laneAny {
			if m, _, ok, err = w.claim(first, store.AllClasses); ok || err != nil {
				return m, 0, true, ok, err
			}
		}
	}
	m, next, ok, err = w.claim(l, store.AllClasses)
	return m, next, false, ok, err
}

func (w *Worker) unclaim(m store.Mark) {
	w.mu.Lock()
	delete(w.claimed, m.ID)
	w.mu.Unlock()
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
