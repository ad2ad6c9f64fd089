package pace

import (
	"math/rand/v2"
	"time"
)

// A Reservation is points taken from the bucket for one request. It ends in one of four ways, of
// which the first counts: so a deferred Return safely ends one that an early return left open. One
// that is not ended holds its points for ever.
type Reservation struct {
	p       *Pacer
	cost    float64
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
	if r.ended {
		return 0
	}
	return r.cost
}

// Split takes up to cost points out of r into a reservation of their own. So two requests can be
// reserved together and settled apart.
func (r *Reservation) Split(cost float64) *Reservation {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	part := &Reservation{p: r.p, granted: r.granted, charged: r.charged, ended: r.ended}
	if !r.ended && positive(cost) {
		part.cost = min(cost, r.cost)
		r.cost -= part.cost
	}
	return part
}

// Settle ends r with the points charged in the end, which may be more than were reserved. It adopts
// the answer's status if there is one. A charge above the limit cannot be, and counts as what was
// reserved.
func (r *Reservation) Settle(actual float64, s *Status) {
	r.finish(func(p *Pacer, r *Reservation, now time.Time) {
		if !(actual >= 0 && actual <= max(p.limit, r.cost)) { // also when it is not a number
			actual = r.cost
		}
		p.level += r.cost - actual
		p.strikes, p.heard = 0, now
		if s != nil {
			p.adopt(now, r, *s)
		}
		p.charged += actual
		p.seeded = true
	})
}

// Return ends r unspent: the request was not sent, or was refused before it was executed.
func (r *Reservation) Return() { r.finish((*Pacer).refund) }

func (p *Pacer) refund(r *Reservation, _ time.Time) { p.level += r.cost }

// Lost ends r without an answer. The points count as spent until an answer's remaining says
// otherwise.
func (r *Reservation) Lost() {
	r.finish(func(p *Pacer, r *Reservation, _ time.Time) {
		p.lost = true
		p.charged += r.cost
	})
}

const longestPause = 30 * time.Second // after refusals in a row, unless a Retry-After is longer

// Throttled ends r as refused for lack of points. Nothing is granted for at least retryAfter, and
// this cost not before it can have been restored: from what the answer says remains, or from nothing.
// It pauses everything for a second, and from the third in a row on each doubles that, up to 30
// seconds: the bucket is then not what the server counts. One without figures and without
// retryAfter pauses for as long as the cost is restored in, and from the third on doubles that. Of
// requests that were under way together one counts.
func (r *Reservation) Throttled(retryAfter time.Duration, s *Status) {
	r.finish(func(p *Pacer, r *Reservation, now time.Time) {
		p.level += r.cost
		p.heard = now
		if !r.granted.Before(p.refusedAt) {
			p.strikes++
		}
		p.refusedAt = now
		again := min(max(p.strikes-2, 0), 20)
		left := 0.0
		switch {
		case s != nil:
			p.adopt(now, r, *s)
			if s.Remaining > 0 && s.Remaining < r.cost {
				left = s.Remaining
			}
		case retryAfter <= 0: // it may be a proxy's, which knows of no bucket: not all come back at once
			p.lost = true
			seconds := r.cost / p.rate * float64(int(1)<<again) * (1 + rand.Float64()/2)
			retryAfter = time.Duration(min(seconds, longestPause.Seconds()) * float64(time.Second))
		}
		if !p.lost {
			retryAfter = max(retryAfter, min(time.Second<<min(again, 5), longestPause))
		}
		p.level = min(p.level, left)
		if until := now.Add(retryAfter); until.After(p.notBefore) {
			p.notBefore = until
		}
	})
}

func (r *Reservation) finish(book func(*Pacer, *Reservation, time.Time)) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.end(book)
}

// end is finish with the Pacer locked.
func (r *Reservation) end(book func(*Pacer, *Reservation, time.Time)) {
	if r.ended {
		return
	}
	r.ended = true
	now := r.p.now()
	r.p.held -= r.cost
	book(r.p, r, now)
	r.p.cap()
	r.p.dispatch(now)
}
