package form

import (
	"maps"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// Connection is a page of a connection, through nodes or, where this server has none, through
// edges. more is further arguments. One without a value is left out: to some servers an explicit
// null is a filter that matches nothing.
func (f Forms) Connection(name, kind string, first int, more string, sub ...document.Field) document.Field {
	args := "first:" + strconv.Itoa(first)
	if more != "" {
		args += "," + more
	}
	items := document.Object("nodes", "", sub...)
	if f.Edges[kind] {
		items = document.Object("edges", "", document.Object("node", "", sub...))
	}
	return document.Field{
		Name:  name,
		Args:  args,
		First: first,
		Sub:   []document.Field{document.Object("pageInfo", "", document.Scalars("hasNextPage", "endCursor")...), items},
	}
}

// Fit removes from a typed document what this server does not have: nodes or edges of a connection,
// and fields that its schema lacks.
func (f Forms) Fit(d document.Document) document.Document {
	for i, root := range d.Body {
		d.Body[i].Sub = f.had(root.Name, root.Sub)
	}
	return d
}

// had returns the fields of a selection that this server has.
func (f Forms) had(root string, selected []document.Field) (kept []document.Field) {
	edges := f.Edges[connectionOf(root)]
	for _, s := range selected {
		switch s.Name {
		case "nodes", "edges":
			if (s.Name == "edges") != edges {
				continue
			}
			s.Sub = f.had(root, s.Sub)
		case "node":
			s.Sub = f.had(root, s.Sub)
		default:
			if f.Without[root+"."+s.Name] {
				continue
			}
		}
		kept = append(kept, s)
	}
	return kept
}

// connections are the fields of the kinds of connection.
var connections = map[string]string{
	"variant": "variants", "image": "images", "webhook": "webhooks", "channel": "channels",
	"publication": "publications", ProductVariant: "productVariants",
}

// kinds are all kinds of connection.
func kinds() []string { return append(slices.Collect(maps.Keys(connections)), ProductVariants) }

// connectionOf is the kind of connection of a field, "" where it is none.
func connectionOf(name string) string {
	for kind, field := range connections {
		if field == name {
			return kind
		}
	}
	return ""
}
