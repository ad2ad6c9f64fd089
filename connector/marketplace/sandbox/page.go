package sandbox

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"
)

var errCursor = errors.New("Invalid cursor") //nolint:staticcheck // the words of the answer, not of a log

// Rows are what a connection pages. Its entries have keys in their order, so that a cursor is a
// position: behind its entry, wherever that is now.
type rows struct {
	order byte // within its cursors: one of another order is refused
	n     int
	key   func(i int) string
	desc  bool // the keys fall
	entry func(i int) object
}

// page answers a connection: one stretch of a list, as first and after ask for it.
func (x *execution) page(f *field, l rows) (any, error) {
	first := asInt(f.args["first"])
	if first < 0 {
		return nil, errors.New("first must not be negative")
	}
	if x.m.opts.NullIsEmpty {
		for _, name := range []string{"after", "sort"} {
			if value, sent := f.args[name]; sent && value == nil {
				l.n = 0
			}
		}
	}
	start := 0
	if after := f.args["after"]; after != nil {
		key, err := x.m.behind(asString(after), l.order)
		if err != nil {
			return nil, err
		}
		start = sort.Search(l.n, func(i int) bool { return l.desc && l.key(i) < key || !l.desc && l.key(i) > key })
	}
	end := min(start+first, l.n)
	nodes, edges := []object{}, []object{}
	cursor := func(i int) any {
		if i < start || i >= end {
			return nil
		}
		return x.m.cursor(l.order, l.key(i))
	}
	for i := start; i < end; i++ {
		nodes = append(nodes, l.entry(i))
		edges = append(edges, object{"node": nodes[i-start], "cursor": func() any { return cursor(i) }})
	}
	return object{"nodes": nodes, "edges": edges, "pageInfo": object{
		"hasNextPage": end < l.n, "hasPreviousPage": start > 0, "startCursor": cursor(start), "endCursor": cursor(end - 1),
	}}, nil
}

// cursor is a position as a client sees it: opaque letters.
func (m *Marketplace) cursor(order byte, key string) string {
	plain := string(order) + strconv.FormatUint(m.generation, 36) + "." + key
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// behind is the key in what cursor made for an order, since the cursors expired last.
func (m *Marketplace) behind(s string, order byte) (key string, err error) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return "", errCursor
	}
	if n := len(m.cursor(order, "")) * 3 / 4; len(plain) >= n {
		key = string(plain[n:])
	}
	if m.cursor(order, key) != s {
		return "", errCursor
	}
	return key, nil
}

// numbered are rows in the order of its positions.
func numbered[T any](items []T, entry func(i int, item T) object) rows {
	return rows{
		order: 'n', n: len(items),
		key:   func(i int) string { return fmt.Sprintf("%09d", i) },
		entry: func(i int) object { return entry(i, items[i]) },
	}
}

// moment is a time as a key: later ones are greater.
func moment(t time.Time) string { return fmt.Sprintf("%020d", t.UnixMicro()) }

// publications pages the import list in either order.
func (x *execution) publications(f *field) (any, error) {
	records := x.m.updated()
	l := rows{order: 'u', key: func(i int) string { return moment(records[i].UpdatedAt) + records[i].ID }}
	if asString(f.args["sort"]) != "UPDATED_AT_ASC" {
		records = slices.Clone(x.m.listed())
		slices.Reverse(records)
		l = rows{order: 'i', desc: true, key: func(i int) string { return records[i].ID }}
	}
	l.entry = func(i int) object { return x.publication(records[i]) }
	if l.n = len(records); x.fault.Kind == EmptyList {
		l.n = 0
	}
	return x.page(f, l)
}

// A place is one product variant in the list of all.
type place struct {
	record *record
	index  int
}

func (p place) key() string {
	return moment(p.record.changed[p.index]) + p.record.Listing.Variants[p.index].ID
}

// productVariants pages the variants of all products by updatedAt. They are sorted when they are
// asked for after a change.
func (x *execution) productVariants(f *field) (any, error) {
	m := x.m
	switch m.opts.Variants { //nolint:exhaustive // the others show variants
	case VariantsRefused:
		return nil, errors.New("Access denied: products_read is missing") //nolint:staticcheck // a server's words
	case VariantsFailing:
		return nil, errors.New("Internal server error") //nolint:staticcheck // a server's words
	}
	if m.variants == nil {
		records := m.listed()
		if m.opts.Variants == VariantsOfOthers {
			own := &record{Publication: Publication{CreatedAt: time.Unix(0, 0).UTC()}}
			own.setListing(&Listing{ProductID: "own-product", Variants: []Variant{{ID: "own-variant"}}}, own.CreatedAt)
			records = []*record{own}
		}
		m.variants = []place{}
		for _, r := range records {
			for i := range r.changed {
				m.variants = append(m.variants, place{r, i})
			}
		}
		slices.SortFunc(m.variants, func(a, b place) int { return cmp.Compare(a.key(), b.key()) })
	}
	places := m.variants
	return x.page(f, rows{
		order: 'v', n: len(places), key: func(i int) string { return places[i].key() },
		entry: func(i int) object { return x.productVariant(places[i].record, places[i].index) },
	})
}
