// Package pace keeps a client inside a cost bucket that a server owns. It speaks no server's dialect:
// its numbers are plain points.
//
// The level of a [Pacer] is what the server would have left if every reservation that is out were
// charged in full. An answer's remaining cannot say which of the others were charged when it was
// written, so the level is moved between remaining and remaining less all of them, and no further:
// it is never more hopeful than the server.
//
// At a start the bucket counts as empty. Others may draw on it: what answers are lower than the level is
// averaged and taken off the restore rate, and some seconds of it stay in the bucket. No absurd figure
// stops work for ever: a minute after the last answer a request that points alone hold back is sent all
// the same, alone. The first in line is never overtaken by a smaller one.
package pace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const (
	assumedLimit = 1000.0           // points, until the first answer says otherwise
	assumedRate  = 50.0             // points per second, likewise
	leastLimit   = 50.0             // no answer leads to a smaller bucket
	leastRate    = 1.0              // nor to a slower one
	mostDebt     = 0.1              // of the limit: a remaining further below zero counts as this
	foreignSpan  = 15.0             // seconds over which the others' use is averaged
	mostForeign  = 0.6              // of the rate: some of it is tried, however much others use
	cushionSpan  = 20.0             // seconds of the others' use that stay in the bucket for their bursts
	mostCushion  = 0.25             // of the limit: what stays so
	patience     = time.Minute      // after the last answer a request is sent without points
	longestPause = 30 * time.Second // after refusals in a row, unless a Retry-After is longer
)

