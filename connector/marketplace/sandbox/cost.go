package sandbox

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// price is what one value of a field costs, without what is selected below it.
func (x *execution) price(f *field) int {
	if points, own := x.m.opts.FieldCosts[f.Name]; own {
		return points
	}
	if f.composite {
		return 1
	}
	return x.m.opts.ScalarCost
}

// introspects reports whether a field asks for the schema.
func (f *field) introspects() bool { return f.Name == "__schema" || f.Name == "__type" }

// perEntry reports whether a field is edges or nodes of a connection.
func (f *field) perEntry() bool {
	return (f.Name == "nodes" || f.Name == "edges") && strings.HasSuffix(f.ObjectDefinition.Name, "Connection")
}

// requested is what fields are charged before they are read: the price of each, times the
// connection's first for the entries of a connection.
func (x *execution) requested() (cost int) {
	for _, f := range x.fields {
		if !f.introspects() {
			cost = plus(cost, x.fieldCost(f))
		}
	}
	if slices.ContainsFunc(x.fields, (*field).introspects) {
		cost = plus(cost, 1)
	}
	return cost
}

func (x *execution) fieldCost(f *field) int {
	cost := x.price(f)
	for _, sub := range f.sub {
		once := x.fieldCost(sub)
		if sub.perEntry() || x.m.opts.PageInfoMultiplied && sub.Name == "pageInfo" {
			once = times(once, max(asInt(f.args["first"]), 0))
		}
		cost = plus(cost, once)
	}
	return cost
}

// plus and times saturate instead of overflowing, so that lists within lists of millions are
// refused.
func plus(a, b int) int { return min(a+b, math.MaxInt32) }

func times(a, b int) int {
	if a != 0 && b > math.MaxInt32/a {
		return math.MaxInt32
	}
	return a * b
}

// A bucket is the cost budget of one app: spent points come back at a steady rate, up to its size.
type bucket struct {
	mu        sync.Mutex
	limit     float64
	rate      float64 // points a second
	remaining float64
	at        time.Time // of remaining; zero before the first look
}

// take removes cost where the bucket holds that much. Else it removes nothing, and wait says how
// long until it would. A negative cost gives points back.
func (b *bucket) take(cost int) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if missing := float64(cost) - b.remaining; missing > 0 {
		return time.Duration(math.Ceil(missing / b.rate * float64(time.Second))), false
	}
	b.remaining = min(b.remaining-float64(cost), b.limit)
	return 0, true
}

// level is what remains, in whole points.
func (b *bucket) level() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return int(b.remaining)
}

func (b *bucket) refill() {
	now := time.Now()
	if !b.at.IsZero() {
		// A clock that is set back restores no points, and removes none.
		b.remaining = min(b.remaining+max(now.Sub(b.at), 0).Seconds()*b.rate, b.limit)
	}
	b.at = now
}
