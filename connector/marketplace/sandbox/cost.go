package sandbox

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// price is what one value of a field costs, without what is selected below it.
func (x *execution) price(f *ast.Field) int {
	points, own := x.m.opts.FieldCosts[f.Name]
	switch {
	case own:
		return points
	case len(f.SelectionSet) > 0:
		return 1
	default:
		return x.m.opts.ScalarCost
	}
}

func introspects(f *ast.Field) bool { return f.Name == "__schema" || f.Name == "__type" }

// perEntry reports whether a field is edges or nodes of a connection.
func perEntry(f *ast.Field) bool {
	return (f.Name == "nodes" || f.Name == "edges") && strings.HasSuffix(f.ObjectDefinition.Name, "Connection")
}

// requested is what fields are charged before they are read. Lists within lists of millions are more
// than an int holds.
func (x *execution) requested() int {
	cost := 0.0
	for _, f := range fields(x.op.SelectionSet) {
		if !introspects(f) {
			cost += x.fieldCost(f)
		}
	}
	return int(min(cost, math.MaxInt32)) + x.schemaCost()
}

func (x *execution) fieldCost(f *ast.Field) float64 {
	cost := float64(x.price(f))
	for _, sub := range fields(f.SelectionSet) {
		once := x.fieldCost(sub)
		if perEntry(sub) || x.m.opts.PageInfoMultiplied && sub.Name == "pageInfo" {
			once *= float64(max(asInt(x.args(f)["first"]), 0))
		}
		cost += once
	}
	return cost
}

func (x *execution) schemaCost() int {
	if slices.ContainsFunc(fields(x.op.SelectionSet), introspects) {
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

func (b *bucket) level() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return int(b.remaining)
}

// refill restores points. A clock that is set back restores none, and removes none.
func (b *bucket) refill() {
	now := time.Now()
	if !b.at.IsZero() {
		b.remaining = min(b.remaining+max(now.Sub(b.at), 0).Seconds()*b.rate, b.limit)
	}
	b.at = now
}
