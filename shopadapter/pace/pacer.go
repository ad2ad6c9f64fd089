// Package pace keeps a client inside a cost bucket that a server owns. It speaks no server's dialect:
// its numbers are plain points.
//
// The level of a [Pacer] is what the server would have left if every reservation that is out were
// charged in full. An answer's remaining cannot say which of the others were charged when it was
// written, so the level is moved between remaining and remaining less all of them, and no further:
// it is never more hopeful than the server. At a start the bucket counts as empty.
//
// Others may draw on the same bucket. What answers are lower than the level is averaged and taken
// off the restore rate, and a cushion of some seconds of it stays in the bucket. It wastes nothing:
// points are lost only while the bucket is full.
//
// No absurd figure stops work for ever. A minute after the last answer a request that points alone
// hold back is sent all the same, alone, and its answer mends the book.
//
// The lower priority number goes first, and first come within one. The first in line is never
// overtaken by a smaller one. Headroom keeps points that less urgent requests may not touch.
package pace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Assumed until the server's first answer says otherwise.
const (
	assumedLimit = 1000 // points
	assumedRate  = 50   // points per second
)

const (
	leastLimit  = 1.0 / 20    // of the limit assumed: no answer leads to a smaller bucket
	leastRate   = 1.0 / 50    // of the rate assumed
	mostDebt    = 0.1         // of the limit: a remaining further below zero counts as this
	mostCushion = 0.25        // of the limit: points that stay in the bucket for the others' bursts
	cushionSpan = 20.0        // seconds of the others' use that the cushion covers
	foreignSpan = 15.0        // seconds over which the others' use is averaged
	mostForeign = 0.6         // of the rate: some of it is tried, however much others use
	patience    = time.Minute // after the last answer a request is sent without points
)

// A Pacer grants the points of one bucket. Its methods may be called from any goroutine.
type Pacer struct {
	headroom func(priority int, limit float64) float64

	mu    sync.Mutex
	queue []*waiter // most urgent first, then first come
	timer *time.Timer

	limit, rate float64
	level       float64   // at time at; negative when more was charged than reserved
	at          time.Time // when level was brought up to date
	held        float64   // sum of the reservations that are out
	charged     float64   // sum of what was charged, or may have been, for those that ended
	foreign     float64   // points per second that others use
	anchor      time.Time // when remaining was adopted last
	seeded      bool      // an answer has been seen
	lost        bool      // an answer was lost since the last: the level is likely too low
	heard       time.Time // when the last answer was seen, or a request was sent without points
	strikes     int       // refusals in a row
	refusedAt   time.Time // the last of them
	notBefore   time.Time // nothing is granted earlier
}

// A waiter is one request in line.
type waiter struct {
	cost     float64
	priority int
	ready    chan struct{} // closed once granted or err is set
	granted  *Reservation
	err      error
}

// New makes a Pacer whose bucket is empty and unknown. headroom is the number of points that stay in
// the bucket, of limit, when a request of a priority is granted. It must not call the Pacer.
func New(headroom func(priority int, limit float64) float64) *Pacer {
	now := time.Now()
	return &Pacer{headroom: headroom, limit: assumedLimit, rate: assumedRate, at: now, heard: now}
}

// positive reports whether x is a number of points that can be reckoned with.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

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
	behind, _ := slices.BinarySearchFunc(p.queue, priority, func(other *waiter, priority int) int {
		return cmp.Or(cmp.Compare(other.priority, priority), -1) // behind its equals
	})
	p.queue = slices.Insert(p.queue, behind, w)
	p.dispatch(now)
	p.mu.Unlock()

	select {
	case <-w.ready:
		return w.granted, w.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		p.dispatch(p.now()) // the next in line may fit
	} else if w.granted != nil {
		w.granted.end((*Pacer).refund)
	}
	return nil, ctx.Err()
}

// now brings the level up to date.
func (p *Pacer) now() time.Time {
	now := time.Now()
	if passed := now.Sub(p.at).Seconds(); passed > 0 {
		p.level += passed * (p.rate - p.foreign)
		p.at = now
	}
	p.cap()
	return now
}

// cap holds the level to what the server's bucket can hold: what is out may not have been charged
// yet, and until then the bucket is no fuller for its being counted here. No bucket owes more than
// it holds.
func (p *Pacer) cap() {
	if p.held < 1e-9 {
		p.held = 0 // fractions do not add up to exactly nothing
	}
	p.level = max(min(p.level, p.limit-p.held), -p.limit)
}

