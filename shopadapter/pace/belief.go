package pace

import (
	"math"
	"time"
)

const (
	// plausible is the factor by which a limit or a restore rate may differ from the one believed
	// and be adopted at once. A figure further away needs a second answer in a row that says about
	// the same.
	plausible = 4.0
	agrees    = 2.0 // the factor by which that second answer may differ from the first

	leastLimit = 1.0 / 20 // of Options.Limit: no answers, however many, lead to a smaller bucket
	leastRate  = 1.0 / 50 // of Options.RestoreRate: the same for the rate
	mostDebt   = 0.1      // of the limit: a remaining further below zero counts as this

	// memory is how long the answers are believed after the last of them: limit, rate, the others'
	// use and the cushion. Answers renew it.
	memory = 10 * time.Minute
	// patience is the longest wait for points. Then one request is sent even without points, and
	// its answer mends the book.
	patience = time.Minute
)

// A figure is a limit or a restore rate as far as answers can be believed.
type figure struct {
	value   float64 // believed
	assumed float64 // before the first answer, and again when the answers are forgotten
	least   float64
	doubted float64 // what the last answer said, where that was not believed; 0: it was
}

func newFigure(assumed, least float64) figure {
	return figure{value: assumed, assumed: assumed, least: least * assumed}
}

// judge is the value to believe once an answer says said.
func (f *figure) judge(said float64) (value float64, believed bool) {
	switch {
	case !positive(said):
		return f.value, true // it says nothing
	case within(said, f.value, plausible), f.doubted > 0 && within(said, f.doubted, agrees):
		return max(said, f.least), true
	default:
		return f.value, false
	}
}

// adopt takes over what an answer says.
func (f *figure) adopt(said float64) {
	value, believed := f.judge(said)
	f.value, f.doubted = value, 0
	if !believed {
		f.doubted = said
	}
}

func (f *figure) forget() { f.value, f.doubted = f.assumed, 0 }

// within reports whether a and b, both positive, differ by no more than the factor.
func within(a, b, factor float64) bool { return a <= b*factor && b <= a*factor }

// positive reports whether x is a number of points that can be reckoned with.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Limit is the number of points that the bucket would be taken to hold after an answer that says
// limit.
func (p *Pacer) Limit(limit float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now()
	value, _ := p.limit.judge(limit)
	return value
}

// forget drops what answers taught that are too old to be believed.
func (p *Pacer) forget(now time.Time) {
	if !p.seeded || now.Sub(p.heard) < memory {
		return
	}
	p.limit.forget()
	p.rate.forget()
	p.foreign, p.used, p.span, p.before, p.cushion = 0, 0, 0, 0, 0
}
