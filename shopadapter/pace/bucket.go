package pace

import (
	"math"
	"time"
)

const (
	foreignSpan = 15.0  // seconds over which the others' use is averaged
	cushionSpan = 300.0 // seconds in which a cushion that is not needed again shrinks to a third
	cushionOf   = 4.0   // seconds of the others' average use that lie in the cushion at least: they come in bursts
	mostCushion = 0.25  // of the limit
	mostForeign = 0.8   // of the restore rate: some of it is tried, however much the others use
)

// now brings the level up to date.
func (p *Pacer) now() time.Time {
	now := time.Now()
	if passed := now.Sub(p.at).Seconds(); passed > 0 {
		p.level += passed * (p.rate.value - p.foreign)
		p.at = now
		p.forget(now)
		p.full = p.full || p.level >= p.limit.value-p.held
	}
	p.cap()
	return now
}

// cap holds the level to what the server's bucket can hold. Reservations that are out may not have
// been charged yet, and until they are the server's bucket is no fuller for their being counted
// here. No bucket owes more than it holds.
func (p *Pacer) cap() {
	if len(p.queue) == 0 && p.held < 1e-9 {
		p.held = 0 // fractions do not add up to exactly nothing
	}
	p.level = max(min(p.level, p.limit.value-p.held), -p.limit.value)
}

// adopt takes over what the answer to r says. r has been taken out of held, and its own charge is
// not in charged yet.
//
// Answers overtake one another. What remains may have been noted before the requests were charged
// that are out now, and before those were that were charged since r was granted: their points are
// never counted as free on its word.
func (p *Pacer) adopt(now time.Time, r *Reservation, s Status) {
	p.limit.adopt(s.Limit)
	p.rate.adopt(s.RestoreRate)
	if math.IsNaN(s.Remaining) || math.IsInf(s.Remaining, 0) {
		return
	}
	p.cap()
	remaining := max(min(s.Remaining, p.limit.value), -mostDebt*p.limit.value)
	beside := p.held + p.charged - r.charged
	if p.seeded {
		p.learn(now.Sub(p.anchor).Seconds(), now.Sub(r.granted).Seconds(), remaining, beside)
	}
	p.level = min(max(p.level, remaining-beside), remaining)
	p.anchor, p.full = now, false
	p.tainted = false
}

// learn compares the level with what an answer says remains, span seconds after the last
// comparison. beside is the points of the requests that were out together with the one that is
// answered.
func (p *Pacer) learn(span, latency, remaining, beside float64) {
	if span <= 0 {
		return
	}
	p.cushion *= math.Exp(-span / cushionSpan)
	used := p.foreign * span // what the level took the others to use
	switch surprise := p.level - remaining; {
	case surprise > 0:
		p.cushion = min(max(p.cushion, 1.5*surprise), mostCushion*p.limit.value)
		// The answer is older than the level by up to its latency; that difference is no use by
		// another client.
		used += max(surprise-p.rate.value*latency, 0)
	case beside > 0 || p.tainted:
		// The difference may be a request that was under way meanwhile, or one that was lost before
		// it was charged.
	case p.full:
		used = 0 // beside a full bucket the use of others cannot be seen
	default:
		used += surprise
	}
	p.used += used
	p.span += span
	if p.span < foreignSpan {
		return
	}
	// Two spans have to agree: a single large request of another client is over when it is seen.
	latest := p.used / p.span
	p.foreign = min(latest, p.before)
	p.before, p.used, p.span = latest, 0, 0
	p.foreign = min(max(p.foreign, 0), mostForeign*p.rate.value)
	p.cushion = min(max(p.cushion, cushionOf*p.foreign), mostCushion*p.limit.value)
}
