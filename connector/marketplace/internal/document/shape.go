package document

import (
	"slices"
	"strings"
)

// A shape is a document without its sizes and arguments. Its sizes are how often each root field
// stands in it and the first of each connection, and what a document of the shape costs is linear
// in them.
type shape struct {
	Key   string
	Sizes []float64
}

// Shape is the document's shape; that of a document whose text is kept is made once.
func (d Document) Shape() shape {
	if d.formed != nil {
		return *d.formed
	}
	var b strings.Builder
	b.Grow(512)
	b.WriteString(d.Kind)
	var s shape
	for i, root := range d.Body {
		if i > 0 && root.First == 0 && Alike(root, d.Body[i-1]) {
			s.Sizes[len(s.Sizes)-1]++
			continue
		}
		b.WriteByte(' ')
		s.Sizes = root.outline(&b, append(s.Sizes, 1))
	}
	s.Key = b.String()
	return s
}

// outline writes f's names, and adds the sizes of the connections in it.
func (f Field) outline(b *strings.Builder, sizes []float64) []float64 {
	b.WriteString(f.Name)
	if f.First > 0 {
		b.WriteByte('*')
		sizes = append(sizes, float64(f.First))
	}
	if len(f.Sub) == 0 {
		return sizes
	}
	b.WriteByte('{')
	for i, sub := range f.Sub {
		if i > 0 {
			b.WriteByte(' ')
		}
		sizes = sub.outline(b, sizes)
	}
	b.WriteByte('}')
	return sizes
}

// Alike reports whether a and b are the same but for alias and arguments, and hold no connection.
func Alike(a, b Field) bool {
	return a.Name == b.Name && a.First == 0 && b.First == 0 && slices.EqualFunc(a.Sub, b.Sub, Alike)
}
