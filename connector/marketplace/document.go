package marketplace

import (
	"strconv"
	"strings"
)

// A field is one selection of a document. The tree it is part of is both what is sent and what the
// cost is reckoned from, so the two cannot disagree.
type field struct {
	alias string
	name  string
	args  string  // without parentheses
	first int     // a connection's page size, which multiplies the cost of its selection; 0: not a connection
	sub   []field // empty: a scalar
}

// scalars are fields without a selection.
func scalars(names ...string) []field {
	fields := make([]field, len(names))
	for i, name := range names {
		fields[i].name = name
	}
	return fields
}

// object is a field with a selection.
func object(name, args string, sub ...field) field {
	return field{name: name, args: args, sub: sub}
}

// connection is a page of a connection, through nodes or, where this server has none, through
// edges. An argument without a value is left out, since a server may take an explicit null for a
// filter that matches nothing.
func (f Forms) connection(name, kind string, first int, more string, sub ...field) field {
	args := "first:" + strconv.Itoa(first)
	if more != "" {
		args += "," + more
	}
	items := object("nodes", "", sub...)
	if f.edges[kind] {
		items = object("edges", "", object("node", "", sub...))
	}
	return field{
		name:  name,
		args:  args,
		first: first,
		sub:   []field{object("pageInfo", "", scalars("hasNextPage", "endCursor")...), items},
	}
}

// The kinds of document.
const (
	query    = "query"
	mutation = "mutation"
)

// A document is one operation.
type document struct {
	kind   string // query or mutation
	name   string
	vars   []string // "$id:ID!"
	body   []field
	kept   string // the text, where it is kept
	formed *shape // the same of the shape
}

// keep has the text and the shape made once.
func (d document) keep() document {
	s := d.shape()
	d.kept, d.formed = d.text(), &s
	return d
}

// text is the document as it is sent.
func (d document) text() string {
	if d.kept != "" {
		return d.kept
	}
	var b strings.Builder
	b.Grow(1024)
	b.WriteString(d.kind)
	b.WriteByte(' ')
	b.WriteString(d.name)
	if len(d.vars) > 0 {
		b.WriteByte('(')
		b.WriteString(strings.Join(d.vars, ","))
		b.WriteByte(')')
	}
	write(&b, d.body)
	return b.String()
}

func write(b *strings.Builder, fields []field) {
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(' ')
		}
		if f.alias != "" {
			b.WriteString(f.alias)
			b.WriteByte(':')
		}
		b.WriteString(f.name)
		if f.args != "" {
			b.WriteByte('(')
			b.WriteString(f.args)
			b.WriteByte(')')
		}
		if len(f.sub) > 0 {
			write(b, f.sub)
		}
	}
	b.WriteByte('}')
}

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

// models lists the ways in which a query may be counted, the most expensive first.
func models() []model {
	return []model{{scalar: 1, pageInfo: true}, {scalar: 1}, {pageInfo: true}, {}}
}

// ways lists the models of a kind of document, the most expensive first.
func ways(kind string) []model {
	if kind == mutation {
		return []model{{scalar: 1, mutation: dearMutation}, {mutation: dearMutation}, {scalar: 1}, {}}
	}
	return models()
}

// price is the requested cost of d under m.
func (m model) price(d document) float64 {
	cost := m.cost(d.body)
	if d.kind == mutation {
		cost += m.mutation * float64(len(d.body))
	}
	return cost
}

// cost is the requested cost of fields under m.
func (m model) cost(fields []field) float64 {
	sum := 0.0
	for _, f := range fields {
		if len(f.sub) == 0 {
			sum += m.scalar
			continue
		}
		sum++
		if f.first == 0 {
			sum += m.cost(f.sub)
			continue
		}
		for i := range f.sub {
			part := m.cost(f.sub[i : i+1])
			if f.sub[i].name != "pageInfo" || m.pageInfo {
				part *= float64(f.first)
			}
			sum += part
		}
	}
	return sum
}