// dispatch grants what can be granted now, and has the first that must wait looked at again in time.
func (p *Pacer) dispatch(now time.Time) {
	if p.timer != nil {
		p.timer.Stop()
	}
	for len(p.queue) > 0 {
		w := p.queue[0]
		if w.cost > p.limit {
			w.err = &TooLargeError{Cost: w.cost, Limit: p.limit}
		} else {
			switch delay := p.delay(w, now); {
			case delay == untilAnswer:
				return
			case delay > 0:
				p.timer = time.AfterFunc(delay, func() {
					p.mu.Lock()
					defer p.mu.Unlock()
					p.dispatch(p.now())
				})
				return
			}
			if p.level < w.cost {
				p.heard = now // no other is sent on trust until this one is answered, or for as long again
			}
			p.level -= w.cost
			p.held += w.cost
			w.granted = &Reservation{p: p, cost: w.cost, granted: now, charged: p.charged}
		}
		p.queue = p.queue[1:]
		close(w.ready)
	}
}

// untilAnswer is a wait that no time ends: a reservation that is out must end first.
const untilAnswer = time.Duration(math.MaxInt64)

// delay is how long w must wait.
func (p *Pacer) delay(w *waiter, now time.Time) time.Duration {
	const tiny = 1e-6 // points: what adding up fractions of a second may lose
	need := p.need(w)
	switch pause := p.notBefore.Sub(now); {
	case pause > 0:
		return pause
	case !p.seeded && p.held > 0:
		return untilAnswer
	case !p.seeded && w.cost <= p.limit/50, p.level >= need-tiny:
		return 0
	case need > p.limit-p.held+tiny:
		return untilAnswer
	}
	seconds := min((need-p.level)/(p.rate-p.foreign), 10*patience.Seconds())
	d := time.Duration(seconds*float64(time.Second)) + time.Microsecond
	if p.held == 0 {
		d = min(d, max(p.heard.Add(patience).Sub(now), 0))
	}
	return d
}

// need is the level at which w is granted: its cost, and what must stay in the bucket as far as that
// keeps clear of a full one, which wastes what is restored. After a lost answer headroom waits for the
// next one: on top of a level that is too low it would be a full bucket.
func (p *Pacer) need(w *waiter) float64 {
	room := p.limit - p.held
	need := max(w.cost, min(w.cost+min(cushionSpan*p.foreign, mostCushion*p.limit), 0.97*room))
	if !p.lost {
		need = max(need, min(need+max(p.headroom(w.priority, p.limit), 0), 0.75*room))
	}
	return need
}

// adopt takes over what the answer to r says. r has been taken out of held, and its own charge is
// not in charged yet. Answers overtake one another: the points of requests that are out now, and of
// those that were charged since r was granted, are never counted as free on its word.
func (p *Pacer) adopt(now time.Time, r *Reservation, s Status) {
	p.limit = p.limitOf(s.Limit)
	if positive(s.RestoreRate) {
		p.rate = max(s.RestoreRate, leastRate*assumedRate)
	}
	if math.IsNaN(s.Remaining) || math.IsInf(s.Remaining, 0) {
		return
	}
	p.cap()
	remaining := max(min(s.Remaining, p.limit), -mostDebt*p.limit)
	level := min(max(p.level, remaining-(p.held+p.charged-r.charged)), remaining)
	if span := now.Sub(p.anchor).Seconds(); p.seeded && span > 0 { // one burst is not the others' rate
		used := min(p.level-level, p.rate*span) / span
		p.foreign = min(max(p.foreign+used*(1-math.Exp(-span/foreignSpan)), 0), mostForeign*p.rate)
	}
	p.level, p.anchor, p.lost = level, now, false
}

// limitOf is what an answer's limit is taken for.
func (p *Pacer) limitOf(said float64) float64 {
	if !positive(said) {
		return p.limit
	}
	return max(said, leastLimit*assumedLimit)
}

// Limit is the number of points that the bucket would be taken to hold after an answer that says
// limit.
func (p *Pacer) Limit(limit float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limitOf(limit)
}

// A Snapshot is the state of the book at one moment.
type Snapshot struct {
	Limit       float64   `json:"limit"`          // points the bucket holds
	Remaining   float64   `json:"remaining"`      // points that may be reserved, never negative
	RestoreRate float64   `json:"restoreRate"`    // points per second
	Waiting     int       `json:"waiting"`        // requests in line
	Until       time.Time `json:"until,omitzero"` // of a pause that the server asked for, or that follows refusals
}

// Snapshot reads the book.
func (p *Pacer) Snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	s := Snapshot{Limit: p.limit, Remaining: max(p.level, 0), RestoreRate: p.rate, Waiting: len(p.queue)}
	if p.notBefore.After(now) {
		s.Until = p.notBefore
	}
	return s
}
