package schedule

import (
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Queue is a part of the due set, whose marks are claimed by class and time.
type Queue int

// The queues that goroutines of a worker claim marks from.
const (
	Any    Queue = iota
	Urgent       // only what somebody waits for: it waits for no backlog
	Rules        // prices by changed rules, which cost no points: they wait for no look that does
)

// The queues from which a goroutine of Any claims first when it is their turn.
const (
	changes        Queue = iota + Rules + 1 // of what is on sale: a backlog of new publications would starve them
	remainders                              // those owed for half an hour
	lateRemainders                          // those owed for an hour, which get half the points of all looks
)

const (
	// TurnEvery is every how many looks one is claimed from the changes first: an import of hours
	// delays no change of what is on sale.
	TurnEvery = 8
	// remainderEvery is the same for remainders, however many changes there are.
	remainderEvery = 4
	// mostLate bounds the marks that are searched for a late remainder: those of a full run may
	// come before it.
	mostLate = 1000
)

// open is the classes that a queue holds now.
func (s *Schedule) open(q Queue, now time.Time) store.ClassSet {
	var set store.ClassSet
	switch q {
	case Urgent:
		return store.ClassesOf(store.ClassAsked, store.ClassHook)
	case remainders, lateRemainders:
		return store.ClassesOf(store.ClassFull)
	case changes:
		set = store.ClassesOf(store.ClassSweep, store.ClassHint)
	case Rules:
		set = store.ClassesOf(store.ClassRules)
	default:
		set = store.AllClasses
	}
	if !s.o.Hints.Open(now) {
		set &^= store.ClassesOf(store.ClassHint)
	}
	if s.rulesWait.Load() {
		set &^= store.ClassesOf(store.ClassRules)
	}
	return set
}

// turn is the queues whose turn it is before the most urgent mark of all.
func (s *Schedule) turn(now time.Time) (first []Queue) {
	n := s.turns.Add(1)
	if n%TurnEvery == 0 {
		first = append(first, changes)
	}
	if s.remainders.open(now) {
		first = append(first, lateRemainders)
	}
	if n%remainderEvery == remainderEvery/2 {
		first = append(first, remainders)
	}
	return first
}

// by is the time by which a mark of the queue must have been due.
func (q Queue) by(now time.Time) time.Time {
	switch q {
	case remainders:
		return now.Add(-publication.RemainderWait)
	case lateRemainders:
		return now.Add(-publication.RemainderMost)
	default:
		return now
	}
}

// priority is that of a look from the queue when it waits for the marketplace's points.
func (q Queue) priority(c store.Class) marketplace.Priority {
	switch q {
	case lateRemainders:
		return marketplace.Urgent
	case changes, remainders:
		return min(priorityOf(c), marketplace.News)
	default:
		return priorityOf(c)
	}
}

// before is the classes that are more urgent than a look from the queue, even once it is claimed.
func (q Queue) before(c store.Class) store.ClassSet {
	switch q {
	case lateRemainders:
		return store.ClassesBefore(store.ClassHook)
	case changes, remainders:
		return store.ClassesBefore(store.ClassNew)
	default:
		return store.ClassesBefore(c)
	}
}

// priorityOf is the priority of a class among those that wait for the marketplace's points.
func priorityOf(c store.Class) marketplace.Priority {
	switch c {
	case store.ClassAsked, store.ClassHook:
		return marketplace.Urgent
	case store.ClassNew:
		return marketplace.News
	case store.ClassSweep, store.ClassHint, store.ClassRules:
		return marketplace.Sweep
	case store.ClassFull:
		return marketplace.Resync
	default:
		return marketplace.Refresh
	}
}
