package sandbox

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

var errCursor = errors.New("Invalid cursor") //nolint:staticcheck // the words of the answer, not of a log

// The orders of lists. A cursor of one is refused by the others.
const (
	byNumber  = 'n'
	byID      = 'i' // falling
	byUpdate  = 'u'
	byVariant = 'v'
)

// page answers a connection: one stretch of a list of n, as first and after ask for it. Entries have
// keys in their order, so that a cursor is a position: behind its entry, wherever that is now.
func (x *execution) page(
	f *field, order byte, n int, key func(i int) string, entry func(i int) object,
) (any, error) {
	first := asInt(f.args["first"])
	if first < 0 {
		return nil, errors.New("first must not be negative")
	}
	for _, name := range []string{"after", "sort"} {
		if value, sent := f.args[name]; x.m.opts.NullIsEmpty && sent && value == nil {
			n = 0
		}
	}
	start := 0
	if after := f.args["after"]; after != nil {
		last, err := x.m.behind(asString(after), order)
		if err != nil {
			return nil, err
		}
		start = sort.Search(n, func(i int) bool { return order == byID && key(i) < last || order != byID && key(i) > last })
	}
	end := min(start+first, n)
	nodes, edges := []object{}, []object{}
	cursor := func(i int) any {
		if i < start || i >= end {
			return nil
		}
		return x.m.cursor(order, key(i))
	}
	for i := start; i < end; i++ {
		nodes = append(nodes, entry(i))
		edges = append(edges, object{"node": nodes[i-start], "cursor": func() any { return cursor(i) }})
	}
	return object{"nodes": nodes, "edges": edges, "pageInfo": object{
		"hasNextPage": end < n, "hasPreviousPage": start > 0, "startCursor": cursor(start), "endCursor": cursor(end - 1),
	}}, nil
}

// numbered pages a list in the order of its positions.
func numbered[T any](x *execution, f *field, list []T, entry func(i int) object) (any, error) {
	return x.page(f, byNumber, len(list), func(i int) string { return fmt.Sprintf("%09d", i) }, entry)
}

// cursor is a position as a client sees it: opaque letters.
func (m *Marketplace) cursor(order byte, key string) string {
	plain := string(order) + strconv.FormatUint(m.generation, 36) + "." + key
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// behind is the key in what cursor made for an order, since the cursors expired last.
func (m *Marketplace) behind(s string, order byte) (key string, err error) {
	plain, _ := base64.RawURLEncoding.Strict().DecodeString(s) //nolint:errcheck // then it is not what cursor made
	_, key, _ = strings.Cut(string(plain), ".")
	if m.cursor(order, key) != s {
		return "", errCursor
	}
	return key, nil
}

// lists are the records in the orders that were asked for since the last change.
type lists struct {
	byID, byUpdate []*record
	variants       []place
}

// A place is one product variant in the list of all.
type place struct {
	record *record
	index  int
	key    string
}

// listed is what is on the import list, by id.
func (m *Marketplace) listed() []*record {
	if m.lists.byID == nil {
		m.lists.byID = slices.SortedFunc(maps.Values(m.records), func(a, b *record) int { return cmp.Compare(a.ID, b.ID) })
		m.lists.byID = slices.DeleteFunc(m.lists.byID, func(r *record) bool { return r.gone })
	}
	return m.lists.byID
}

func compareUpdate(a, b *record) int {
	return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(a.ID, b.ID))
}

// moment is a time as a key: later ones are greater.
func moment(t time.Time) string { return fmt.Sprintf("%020d", t.UnixMicro()) }

// publications pages the import list in either order.
func (x *execution) publications(f *field) (any, error) {
	records, n := x.m.listed(), len(x.m.listed())
	entry := func(i int) object { return x.publication(records[i]) }
	if x.fault.Kind == EmptyList {
		n = 0
	}
	if asString(f.args["sort"]) != "UPDATED_AT_ASC" {
		records = slices.Clone(records)
		slices.Reverse(records)
		return x.page(f, byID, n, func(i int) string { return records[i].ID }, entry)
	}
	if x.m.lists.byUpdate == nil {
		x.m.lists.byUpdate = slices.SortedFunc(slices.Values(records), compareUpdate)
	}
	records = x.m.lists.byUpdate
	return x.page(f, byUpdate, n, func(i int) string { return moment(records[i].UpdatedAt) + records[i].ID }, entry)
}

// productVariants pages the variants of all products by updatedAt.
func (x *execution) productVariants(f *field) (any, error) {
	m := x.m
	switch m.opts.Variants { //nolint:exhaustive // the others show variants
	case VariantsRefused:
		return nil, errors.New("Access denied: products_read is missing") //nolint:staticcheck // a server's words
	case VariantsFailing:
		return nil, errors.New("Internal server error") //nolint:staticcheck // a server's words
	}
	if m.lists.variants == nil {
		records := m.listed()
		if m.opts.Variants == VariantsOfOthers {
			own := &record{Publication: Publication{CreatedAt: time.Unix(0, 0).UTC()}}
			own.setListing(&Listing{ProductID: "own-product", Variants: []Variant{{ID: "own-variant"}}}, own.CreatedAt)
			records = []*record{own}
		}
		m.lists.variants = []place{}
		for _, r := range records {
			for i, at := range r.changed {
				m.lists.variants = append(m.lists.variants, place{r, i, moment(at) + r.Listing.Variants[i].ID})
			}
		}
		slices.SortFunc(m.lists.variants, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	}
	all := m.lists.variants
	return x.page(f, byVariant, len(all), func(i int) string { return all[i].key },
		func(i int) object { return x.productVariant(all[i].record, all[i].index) })
}
