package sandbox

import (
	"math"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// price is what one value of a field costs, without what is selected below it.
func (x *execution) price(f *ast.Field) int {
	if points, own := x.m.opts.FieldCosts[f.Name]; own {
		return points
	}
	if len(f.SelectionSet) > 0 {
		return 1
	}
	return x.m.opts.ScalarCost
}

func introspects(f *ast.Field) bool { return f.Name == "__schema" || f.Name == "__type" }

// perEntry reports whether a field is edges or nodes of a connection.
func perEntry(f *ast.Field) bool {
	return (f.Name == "nodes" || f.Name == "edges") && strings.HasSuffix(f.ObjectDefinition.Name, "Connection")
}

// requested is what the fields are charged before they are read. Lists within lists of millions are
// more than an int holds.
func (x *execution) requested() int {
	cost := 0.0
	for _, f := range fields(x.op.SelectionSet) {
		cost += x.most(f)
	}
	return int(min(cost, math.MaxInt32))
}

func (x *execution) most(f *ast.Field) float64 {
	if introspects(f) {
		return 1
	}
	cost := float64(x.price(f))
	for _, sub := range fields(f.SelectionSet) {
		once := x.most(sub)
		if perEntry(sub) || x.m.opts.PageInfoMultiplied && sub.Name == "pageInfo" {
			once *= float64(max(x.args(f).number("first"), 0))
		}
		cost += once
	}
	return cost
}

// take removes cost where the bucket holds that much, else nothing. A negative cost gives points back.
func (m *Marketplace) take(cost int) (ok bool) {
	m.locked(func() {
		limit, now := float64(m.opts.Limit), time.Now()
		// a clock that was set back restores nothing, and removes nothing
		m.points = min(m.points+max(now.Sub(m.filled), 0).Seconds()*m.opts.RestoreRate, limit)
		m.filled = now
		if ok = float64(cost) <= m.points; ok {
			m.points = min(m.points-float64(cost), limit)
		}
	})
	return ok
}

// Remaining is what the cost bucket holds now, in whole points.
func (m *Marketplace) Remaining() (points int) {
	m.take(0)
	m.locked(func() { points = int(m.points) })
	return points
}

// Spend removes points as another client of the same app would, as far as there are any.
func (m *Marketplace) Spend(points int) { m.take(min(points, m.Remaining())) }