// A Pacer grants the points of one bucket. Its methods may be called from any goroutine.
type Pacer struct {
	headroom func(priority int, limit float64) float64

	mu      sync.Mutex
	queue   []*waiter     // most urgent first, then first come
	changed chan struct{} // closed when they are to look again

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

type waiter struct{ priority int }

// New makes a Pacer whose bucket is empty and unknown. headroom is the number of points that stay in
// the bucket, of limit, when a request of a priority is granted. It must not call the Pacer.
func New(headroom func(priority int, limit float64) float64) *Pacer {
	now := time.Now()
	return &Pacer{
		headroom: headroom, limit: assumedLimit, rate: assumedRate, at: now, heard: now, anchor: now,
		changed: make(chan struct{}),
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

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Reserve waits until cost points may be spent at priority, the lower number first, and takes them.
// The error is ctx's, or a [*TooLargeError].
func (p *Pacer) Reserve(ctx context.Context, cost float64, priority int) (*Reservation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &waiter{priority}
	behind, _ := slices.BinarySearchFunc(p.queue, priority, func(other *waiter, priority int) int {
		return cmp.Or(cmp.Compare(other.priority, priority), -1) // behind its equals
	})
	p.queue = slices.Insert(p.queue, behind, w)
	defer func() {
		p.queue = slices.DeleteFunc(p.queue, func(other *waiter) bool { return other == w })
		p.wake() // the next in line may fit
	}()
	for ctx.Err() == nil {
		now := p.advance()
		if cost > p.limit {
			return nil, &TooLargeError{Cost: cost, Limit: p.limit}
		}
		var again <-chan time.Time // nil: with the next change alone
		if p.queue[0] == w {
			wait := p.wait(cost, priority, now)
			if wait == 0 {
				return p.grant(cost, now), nil
			}
			if wait > 0 {
				again = time.After(wait)
			}
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-again:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	return nil, ctx.Err()
}

func (p *Pacer) grant(cost float64, now time.Time) *Reservation {
	if p.level < cost {
		p.heard = now // no other is sent on trust until this one is answered, or for as long again
	}
	p.level -= cost
	p.held += cost
	return &Reservation{p: p, cost: cost, granted: now, charged: p.charged}
}

// wake has all that wait look again.
func (p *Pacer) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Pacer) advance() (now time.Time) {
	now = time.Now()
	p.level += max(now.Sub(p.at).Seconds(), 0) * (p.rate - p.foreign)
	p.at = now
	p.cap()
	return now
}

// cap holds the level to what the server's bucket can hold: what is out may not have been charged yet,
// and until then the bucket is no fuller for its being counted here. No bucket owes more than it holds.
func (p *Pacer) cap() {
	if p.held < 1e-9 {
		p.held = 0 // fractions do not add up to exactly nothing
	}
	p.level = max(min(p.level, p.limit-p.held), -p.limit)
}

// wait is how long a request must wait, negative where no time ends that.
func (p *Pacer) wait(cost float64, priority int, now time.Time) time.Duration {
	const tiny = 1e-6 // points: what adding up fractions of a second may lose
	// What stays in the bucket keeps clear of a full one, which wastes what is restored. After a lost
	// answer headroom waits for the next one: on top of a level that is too low it would be a full bucket.
	room := p.limit - p.held
	need := max(cost, min(cost+min(cushionSpan*p.foreign, mostCushion*p.limit), 0.97*room))
	if !p.lost {
		need = max(need, min(need+max(p.headroom(priority, p.limit), 0), 0.75*room))
	}
	switch pause := p.notBefore.Sub(now); {
	case pause > 0:
		return pause
	case !p.seeded && p.held > 0:
		return -1
	case !p.seeded && cost <= p.limit/50, p.level >= need-tiny:
		return 0
	case need > room+tiny:
		return -1
	}
	wait := time.Duration((need-p.level)/(p.rate-p.foreign)*float64(time.Second)) + time.Microsecond
	if p.held == 0 {
		wait = min(wait, max(p.heard.Add(patience).Sub(now), 0))
	}
	return wait
}

// A Reservation is points taken from the bucket for one request. It ends in one of four ways, of
// which the first counts: so a deferred Return safely ends one that an early return left open. One
// that is not ended holds its points for ever.
type Reservation struct {
	p       *Pacer
	cost    float64 // 0 once it has ended
	granted time.Time
	charged float64 // the Pacer's sum when it was granted
	ended   bool
}

// A Status is what an answer says about the bucket. Values that cannot be are not adopted.
type Status struct {
	Limit       float64 // points the bucket holds
	Remaining   float64 // points left when the answer was written
	RestoreRate float64 // points per second
}

// Cost is the number of points that r holds: none once it has ended.
func (r *Reservation) Cost() float64 {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return r.cost
}

// Split takes up to cost points out of r into a reservation of their own. So two requests can be
// reserved together and settled apart.
func (r *Reservation) Split(cost float64) *Reservation {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	part := *r
	part.cost = max(min(cost, r.cost), 0)
	r.cost -= part.cost
	return &part
}

// Settle ends r with the points charged in the end, which may be more than were reserved. It adopts
// the answer's status if there is one. A charge above the limit cannot be, and counts as what was
// reserved.
func (r *Reservation) Settle(actual float64, s *Status) {
	r.finish(func() {
		p := r.p
		if !(actual >= 0 && actual <= max(p.limit, r.cost)) { // also when it is not a number
			actual = r.cost
		}
		p.level += r.cost - actual
		p.strikes, p.heard, p.seeded = 0, time.Now(), true
		if s != nil {
			p.adopt(r, *s)
		}
		p.charged += actual
	})
}

// Return ends r unspent: the request was not sent, or was refused before it was executed.
func (r *Reservation) Return() { r.finish(func() { r.p.level += r.cost }) }

// Lost ends r without an answer. The points count as spent until an answer's remaining says
// otherwise.
func (r *Reservation) Lost() {
	r.finish(func() {
		r.p.lost = true
		r.p.charged += r.cost
	})
}

// Throttled ends r as refused for lack of points. Nothing is granted for at least retryAfter, and for a
// second: without figures and retryAfter as long as the points of r take to be restored, and up to half
// as much again, so that not all come back at once. From the third refusal in a row on the span doubles:
// the bucket is then not what the server counts. Of requests that were under way together one counts.
func (r *Reservation) Throttled(retryAfter time.Duration, s *Status) {
	r.finish(func() {
		p, now, left, pause := r.p, time.Now(), 0.0, time.Second
		if !r.granted.Before(p.refusedAt) {
			p.strikes++
		}
		p.level += r.cost
		p.heard, p.refusedAt = now, now
		switch {
		case s != nil:
			p.adopt(r, *s)
			if s.Remaining > 0 && s.Remaining < r.cost { // else it contradicts the refusal
				left = s.Remaining
			}
		case retryAfter <= 0: // it may be a proxy's, which knows of no bucket
			p.lost = true
			pause = time.Duration(min(r.cost/p.rate*(1+rand.Float64()/2), longestPause.Seconds()) * float64(time.Second))
		}
		pause = min(pause<<min(max(p.strikes-2, 0), 20), longestPause)
		p.level = min(p.level, left)
		if until := now.Add(max(retryAfter, pause)); until.After(p.notBefore) {
			p.notBefore = until
		}
	})
}

// finish ends r, which is no longer held when book counts it.
func (r *Reservation) finish(book func()) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.ended {
		return
	}
	p.advance()
	p.held -= r.cost
	book()
	p.cap()
	r.ended, r.cost = true, 0
	p.wake()
}

// adopt takes over what the answer to r says. r has been taken out of held, and its own charge is
// not in charged yet. Answers overtake one another: the points of requests that are out now, and of
// those that were charged since r was granted, are never counted as free on its word.
func (p *Pacer) adopt(r *Reservation, s Status) {
	if positive(s.Limit) {
		p.limit = max(s.Limit, leastLimit)
	}
	if positive(s.RestoreRate) {
		p.rate = max(s.RestoreRate, leastRate)
	}
	if math.IsNaN(s.Remaining) || math.IsInf(s.Remaining, 0) {
		return
	}
	p.cap()
	remaining := max(min(s.Remaining, p.limit), -mostDebt*p.limit)
	level := min(max(p.level, remaining-(p.held+p.charged-r.charged)), remaining)
	if span := p.at.Sub(p.anchor).Seconds(); span > 0 { // one burst is not the others' rate
		used := min(p.level-level, p.rate*span) / span
		p.foreign = min(max(p.foreign+used*(1-math.Exp(-span/foreignSpan)), 0), mostForeign*p.rate)
	}
	p.level, p.anchor, p.lost = level, p.at, false
}

// A Snapshot is the state of the book at one moment.
type Snapshot struct {
	Limit       float64   `json:"limit"`
	Remaining   float64   `json:"remaining"` // points that may be reserved, never negative
	RestoreRate float64   `json:"restoreRate"`
	Waiting     int       `json:"waiting"`        // requests in line
	Until       time.Time `json:"until,omitzero"` // of a pause that the server asked for, or that follows refusals
}

// Snapshot reads the book.
func (p *Pacer) Snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.advance()
	s := Snapshot{Limit: p.limit, Remaining: max(p.level, 0), RestoreRate: p.rate, Waiting: len(p.queue)}
	if p.notBefore.After(now) {
		s.Until = p.notBefore
	}
	return s
}
