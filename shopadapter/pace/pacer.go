package pace

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"
)

// Assumed until the server's first answer says otherwise.
const (
	DefaultLimit       = 1000 // points
	DefaultRestoreRate = 50   // points per second
)

// Options are what is assumed before the server has answered. The zero value is a bucket of
// DefaultLimit refilled at DefaultRestoreRate.
type Options struct {
	Limit       float64 // points the bucket holds; 0: DefaultLimit
	RestoreRate float64 // points per second; 0: DefaultRestoreRate

	// Headroom is the number of points that stay in the bucket, of limit, when a request of this
	// priority is granted. It is called with the Pacer locked, so it must not call the Pacer. nil:
	// none.
	Headroom func(priority int, limit float64) float64
}

// A Pacer grants the points of one bucket. Its methods may be called from any goroutine.
type Pacer struct {
	headroom func(priority int, limit float64) float64

	mu    sync.Mutex
	queue line
	seq   uint64
	timer *time.Timer

	limit, rate figure
	level       float64   // at time at; negative when more was charged than reserved
	at          time.Time // when level was brought up to date
	held        float64   // sum of the reservations that are out
	charged     float64   // sum of what was charged, or may have been, for those that ended
	seeded      bool      // an answer has been seen
	heard       time.Time // when the last answer was seen, or a request was sent without points

	foreign   float64   // points per second that other clients use
	used      float64   // points that others used in the present span
	span      float64   // seconds of it so far
	before    float64   // points per second in the span before
	cushion   float64   // points kept back for the others' bursts
	anchor    time.Time // when remaining was last adopted
	full      bool      // the bucket was full since: what the others used then was restored at once
	tainted   bool      // an answer was lost since: a level below the server's says nothing about the others
	strikes   int       // refusals in a row; the next answer that is none ends them
	refusedAt time.Time // the last refusal without a figure
	notBefore time.Time // nothing is granted earlier: the server said so, or it was a pause after refusals
}

// New makes a Pacer whose bucket is empty and unknown.
func New(o Options) *Pacer {
	if !positive(o.Limit) {
		o.Limit = DefaultLimit
	}
	if !positive(o.RestoreRate) {
		o.RestoreRate = DefaultRestoreRate
	}
	now := time.Now()
	return &Pacer{
		headroom: o.Headroom,
		limit:    newFigure(o.Limit, leastLimit),
		rate:     newFigure(o.RestoreRate, leastRate),
		at:       now,
		heard:    now,
	}
}

// A TooLargeError says that a request can never be granted, since the bucket does not hold its cost
// even when full. It is returned at once, or as soon as an answer makes the limit known. A smaller
// request may work.
type TooLargeError struct {
	Cost, Limit float64 // points
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a cost of %g points is above the limit of %g", e.Cost, e.Limit)
}

// Reserve waits until cost points may be spent at priority, the lower number first, and takes them.
// The error is ctx's, or a [*TooLargeError].
func (p *Pacer) Reserve(ctx context.Context, cost float64, priority int) (*Reservation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !positive(cost) {
		cost = 0
	}
	w := &waiter{cost: cost, priority: priority, ready: make(chan struct{})}

	p.mu.Lock()
	now := p.now()
	w.seq, w.since = p.seq, now
	p.seq++
	heap.Push(&p.queue, w)
	p.dispatch(now)
	p.mu.Unlock()

	select {
	case <-w.ready: // looked at first, so that a grant never loses to a context that ends at the same moment
		return w.granted, w.err
	default:
	}
	select {
	case <-w.ready:
		return w.granted, w.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case w.index >= 0:
		heap.Remove(&p.queue, w.index)
		p.dispatch(p.now()) // the next in line may fit
	case w.granted != nil:
		w.granted.giveBack()
	}
	return nil, ctx.Err()
}

// first is the request that is granted next, nil where none waits. p.mu is held.
func (p *Pacer) first() *waiter {
	if len(p.queue) == 0 {
		return nil
	}
	return p.queue[0]
}

// A Snapshot is the state of the book at one moment.
type Snapshot struct {
	Limit       float64 // points the bucket holds
	Remaining   float64 // points that may be reserved, never negative
	RestoreRate float64 // points per second
	Waiting     int     // requests in line
	First       *Wait   // the first of them, nil when there is none
}

// A Wait is what a request in line waits for.
type Wait struct {
	Cost   float64   // points
	Since  time.Time // when it came
	Reason string    // one of the constants below
	Until  time.Time // when it is sent at the latest unless something changes; zero for ForAnswer
}

