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
// connection's first for the entries of a connection. Lists within lists of millions are more than an
// int holds.
func (x *execution) requested() int {
	cost := 0.0
	for _, f := range x.fields {
		if !f.introspects() {
			cost += x.fieldCost(f)
		}
	}
	return int(min(cost, math.MaxInt32)) + x.schemaCost()
}

func (x *execution) fieldCost(f *field) float64 {
	cost := float64(x.price(f))
	for _, sub := range f.sub {
		once := x.fieldCost(sub)
		if sub.perEntry() || x.m.opts.PageInfoMultiplied && sub.Name == "pageInfo" {
			once *= float64(max(asInt(f.args["first"]), 0))
		}
		cost += once
	}
	return cost
}

// schemaCost is the price of all introspection together.
func (x *execution) schemaCost() int {
	if slices.ContainsFunc(x.fields, (*field).introspects) {
		return 1
	}
	return 0
}

// A bucket is the cost budget of one app: spent points come back at a steady rate, up to its size.
type bucket struct {
	mu        sync.Mutex
	limit     float64
	rate      float64 // points a second
	remaining float64
	at        time.Time // of remaining; zero before the first look
}

// take removes cost where the bucket holds that much, else nothing. A negative cost gives points back.
func (b *bucket) take(cost int) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if float64(cost) > b.remaining {
		return false
	}
	b.remaining = min(b.remaining-float64(cost), b.limit)
	return true
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
