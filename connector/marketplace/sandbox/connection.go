package sandbox

import (
	"errors"
	"slices"
	"strconv"
)

// A page is one stretch of a list that is read with first and after: it answers every type whose
// name ends in Connection.
type page struct {
	nodes            []node
	cursors          func(i int) cursor
	hasPrev, hasNext bool
}

func (p *page) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "nodes":
		return p.nodes, nil
	case "edges":
		edges := make([]node, len(p.nodes))
		for i := range p.nodes {
			edges[i] = edgeNode{p, i}
		}
		return edges, nil
	default:
		return (*pageInfoNode)(p), nil
	}
}

type edgeNode struct {
	page *page
	i    int
}

func (n edgeNode) resolve(_ *execution, f *field) (any, error) {
	if f.name == "node" {
		return n.page.nodes[n.i], nil
	}
	return n.page.cursors(n.i).encode(), nil
}

type pageInfoNode page

func (n *pageInfoNode) resolve(_ *execution, f *field) (any, error) {
	switch last := len(n.nodes) - 1; f.name {
	case "hasNextPage":
		return n.hasNext, nil
	case "hasPreviousPage":
		return n.hasPrev, nil
	default: // startCursor, endCursor
		if last < 0 {
			return nil, nil
		}
		if f.name == "startCursor" {
			return n.cursors(0).encode(), nil
		}
		return n.cursors(last).encode(), nil
	}
}

// A window is what the arguments of a connection ask for.
type window struct {
	first int
	after *cursor
	none  bool // empty because of an explicit null
}

// window reads first and after. after must be a valid cursor of this order.
func (x *execution) window(f *field, o order) (window, error) {
	w := window{first: asInt(x.arg(f, "first"))}
	if w.first < 0 {
		return window{}, errors.New("first must not be negative")
	}
	if x.m.opts.NullIsEmpty && (x.explicitNull(f, "after") || x.explicitNull(f, "sort")) {
		return window{none: true}, nil
	}
	after := x.arg(f, "after")
	if after == nil {
		return w, nil
	}
	c, err := decodeCursor(asString(after))
	if err != nil {
		return window{}, err
	}
	if c.order != o || c.generation != x.m.generation || slices.Contains(x.m.refused, asString(after)) {
		return window{}, errCursor
	}
	w.after = &c
	return w, nil
}

// numbered pages a list whose entries have growing numbers, so that removing an entry does not
// shift a page.
func numbered[T any](x *execution, f *field, items []T, number func(i int) int, wrap func(T) node) (any, error) {
	w, err := x.window(f, byNumber)
	if err != nil {
		return nil, err
	}
	start := 0
	if w.after != nil {
		last, err := w.after.number()
		if err != nil {
			return nil, err
		}
		for start < len(items) && number(start) <= last {
			start++
		}
	}
	if w.none {
		items, start = nil, 0
	}
	end := min(start+w.first, len(items))
	return &page{
		nodes: nodes(items[start:end], wrap),
		cursors: func(i int) cursor {
			return cursor{order: byNumber, generation: x.m.generation, id: strconv.Itoa(number(start + i))}
		},
		hasPrev: start > 0,
		hasNext: end < len(items),
	}, nil
}
