package sandbox

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	accountRetailer = "RETAILER"
	channelName     = "Web shop"
)

// errNotFound is an error with a code of its own.
var errNotFound = errors.New("Publication not found") //nolint:staticcheck,revive // the words of a server

// queryNode answers the fields of Query. The marketplace is locked for reading.
type queryNode struct{}

func (queryNode) resolve(x *execution, f *field) (any, error) {
	m := x.m
	if slices.Contains(m.opts.Denied, f.name) || !x.may(f.name) {
		//nolint:staticcheck,revive // the words of a server
		return nil, errors.New("Access denied: the token lacks the scope.")
	}
	switch f.name {
	case "account":
		return facts{"name": "Sandbox retailer", "type": accountRetailer, "slug": x.account}, nil
	case "channels":
		channel := facts{"id": "channel-" + m.opts.Account, "name": channelName, "url": m.opts.ChannelURL}
		return numbered(x, f, []node{channel}, func(i int) int { return i }, func(n node) node { return n })
	case "webhooks":
		hooks := m.courier.registrations()
		return numbered(x, f, hooks, func(i int) int { return hooks[i].number }, webhookFacts)
	case "publication":
		if r := m.live(asString(x.arg(f, "id"))); r != nil {
			return publicationNode{r}, nil
		}
		if m.opts.Gone != GoneNull {
			return nil, errNotFound
		}
		return nil, nil
	case "publications":
		return x.publications(f)
	case "product":
		id := asString(x.arg(f, "id"))
		if r := m.products[id]; r != nil && !r.gone && r.Listing != nil && r.Listing.ProductID == id {
			return productNode{r, r.Listing}, nil
		}
		return nil, nil
	case "productVariants":
		return x.productVariants(f)
	case "categories":
		return nodes(m.tree, x.categoryFacts), nil
	case "__schema":
		return schemaFacts(m.schema), nil
	default: // __type
		def := m.schema.Types[asString(x.arg(f, "name"))]
		if def == nil {
			return nil, nil
		}
		return typeFacts(m.schema, ast.NamedType(def.Name, nil)), nil
	}
}

// publications pages the import list in either order, without sorting: both orders are kept.
func (x *execution) publications(f *field) (any, error) {
	m := x.m
	o := byID
	if asString(x.arg(f, "sort")) == "UPDATED_AT_ASC" {
		o = byTime
	}
	w, err := x.window(f, o)
	if err != nil {
		return nil, err
	}
	list := m.byUpdate
	if o == byID {
		list = m.byID // ascending; read from its end
	}
	if x.empty || w.none {
		list = nil
	}
	start := 0
	if w.after != nil {
		start = m.behind(list, *w.after)
	}
	end := min(start+w.first, len(list))
	records := list[start:end]
	if o == byID {
		records = slices.Clone(list[len(list)-end : len(list)-start])
		slices.Reverse(records)
	}
	return &page{
		nodes:   nodes(records, func(r *record) node { return publicationNode{r} }),
		cursors: func(i int) cursor { return m.cursorOf(o, records[i]) },
		hasPrev: start > 0,
		hasNext: end < len(list),
	}, nil
}

// cursorOf is the cursor of a record.
func (m *Marketplace) cursorOf(o order, r *record) cursor {
	c := cursor{order: o, generation: m.generation, id: r.ID}
	if o == byTime {
		c.at = r.UpdatedAt.UnixMicro()
	}
	return c
}

// behind is how many entries of a list come before or at a cursor.
func (m *Marketplace) behind(list []*record, c cursor) int {
	if c.order == byID {
		i, _ := slices.BinarySearchFunc(list, c.id, func(r *record, id string) int { return cmp.Compare(r.ID, id) })
		return len(list) - i
	}
	i, found := slices.BinarySearchFunc(list, c, func(r *record, c cursor) int {
		return cmp.Or(cmp.Compare(r.UpdatedAt.UnixMicro(), c.at), cmp.Compare(r.ID, c.id))
	})
	if found {
		i++
	}
	return i
}

// A variantPlace is one product variant in the list of all.
type variantPlace struct {
	record *record
	index  int
	at     time.Time
	id     string
}

// productVariants pages the variants of all products. They are sorted when they are asked for after
// a change.
func (x *execution) productVariants(f *field) (any, error) {
	switch x.m.opts.Variants {
	case VariantsRefused:
		return nil, errVariantsRefused
	case VariantsFailing:
		return nil, errVariantsFailing
	default:
	}
	w, err := x.window(f, byVariant)
	if err != nil {
		return nil, err
	}
	all := x.m.variants
	if w.none {
		all = nil
	}
	start := 0
	if c := w.after; c != nil {
		var found bool
		start, found = slices.BinarySearchFunc(all, *c, func(v variantPlace, c cursor) int {
			return cmp.Or(cmp.Compare(v.at.UnixMicro(), c.at), cmp.Compare(v.id, c.id))
		})
		if found {
			start++
		}
	}
	end := min(start+w.first, len(all))
	places := all[start:end]
	return &page{
		nodes: nodes(
			places, func(v variantPlace) node { return productVariantNode{v.record, v.record.Listing, v.index} },
		),
		cursors: func(i int) cursor {
			return cursor{order: byVariant, generation: x.m.generation, at: places[i].at.UnixMicro(), id: places[i].id}
		},
		hasPrev: start > 0,
		hasNext: end < len(all),
	}, nil
}

func webhookFacts(w Webhook) node {
	return facts{"id": w.ID, "callbackUrl": w.CallbackURL, "events": w.Events, "active": w.Active}
}
