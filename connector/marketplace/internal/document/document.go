// Package document holds what is asked: documents as trees of fields. A document whose fields are
// fixed is made by the client library from the type that its answer is read into: see [Typed].
// Package cost reckons what a document costs from its tree.
package document

import (
	"strings"
)

// A Field is one selection of a document. The tree it is part of is both what is sent and what the
// cost is reckoned from, so the two cannot disagree.
type Field struct {
	Alias string
	Name  string
	Args  string  // without parentheses
	First int     // a connection's page size, which multiplies the cost of its selection; 0: not a connection
	Sub   []Field // empty: a scalar
}

// Scalars are fields without a selection.
func Scalars(names ...string) []Field {
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i].Name = name
	}
	return fields
}

// Object is a field with a selection.
func Object(name, args string, sub ...Field) Field {
	return Field{Name: name, Args: args, Sub: sub}
}

// The kinds of document.
const (
	Query    = "query"
	Mutation = "mutation"
)

// A Document is one operation.
type Document struct {
	Kind   string // query or mutation
	Name   string
	Vars   []string // "$id:ID!"
	Body   []Field
	Kept   string // the text, where it is kept
	formed *shape // the same of the shape
}

// Keep has the text and the shape made once.
func (d Document) Keep() Document {
	s := d.Shape()
	d.Kept, d.formed = d.Text(), &s
	return d
}

// Text is the document as it is sent.
func (d Document) Text() string {
	if d.Kept != "" {
		return d.Kept
	}
	var b strings.Builder
	b.Grow(1024)
	b.WriteString(d.Kind)
	b.WriteByte(' ')
	b.WriteString(d.Name)
	if len(d.Vars) > 0 {
		b.WriteByte('(')
		b.WriteString(strings.Join(d.Vars, ","))
		b.WriteByte(')')
	}
	write(&b, d.Body)
	return b.String()
}

func write(b *strings.Builder, fields []Field) {
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(' ')
		}
		if f.Alias != "" {
			b.WriteString(f.Alias)
			b.WriteByte(':')
		}
		b.WriteString(f.Name)
		if f.Args != "" {
			b.WriteByte('(')
			b.WriteString(f.Args)
			b.WriteByte(')')
		}
		if len(f.Sub) > 0 {
			write(b, f.Sub)
		}
	}
	b.WriteByte('}')
}
