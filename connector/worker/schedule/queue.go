package schedule

import (
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
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
	changes Queue = iota + Rules + 1 // of what is on sale: a backlog of new publications would starve them
	whole                            // what is to be read whole, however many changes there are
)

const (
	// TurnEvery is every how many looks one is claimed from the changes first: an import of hours
	// delays no change of what is on sale.
	TurnEvery = 8
	// wholeEvery is the same for what is to be read whole.
	wholeEvery = 4
)

// open is the classes that a queue holds now.
func (s *Schedule) open(q Queue, now time.Time) store.ClassSet {
	var set store.ClassSet
	switch q {
	case Urgent:
		return store.ClassesOf(store.ClassAsked, store.ClassHook)
	case whole:
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
func (s *Schedule) turn() (first []Queue) {
	n := s.turns.Add(1)
	if n%TurnEvery == 0 {
		first = append(first, changes)
	}
	if n%wholeEvery == wholeEvery/2 && s.claims.backlogged() {
		first = append(first, whole)
	}
	return first
}

// priority is that of a look from the queue when it waits for the marketplace's points.
func (q Queue) priority(c store.Class) marketplace.Priority {
	if q == changes || q == whole {
		return min(priorityOf(c), marketplace.News)
	}
	return priorityOf(c)
}

// before is the classes that are more urgent than a look from the queue, even once it is claimed.
func (q Queue) before(c store.Class) store.ClassSet {
	if q == changes || q == whole {
		return store.ClassesBefore(store.ClassNew)
	}
	return store.ClassesBefore(c)
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
