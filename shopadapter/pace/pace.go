// Package pace keeps a client inside a cost bucket that a server owns.
//
// A [Pacer]'s level assumes that all open reservations are charged in full. An answer's remaining does not show which
// of them it includes, so the level moves only between remaining and remaining less all of them.
//
// At a start the bucket counts as empty. The average use of others lowers the restore rate, and some seconds of that
// use stay in the bucket as a reserve. No absurd figure stops work for ever: a minute after the last answer one
// request goes without points. A smaller request never overtakes the first in line.
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
	assumedLimit = 1000.0 // points
	assumedRate  = 50.0   // points per second
	leastLimit   = 50.0
	leastRate    = 1.0
	mostDebt     = 0.1              // of the limit: as far below zero as remaining counts
	foreignSpan  = 15.0             // seconds, to average others' use
	mostForeign  = 0.6              // of the rate; the rest is tried
	cushionSpan  = 20.0             // seconds of others' use, kept for bursts
	mostCushion  = 0.25             // of the limit
	patience     = time.Minute      // after the last answer a request goes without points
	longestPause = 30 * time.Second // after refusals, unless a Retry-After is longer
)

// A Pacer grants the points of one bucket. It is safe for concurrent use.
type Pacer struct {
	headroom func(priority int, limit float64) float64

	mu      sync.Mutex
	queue   []*waiter     // most urgent first, then first come
	changed chan struct{} // closed when waiters are to look again

	limit, rate float64
	level       float64 // at time at; may be negative
	at          time.Time
	held        float64   // by open reservations
	charged     float64   // sum of charges, also possible ones, of ended reservations
	foreign     float64   // others' points per second
	anchor      time.Time // when remaining was adopted last
	seeded      bool      // an answer came
	lost        bool      // an answer was lost since the last: the level is likely too low
	heard       time.Time // last answer, or request without points
	strikes     int       // in a row
	refusedAt   time.Time
	notBefore   time.Time // nothing is granted earlier
}

type waiter struct{ priority int }

// New makes a Pacer with an empty bucket. headroom returns the points, of limit, that a request of a priority leaves
// in the bucket. It must not call the Pacer.
func New(headroom func(priority int, limit float64) float64) *Pacer {
	now := time.Now()
	return &Pacer{
		headroom: headroom, limit: assumedLimit, rate: assumedRate, at: now, heard: now, anchor: now,
		changed: make(chan struct{}),
	}
}

// A TooLargeError says that a full bucket does not hold a cost. A smaller request may work.
type TooLargeError struct {
	Cost, Limit float64 // points
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a cost of %g points is above the limit of %g", e.Cost, e.Limit)
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Reserve waits until cost points may be spent, the lower priority first, and takes them. The error is ctx's or a
// [*TooLargeError].
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
		var again <-chan time.Time // nil: only a change ends the wait
		if p.queue[0] == w {
			wait := p.wait(cost, priority, now)
			if wait == 0 {
				if p.level < cost {
					p.heard = now // no other is sent on trust before an answer, or for as long again
				}
				p.level -= cost
				p.held += cost
				return &Reservation{p: p, cost: cost, granted: now, charged: p.charged}, nil
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

// cap holds the level to what the bucket can hold beside open reservations: they may not have been charged yet.
func (p *Pacer) cap() {
	if p.held < 1e-9 {
		p.held = 0 // fractions do not add up to zero
	}
	p.level = max(min(p.level, p.limit-p.held), -p.limit)
}

// wait returns how long a request must wait, negative if no time ends that.
func (p *Pacer) wait(cost float64, priority int, now time.Time) time.Duration {
	const tiny = 1e-6 // rounding, in points
	// The reserve stays clear of a full bucket, which wastes points; after a lost answer headroom would fill it.
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

// A Reservation is points taken for one request. The first Settle, Return, Lost or Throttled ends it, so a deferred
// Return is safe. An open one holds its points for ever.
type Reservation struct {
	p       *Pacer
	cost    float64 // 0 once it has ended
	granted time.Time
	charged float64 // Pacer.charged when granted
	ended   bool
}

// A Status is an answer's view of the bucket. Impossible values are not adopted.
type Status struct {
	Limit       float64
	Remaining   float64 // points left when the answer was written
	RestoreRate float64 // points per second
}

// Cost returns the points that r holds: none once it has ended.
func (r *Reservation) Cost() float64 {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return r.cost
}

// Split takes up to cost points out of r, so that two requests are reserved together and settled apart.
func (r *Reservation) Split(cost float64) *Reservation {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	part := *r
	part.cost = max(min(cost, r.cost), 0)
	r.cost -= part.cost
	return &part
}

// Settle ends r with the points charged, which it returns, and adopts the answer's status, if any. A charge above the
// limit is impossible, and counts as reserved.
func (r *Reservation) Settle(actual float64, s *Status) (charged float64) {
	r.finish(func() {
		p := r.p
		if !(actual >= 0 && actual <= max(p.limit, r.cost)) { // also if it is not a number
			actual = r.cost
		}
		p.level += r.cost - actual
		p.strikes, p.heard, p.seeded = 0, time.Now(), true
		if s != nil {
			p.adopt(r, *s)
		}
		p.charged += actual
		charged = actual
	})
	return charged
}

// Return ends r unspent: not sent, or refused unexecuted.
func (r *Reservation) Return() { r.finish(func() { r.p.level += r.cost }) }

// Lost ends r without an answer. Its points count as spent until an answer says otherwise.
func (r *Reservation) Lost() {
	r.finish(func() {
		r.p.lost = true
		r.p.charged += r.cost
	})
}

// Throttled ends r as refused for lack of points. Nothing is granted for retryAfter, at least a second. Without s and
// retryAfter the pause restores r's points, plus up to half as much: clients shall not return at once. The pause, at
// most 30 s, doubles from the third refusal in a row. Overlapping refusals count once. It returns the pause.
func (r *Reservation) Throttled(retryAfter time.Duration, s *Status) (pause time.Duration) {
	r.finish(func() {
		p, now, left := r.p, time.Now(), 0.0
		if !r.granted.Before(p.refusedAt) {
			p.strikes++
		}
		p.level += r.cost
		p.heard, p.refusedAt = now, now
		switch pause = time.Second; {
		case s != nil:
			p.adopt(r, *s)
			if s.Remaining > 0 && s.Remaining < r.cost { // else it contradicts the refusal
				left = s.Remaining
			}
		case retryAfter <= 0: // maybe a proxy's, which knows no bucket
			p.lost = true
			pause = time.Duration(min(r.cost/p.rate*(1+rand.Float64()/2), longestPause.Seconds()) * float64(time.Second))
		}
		pause = max(min(pause<<min(max(p.strikes-2, 0), 20), longestPause), retryAfter)
		p.level = min(p.level, left)
		if until := now.Add(pause); until.After(p.notBefore) {
			p.notBefore = until
		}
	})
	return pause
}

// finish ends r, which is not held any more when book runs.
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

// adopt takes over the status of the answer to r. Answers overtake one another, so points of open requests, and of
// those charged since r was granted, never count as free.
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

// A Snapshot is the Pacer's state.
type Snapshot struct {
	Limit       float64   `json:"limit"`
	Remaining   float64   `json:"remaining"` // may be reserved, never negative
	RestoreRate float64   `json:"restoreRate"`
	Waiting     int       `json:"waiting"`        // in line
	Until       time.Time `json:"until,omitzero"` // end of a pause after refusals
}

// Snapshot returns the state.
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
