package sandbox

import "math"

// price is what one value of a field costs, without what is selected below it.
func (m *Marketplace) price(f *field) int {
	points, own := m.opts.FieldCosts[f.name]
	if !own {
		if points = 1; !f.composite {
			points = m.opts.ScalarCost
		}
	}
	if f.parent == "Mutation" && f.composite {
		points += m.opts.MutationCost
	}
	return points
}

// requestedCost is what an operation is charged before it runs: the price of every field, times the
// connection's first for the entries of a connection. All introspection of a document costs one
// point together.
func (x *execution) requestedCost(fields []*field) int {
	cost := 0
	for _, f := range fields {
		if !x.included(f) {
			continue
		}
		if f.name == "__schema" || f.name == "__type" {
			x.introspected = true
			continue
		}
		cost = plus(cost, x.fieldCost(f))
	}
	if x.introspected {
		cost = plus(cost, 1)
	}
	return cost
}

func (x *execution) fieldCost(f *field) int {
	if !f.composite {
		return x.m.price(f)
	}
	first := 1
	if f.connection {
		first = max(asInt(x.arg(f, "first")), 0)
	}
	cost := x.m.price(f)
	for _, sub := range f.sub {
		if !x.included(sub) {
			continue
		}
		once := x.fieldCost(sub)
		if sub.perEntry || f.connection && x.multiplied(sub) {
			once = times(once, first)
		}
		cost = plus(cost, once)
	}
	return cost
}

// multiplied reports whether a member of a connection that is neither edges nor nodes counts once
// per entry too.
func (x *execution) multiplied(f *field) bool {
	return x.m.opts.PageInfoMultiplied && f.name == "pageInfo"
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
