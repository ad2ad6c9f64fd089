package cost

import "github.com/pubsync/pubsync/connector/marketplace/internal/document"

// A model is one way in which a server may count, within what the specification says: an object
// costs 1, and a connection multiplies.
type model struct {
	scalar   float64 // what a scalar costs
	pageInfo bool    // whether a connection multiplies its pageInfo too
	mutation float64 // what a mutation costs beyond its fields
}

// dearMutation is what each mutation costs beyond its fields on many servers that count in this
// way.
const dearMutation = 10.0

// Models lists the ways in which a query may be counted, the most expensive first.
func Models() []model {
	return []model{{scalar: 1, pageInfo: true}, {scalar: 1}, {pageInfo: true}, {}}
}

// ways lists the models of a kind of document, the most expensive first.
func ways(kind string) []model {
	if kind == document.Mutation {
		return []model{{scalar: 1, mutation: dearMutation}, {mutation: dearMutation}, {scalar: 1}, {}}
	}
	return Models()
}

// price is the requested cost of d under m.
func (m model) price(d document.Document) float64 {
	cost := m.Cost(d.Body)
	if d.Kind == document.Mutation {
		cost += m.mutation * float64(len(d.Body))
	}
	return cost
}

// Cost is the requested cost of fields under m.
func (m model) Cost(fields []document.Field) float64 {
	sum := 0.0
	for _, f := range fields {
		if len(f.Sub) == 0 {
			sum += m.scalar
			continue
		}
		sum++
		if f.First == 0 {
			sum += m.Cost(f.Sub)
			continue
		}
		for i := range f.Sub {
			part := m.Cost(f.Sub[i : i+1])
			if f.Sub[i].Name != "pageInfo" || m.pageInfo {
				part *= float64(f.First)
			}
			sum += part
		}
	}
	return sum
}

// terms is what one more of each size of d costs under m, in the order of the shape's sizes. No
// connection lies within another.
func (m model) terms(d document.Document) []float64 {
	var terms []float64
	for i, root := range d.Body {
		if i > 0 && root.First == 0 && document.Alike(root, d.Body[i-1]) {
			continue
		}
		at := len(terms)
		once, all := m.split(root, append(terms, 0))
		if terms = all; d.Kind == document.Mutation {
			once += m.mutation
		}
		terms[at] = once
	}
	return terms
}

// split returns what f costs without the entries of the connections in it. To terms it appends what
// one entry of each connection costs.
func (m model) split(f document.Field, terms []float64) (once float64, all []float64) {
	if len(f.Sub) == 0 {
		return m.scalar, terms
	}
	once = 1
	at := len(terms)
	if f.First > 0 {
		terms = append(terms, 0)
	}
	for _, sub := range f.Sub {
		var part float64
		part, terms = m.split(sub, terms)
		if f.First > 0 && (m.pageInfo || sub.Name != "pageInfo") {
			terms[at] += part
		} else {
			once += part
		}
	}
	return once, terms
}