// What a request may wait for.
const (
	ForPoints = "points"                                       // the bucket must fill
	ForAnswer = "the answer to a request that is under way"    // which holds the points, or is the first of all
	ForPause  = "the end of a pause that the server asked for" // or that follows refusals in a row
)

// Snapshot reads the book.
func (p *Pacer) Snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	s := Snapshot{
		Limit: p.limit.value, Remaining: max(p.level, 0), RestoreRate: p.rate.value, Waiting: len(p.queue),
	}
	if w := p.first(); w != nil {
		s.First = &Wait{Cost: w.cost, Since: w.since}
		delay, reason := p.delay(w, now)
		if s.First.Reason = reason; reason != ForAnswer {
			s.First.Until = now.Add(max(delay, 0))
		}
	}
	return s
}

// dispatch grants what can be granted now, and arms the timer for the first that must wait for
// points. p.mu is held, the level is of now.
func (p *Pacer) dispatch(now time.Time) {
	if p.timer != nil {
		p.timer.Stop()
	}
	for first := p.first(); first != nil; first = p.first() {
		if first.cost > p.limit.value {
			first.err = &TooLargeError{Cost: first.cost, Limit: p.limit.value}
		} else {
			switch delay, reason := p.delay(first, now); {
			case reason == ForAnswer:
				return
			case delay > 0:
				p.arm(delay)
				return
			}
			if p.level < first.cost {
				p.heard = now // no other request is sent on trust until this one is answered, or for as long again
			}
			p.level -= first.cost
			p.held += first.cost
			first.granted = &Reservation{p: p, cost: first.cost, granted: now, charged: p.charged}
		}
		heap.Remove(&p.queue, first.index)
		close(first.ready)
	}
}

// delay is how long w must wait, and for what. With ForAnswer no time will do: a reservation that
// is out must end first.
func (p *Pacer) delay(w *waiter, now time.Time) (d time.Duration, reason string) {
	if pause := p.notBefore.Sub(now); pause > 0 {
		return pause, ForPause
	}
	if !p.seeded {
		if p.held > 0 {
			return 0, ForAnswer
		}
		if w.cost <= p.limit.value/50 {
			return 0, ForPoints
		}
	}
	return p.fill(w, now)
}

// fill is delay as far as points are concerned. With nothing under way it is never longer than
// patience after the last answer.
func (p *Pacer) fill(w *waiter, now time.Time) (d time.Duration, reason string) {
	const tiny = 1e-6 // points: what adding up fractions of a second may lose
	need := p.need(w)
	if p.level >= need-tiny {
		return 0, ForPoints
	}
	if need > p.limit.value-p.held+tiny {
		return 0, ForAnswer
	}
	seconds := (need - p.level) / (p.rate.value - p.foreign)
	d = time.Duration(min(seconds, memory.Seconds())*float64(time.Second)) + time.Microsecond
	if p.held > 0 {
		return d, ForPoints
	}
	return min(d, max(p.heard.Add(patience).Sub(now), 0)), ForPoints
}

// need is the level at which w is granted: its cost, and what must stay in the bucket, as far as
// that keeps clear of a full one. A full bucket wastes what is restored. After a lost answer the
// level is likely to be too low, and headroom waits for the next answer to mend it: kept on top of
// a level that is too low, it would be a full bucket after a few losses in a row.
func (p *Pacer) need(w *waiter) float64 {
	room := p.limit.value - p.held
	need := max(w.cost, min(w.cost+p.cushion, 0.97*room))
	if p.headroom != nil && !p.tainted {
		need = max(need, min(need+max(p.headroom(w.priority, p.limit.value), 0), p.mostRoom(room)))
	}
	return need
}

// pause grants nothing before a time.
func (p *Pacer) pause(until time.Time) {
	if until.After(p.notBefore) {
		p.notBefore = until
	}
}

// mostRoom bounds what must stay in the bucket for headroom and cushion. The more others surprise,
// the fuller the bucket is kept.
func (p *Pacer) mostRoom(room float64) float64 {
	return (0.75 + 0.06*p.cushion/(mostCushion*p.limit.value)) * room
}

func (p *Pacer) arm(d time.Duration) {
	if p.timer == nil {
		p.timer = time.AfterFunc(d, p.wake)
		return
	}
	p.timer.Reset(d)
}

func (p *Pacer) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatch(p.now())
}
