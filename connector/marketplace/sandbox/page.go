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

	"github.com/vektah/gqlparser/v2/ast"
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
	for id, r := range m.records {
		switch {
		case r.gone:
		case order == byVariant:
			for i, at := range r.changed {
				all = append(all, place{moment(at) + r.Listing.Variants[i].ID, r, i})
			}
		case order == byUpdate:
			all = append(all, place{moment(r.UpdatedAt) + id, r, 0})
		default:
			all = append(all, place{id, r, 0})
		}
	}
	if order == byVariant && m.opts.Variants == VariantsOfOthers {
		own := &record{Publication: Publication{CreatedAt: time.Unix(0, 0).UTC()}}
		own.setListing(&Listing{ProductID: "own-product", Variants: []Variant{{ID: "own-variant"}}}, own.CreatedAt)
		all = []place{{"own-variant", own, 0}}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	if order == byID {
		slices.Reverse(all)
	}
	m.lists[order] = all
	return all
}

func moment(t time.Time) string { return fmt.Sprintf("%020d", t.UnixMicro()) }

func (x *execution) publications(f *ast.Field) (any, error) {
	order := byte(byID)
	if asString(x.args(f)["sort"]) == "UPDATED_AT_ASC" {
		order = byUpdate
	}
	all := x.m.listed(order)
	if x.fault.Kind == EmptyList {
		all = nil
	}
	return x.page(f, order, all, func(i int) object { return x.publication(all[i].record) })
}

func (x *execution) productVariants(f *ast.Field) (any, error) {
	switch x.m.opts.Variants { //nolint:exhaustive // the others show variants
	case VariantsRefused:
		return nil, errors.New("Access denied: products_read is missing") //nolint:staticcheck // a server's words
	case VariantsFailing:
		return nil, errors.New("Internal server error") //nolint:staticcheck // a server's words
	}
	all := x.m.listed(byVariant)
	return x.page(f, byVariant, all, func(i int) object { return x.productVariant(all[i].record, all[i].index) })
}

func numbered[T any](x *execution, f *ast.Field, list []T, entry func(i int) object) (any, error) {
	all := make([]place, len(list))
	for i := range all {
		all[i].key = fmt.Sprintf("%09d", i)
	}
	return x.page(f, byNumber, all, entry)
}

// page answers a connection: one stretch of a list, as first and after ask for it. A cursor is a
// position: behind its entry, wherever that is now. An explicit null empties a list, as somebody saw
// at the real one.
func (x *execution) page(f *ast.Field, order byte, all []place, entry func(i int) object) (any, error) {
	args, start := x.args(f), 0
	for _, name := range []string{"after", "sort"} {
		if value, sent := args[name]; sent && value == nil {
			all = nil
		}
	}
	if after := args["after"]; after != nil {
		last, err := x.m.behind(asString(after), order)
		if err != nil {
			return nil, err
		}
		start = sort.Search(len(all), func(i int) bool {
			return order == byID && all[i].key < last || order != byID && all[i].key > last
		})
	}
	end := min(start+max(asInt(args["first"]), 0), len(all))
	nodes, edges := []object{}, []object{}
	for i := start; i < end; i++ {
		nodes = append(nodes, entry(i))
		cursor := func() any { return x.m.cursor(order, all[i].key) }
		edges = append(edges, object{"node": nodes[i-start], "cursor": cursor})
	}
	info := object{"hasNextPage": end < len(all), "hasPreviousPage": start > 0}
	if end > start {
		info["startCursor"], info["endCursor"] = edges[0]["cursor"], edges[len(edges)-1]["cursor"]
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
