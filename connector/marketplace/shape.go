package marketplace

import (
	"slices"
	"strings"
)

// A shape is a document without its sizes and arguments. Its sizes are how often each root field
// stands in it and the first of each connection, and what a document of the shape costs is linear
// in them.
type shape struct {
	key   string
	sizes []float64
}

// shape is the document's shape; that of a document whose text is kept is made once.
func (d document) shape() shape {
	if d.formed != nil {
		return *d.formed
	}
	var b strings.Builder
	b.Grow(512)
	b.WriteString(d.kind)
	var s shape
	for i, root := range d.body {
		if i > 0 && root.first == 0 && alike(root, d.body[i-1]) {
			s.sizes[len(s.sizes)-1]++
			continue
		}
		b.WriteByte(' ')
		s.sizes = root.outline(&b, append(s.sizes, 1))
	}
	s.key = b.String()
	return s
}

// outline writes f's names, and adds the sizes of the connections in it.
func (f field) outline(b *strings.Builder, sizes []float64) []float64 {
	b.WriteString(f.name)
	if f.first > 0 {
		b.WriteByte('*')
		sizes = append(sizes, float64(f.first))
	}
	if len(f.sub) == 0 {
		return sizes
	}
	b.WriteByte('{')
	for i, sub := range f.sub {
		if i > 0 {
			b.WriteByte(' ')
		}
		sizes = sub.outline(b, sizes)
	}
	b.WriteByte('}')
	return sizes
}

// alike reports whether a and b are the same but for alias and arguments, and hold no connection.
func alike(a, b field) bool {
	return a.name == b.name && a.first == 0 && b.first == 0 && slices.EqualFunc(a.sub, b.sub, alike)
}

// terms is what one more of each of d's sizes costs under m, in the order of the shape's sizes. No
// connection lies within another.
func (m model) terms(d document) []float64 {
	var terms []float64
	for i, root := range d.body {
		if i > 0 && root.first == 0 && alike(root, d.body[i-1]) {
			continue
		}
		at := len(terms)
		once, all := m.split(root, append(terms, 0))
		if terms = all; d.kind == mutation {
			once += m.mutation
		}
		terms[at] = once
	}
	return terms
}

// split is what f costs without the entries of the connections in it, and adds to terms what one
// entry of each costs.
func (m model) split(f field, terms []float64) (once float64, all []float64) {
	if len(f.sub) == 0 {
		return m.scalar, terms
	}
	once = 1
	at := len(terms)
	if f.first > 0 {
		terms = append(terms, 0)
	}
	for _, sub := range f.sub {
		var part float64
		part, terms = m.split(sub, terms)
		if f.first > 0 && (m.pageInfo || sub.name != "pageInfo") {
			terms[at] += part
		} else {
			once += part
		}
	}
	return once, terms
}
