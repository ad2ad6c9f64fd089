// Package wire reads the values of answers: texts, numbers and pages of connections, in every form
// that the specification leaves open.
package wire

import "fmt"

// A Page is a page of a connection, through nodes or edges.
type Page[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   Text
	}
	Nodes []*T
	Edges []struct{ Node *T }
}

// Items are the page's entries; what the server nulls is left out.
func (p *Page[T]) Items() []T {
	all, _ := p.Split()
	return all
}

// Split is the page's entries, and how many the server nulls.
func (p *Page[T]) Split() (all []T, nulls int) {
	all = make([]T, 0, len(p.Nodes)+len(p.Edges))
	add := func(item *T) {
		if item == nil {
			nulls++
			return
		}
		all = append(all, *item)
	}
	for _, node := range p.Nodes {
		add(node)
	}
	for _, edge := range p.Edges {
		add(edge.Node)
	}
	return all, nulls
}

// Next is the cursor of the page after this one. A page that says more follows and does not say
// where is an error, or the rest were lost.
func (p *Page[T]) Next(after string) (cursor string, more bool, err error) {
	cursor, more = string(p.PageInfo.EndCursor), p.PageInfo.HasNextPage
	if more && (cursor == "" || cursor == after) {
		return "", false, fmt.Errorf("another page follows, but no cursor leads to it")
	}
	return cursor, more, nil
}
