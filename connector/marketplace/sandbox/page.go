package sandbox

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// The orders of lists. A cursor of one is refused by the others.
const (
	byNumber  = 'n'
	byID      = 'i' // falling
	byUpdate  = 'u'
	byVariant = 'v'
)

// A place is one entry of a list, by the key that orders it.
type place struct {
	key    string
	record *record
	index  int // of a variant
}

// listed are the places of a list in an order.
func (m *Marketplace) listed(order byte) []place {
	if all, sorted := m.lists[order]; sorted {
		return all
	}
	all := make([]place, 0, len(m.records))
	moment := func(t time.Time) string { return fmt.Sprintf("%020d", t.UnixMicro()) }
	for id, r := range m.records {
		switch {
		case r.gone:
		case order == byVariant:
			for i, v := range r.variants() {
				all = append(all, place{moment(r.changed) + v.ID, r, i})
			}
		case order == byUpdate:
			all = append(all, place{moment(r.UpdatedAt) + id, r, 0})
		default:
			all = append(all, place{id, r, 0})
		}
	}
	if order == byVariant && m.opts.OthersVariants {
		own := &record{Publication: Publication{
			Listing: &Listing{ProductID: "own-product", Variants: []Variant{{ID: "own-variant"}}},
		}}
		all = []place{{"own-variant", own, 0}}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	if order == byID {
		slices.Reverse(all)
	}
	m.lists[order] = all
	return all
}

func (x *execution) publications(a args) (any, error) {
	order, all := byte(byID), []place(nil)
	if a.text("sort") == "UPDATED_AT_ASC" {
		order = byUpdate
	}
	if x.fault.Kind != EmptyList {
		all = x.m.listed(order)
	}
	return x.page(a, order, all, func(i int) any { return x.publication(all[i].record) })
}

func (x *execution) productVariants(a args) (any, error) {
	all := x.m.listed(byVariant)
	return x.page(a, byVariant, all, func(i int) any { return x.productVariant(all[i].record, all[i].index) })
}

// numbered is a connection of n entries in an order of their own.
func (x *execution) numbered(n int, entry func(i int) any) lazy {
	return func(a args) (any, error) {
		all := make([]place, n)
		for i := range all {
			all[i].key = fmt.Sprintf("%09d", i)
		}
		return x.page(a, byNumber, all, entry)
	}
}

// page answers a connection: one stretch of a list, as first and after ask for it. A cursor is a
// position: behind its entry, wherever that is now. An explicit null empties a list, as somebody saw
// at the real one.
func (x *execution) page(a args, order byte, all []place, entry func(i int) any) (any, error) {
	if after, sent := a["after"]; sent && after == nil {
		all = nil
	}
	start := 0
	if a["after"] != nil {
		last, err := x.m.behind(a.text("after"), order)
		if err != nil {
			return nil, err
		}
		start = sort.Search(len(all), func(i int) bool {
			return order == byID && all[i].key < last || order != byID && all[i].key > last
		})
	}
	end := min(start+max(a.number("first"), 0), len(all))
	nodes, edges, info := []any{}, []any{}, object{"hasNextPage": end < len(all), "hasPreviousPage": start > 0}
	for i := start; i < end; i++ {
		cursor := x.m.cursor(order, all[i].key)
		nodes = append(nodes, entry(i))
		edges = append(edges, object{"node": nodes[i-start], "cursor": cursor})
		info["endCursor"] = cursor
	}
	return object{"nodes": nodes, "edges": edges, "pageInfo": info}, nil
}

func (m *Marketplace) cursor(order byte, key string) string {
	plain := string(order) + strconv.FormatUint(m.generation, 36) + "." + key
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// behind is the key in what cursor made for an order, since the cursors expired last.
func (m *Marketplace) behind(s string, order byte) (key string, err error) {
	plain, _ := base64.RawURLEncoding.Strict().DecodeString(s) //nolint:errcheck // then it is not what cursor made
	_, key, _ = strings.Cut(string(plain), ".")
	if m.cursor(order, key) != s {
		return "", errors.New("Invalid cursor") //nolint:staticcheck // a server's words
	}
	return key, nil
}
