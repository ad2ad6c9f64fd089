package sweep

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// A Kind is one of the sweeps that a Sweeper makes.
type Kind int

// The kinds, in the order in which they are made.
const (
	Changes Kind = iota // what changed since the last one
	Whole               // the whole list
	Hinted              // as Changes, for an unsigned webhook that named nothing known: when its budget allows
	kinds
)

// A queue is the sweeps that were asked for and not made yet. No other sweep waits for one that
// failed and is to be attempted again.
type queue struct {
	mu    sync.Mutex
	tasks [kinds]task
	asked *breaker.Signal // raised when a sweep is asked for
}

// A task is a sweep asked for.
type task struct {
	asked    bool
	attempts int       // that failed
	at       time.Time // of the next attempt; zero: now
}

// ask queues a sweep, to be made now.
func (q *queue) ask(kind Kind) {
	q.mu.Lock()
	q.tasks[kind].asked, q.tasks[kind].at = true, time.Time{}
	q.mu.Unlock()
	q.asked.Raise()
}

// has reports whether a sweep was asked for that has not been made.
func (q *queue) has(kind Kind) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tasks[kind].asked
}

// next is the sweep of some kinds to be made now. Where there is none, wait is how long until one
// may be, at most breaker.Idle.
func (q *queue) next(now time.Time, h Hints, of ...Kind) (kind Kind, wait time.Duration, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait = breaker.Idle
	for _, kind := range of {
		t := q.tasks[kind]
		switch {
		case !t.asked:
		case t.at.After(now):
			wait = min(wait, t.at.Sub(now))
		case kind == Hinted && !h.Open(now):
			wait = min(wait, h.Wait(now, breaker.Idle))
		default:
			return kind, 0, true
		}
	}
	return 0, wait, false
}

// begin removes a sweep that is about to be made, and returns its failed attempts. Asking for it
// from then on leads to another.
func (q *queue) begin(kind Kind) (attempts int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	attempts = q.tasks[kind].attempts
	q.tasks[kind].asked = false
	if kind == Changes {
		q.tasks[Hinted] = task{} // the sweep finds what the hint was about
	}
	return attempts
}

// failed puts a sweep that failed back, to be made again at a time, unless it was asked for anew.
func (q *queue) failed(kind Kind, attempts int, at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &q.tasks[kind]
	t.attempts = attempts
	if !t.asked {
		t.asked, t.at = true, at
	}
}

// made forgets the failed attempts of a sweep.
func (q *queue) made(kind Kind) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks[kind].attempts = 0
}

// hurry has every sweep that waits for its next attempt made now.
func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for kind := range q.tasks {
		q.tasks[kind].at = time.Time{}
	}
}
