package pace

import (
	"math"
	"math/rand/v2"
	"time"
)

// A Reservation is points taken from the bucket for one request. The first of its ends counts;
// later ones do nothing. So a deferred Return safely ends a reservation that an early return left
// open.
type Reservation struct {
	p       *Pacer
	cost    float64
	granted time.Time
	charged float64 // the Pacer's sum when it was granted
	ended   bool
}

// A Status is what an answer says about the bucket. Values that cannot be (negative, not a number,
// a limit or a rate of 0) are not adopted. A limit or a rate that is implausible beside the one
// believed is adopted once a second answer says the same.
type Status struct {
	Limit       float64 // points the bucket holds
	Remaining   float64 // points left when the answer was written
	RestoreRate float64 // points per second
}

// Cost is the number of points reserved.
func (r *Reservation) Cost() float64 {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return r.cost
}

// Left is the number of points that can still be split off: none once r has ended.
func (r *Reservation) Left() float64 {
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
	r.end(func(p *Pacer, now time.Time) {
		if !(actual >= 0 && actual <= max(p.limit.value, r.cost)) { // also when it is not a number
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
func (r *Reservation) Return() {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.giveBack()
}

// Lost ends r without an answer. The points count as spent until an answer's remaining says
// otherwise.
func (r *Reservation) Lost() {
	r.end(func(p *Pacer, _ time.Time) {
		p.tainted = true
		p.charged += r.cost
	})
}

const longestPause = 30 * time.Second // after refusals in a row, unless a Retry-After is longer

// Throttled ends r as refused for lack of points. Nothing is granted for at least retryAfter, and
// this cost not before it can have accumulated from what the answer says remains, or from nothing.
//
// A second refusal in a row that has figures or a Retry-After pauses everything for 1 second, and
// each further one doubles the pause, up to 30 seconds: the bucket is then not what the server
// counts. A refusal without either is waited out by the time in which the cost is restored, and up
// to half as long again by chance. From the third in a row on each doubles that, up to 30 seconds
// too; of requests that were under way together one counts.
func (r *Reservation) Throttled(retryAfter time.Duration, s *Status) {
	if retryAfter <= 0 && s == nil {
		r.refused()
		return
	}
	r.end(func(p *Pacer, now time.Time) {
		p.level += r.cost
		p.heard = now
		left := 0.0
		if s != nil {
			p.adopt(now, r, *s)
			if s.Remaining > 0 && s.Remaining < r.cost {
				left = s.Remaining
			}
		}
		p.level = min(p.level, left)
		p.cushion = min(max(p.cushion, 1.5*(r.cost-left), p.limit.value/20), mostCushion*p.limit.value)
		if p.strikes++; p.strikes > 1 {
			retryAfter = max(retryAfter, min(time.Second<<min(p.strikes-2, 5), longestPause))
		}
		p.pause(now.Add(retryAfter))
	})
}

// refused ends r as refused without a figure. Such a refusal may be a proxy's, which knows of no
// bucket, so it moves no cushion. The level is as uncertain as after a lost answer.
func (r *Reservation) refused() {
	r.end(func(p *Pacer, now time.Time) {
		p.level = min(p.level+r.cost, 0)
		p.heard, p.tainted = now, true
		if !r.granted.Before(p.refusedAt) {
			p.strikes++
		}
		p.refusedAt = now
		seconds := r.cost / p.rate.value * math.Exp2(float64(min(max(p.strikes-2, 0), 20))) * (1 + rand.Float64()/2)
		p.pause(now.Add(time.Duration(min(seconds, longestPause.Seconds()) * float64(time.Second))))
	})
}

// giveBack is Return with p.mu held.
func (r *Reservation) giveBack() {
	r.endLocked(func(p *Pacer, _ time.Time) {
		p.level += r.cost
	})
}

func (r *Reservation) end(book func(p *Pacer, now time.Time)) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.endLocked(book)
}

func (r *Reservation) endLocked(book func(p *Pacer, now time.Time)) {
	if r.ended {
		return
	}
	r.ended = true
	p := r.p
	now := p.now()
	p.held -= r.cost
	book(p, now)
	p.cap()
	p.dispatch(now)
}
