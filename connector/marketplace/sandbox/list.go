package sandbox

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"
)

// A Change qualifies a change of content.
type Change int

// KeepUpdatedAt is as on servers where price and stock do not move updatedAt.
const KeepUpdatedAt Change = 1

// A record's listing is replaced, never written to.
type record struct {
	Publication
	gone    bool // kept for Restore
	before  *Listing
	changed map[string]time.Time // by variant
}

// Add puts publications on the import list, tells webhooks, and returns the ids. It panics on an id in use.
func (m *Marketplace) Add(publications ...Publication) (ids []string) {
	m.locked(func() {
		for _, p := range publications {
			m.name(&p.ID, "p")
			if m.records[p.ID] != nil {
				panic(fmt.Sprintf("sandbox: Add of the id %q, which is in use", p.ID))
			}
			r := &record{Publication: p, gone: true} // gone, so that replace sends no webhook
			r.Status, r.CreatedAt = cmp.Or(p.Status, statusSyncing), m.stamp()
			m.replace(r, p.Listing.clone())
			r.gone = false
			m.announce(r)
			m.records[p.ID], ids = r, append(ids, p.ID)
		}
	})
	return ids
}

// Remove takes publications off the import list.
func (m *Marketplace) Remove(ids ...string) {
	_ = m.each(ids, func(r *record) { r.gone = true }) //nolint:errcheck // what nobody knows is not on the list
}

// Restore puts removed publications back as syncing, and announces them.
func (m *Marketplace) Restore(ids ...string) {
	_ = m.each(ids, func(r *record) { //nolint:errcheck // what nobody knows was not removed
		if r.gone {
			r.gone, r.Status, r.ProductURL, r.UpdatedAt = false, statusSyncing, "", m.stamp()
			m.announce(r)
		}
	})
}

// Update has f write to a copy of a listing, or to a new one. f must not call the marketplace.
func (m *Marketplace) Update(id string, f func(*Listing), how ...Change) error {
	return m.each([]string{id}, func(r *record) {
		l := cmp.Or(r.Listing, &Listing{}).clone()
		f(l)
		m.replace(r, l.clone(), how...) // f may keep l
	})
}

// Supply changes a listing by the pairs of [Listing.Apply]. Instead status=syncing sets any status, listing=none
// takes the listing away, listing=back returns it.
func (m *Marketplace) Supply(id string, pairs []string, how ...Change) (err error) {
	unknown := m.each([]string{id}, func(r *record) {
		only := ""
		if len(pairs) == 1 {
			only = pairs[0]
		}
		switch status, is := strings.CutPrefix(only, "status="); {
		case is:
			r.Status, r.UpdatedAt = status, m.stamp()
		case only == "listing=none":
			m.replace(r, nil, how...)
		case only == "listing=back":
			m.replace(r, r.before, how...)
		default:
			l := cmp.Or(r.Listing, &Listing{}).clone()
			if err = l.Apply(pairs...); err == nil {
				m.replace(r, l, how...)
			}
		}
	})
	return cmp.Or(unknown, err)
}

// SetUpdatedAt sets a publication's updatedAt.
func (m *Marketplace) SetUpdatedAt(id string, at time.Time) error {
	return m.each([]string{id}, func(r *record) { r.UpdatedAt = at.UTC().Truncate(time.Microsecond) })
}

func (m *Marketplace) each(ids []string, f func(*record)) (err error) {
	m.locked(func() {
		for _, id := range ids {
			if r := m.records[id]; r != nil {
				f(r)
			} else {
				err = fmt.Errorf("no publication has the id %q", id)
			}
		}
	})
	return err
}

// Publications returns the import list, by id. Its listings must not be changed.
func (m *Marketplace) Publications() []Publication {
	out := []Publication{}
	m.locked(func() {
		for _, id := range slices.Sorted(maps.Keys(m.records)) {
			if r := m.live(id); r != nil {
				out = append(out, r.Publication)
			}
		}
	})
	return out
}

// Publication returns an entry of the import list, if it is there.
func (m *Marketplace) Publication(id string) (p Publication, ok bool) {
	m.locked(func() {
		if r := m.live(id); r != nil {
			p, ok = r.Publication, true
		}
	})
	return p, ok
}

func (m *Marketplace) live(id string) *record {
	if r := m.records[id]; r != nil && !r.gone {
		return r
	}
	return nil
}

func (m *Marketplace) replace(r *record, l *Listing, how ...Change) {
	now, changed := m.stamp(), map[string]time.Time{}
	if l != nil {
		m.name(&l.ID, "l")
		m.name(&l.ProductID, "d")
		had := map[string]Variant{}
		if r.Listing != nil {
			for _, v := range r.Listing.Variants {
				had[v.ID] = v
			}
		}
		for i := range l.Variants {
			v := &l.Variants[i]
			m.name(&v.ID, "v")
			if changed[v.ID] = now; reflect.DeepEqual(had[v.ID], *v) {
				changed[v.ID] = r.changed[v.ID]
			}
		}
	}
	r.before, r.Listing, r.changed = r.Listing, l, changed
	if !slices.Contains(how, KeepUpdatedAt) {
		r.UpdatedAt = now
	}
	if l != nil && !r.gone {
		m.notify(eventContent, "product", object{"id": l.ProductID})
	}
}

// stamp returns the next updatedAt: now, but later than all before, unless UpdatedAtPrecision lets it repeat.
func (m *Marketplace) stamp() time.Time {
	now := time.Now().UTC().Truncate(max(m.opts.UpdatedAtPrecision, time.Microsecond))
	if m.opts.UpdatedAtPrecision == 0 { // never a whole second, which would count as coarse
		now = time.UnixMicro(max(now.UnixMicro(), m.last.UnixMicro()) + 1).UTC()
	}
	m.last = now
	return now
}

// name makes up a missing id. Ids grow, so that ID_DESC shows the newest first.
func (m *Marketplace) name(id *string, kind string) {
	if *id == "" {
		m.serial++
		*id = fmt.Sprintf("%s%09d", kind, m.serial)
	}
}

const idDesc, updatedAtAsc = "ID_DESC", "UPDATED_AT_ASC"

type place struct {
	key   string
	entry func() object
}

func (x *execution) publications(a args) (any, error) {
	var all []place
	order := cmp.Or(a.text("sort"), idDesc)
	for key, r := range x.m.records {
		if order == updatedAtAsc {
			key = timestamp(r.UpdatedAt) + key
		}
		if !r.gone && x.fault.Kind != EmptyList {
			all = append(all, place{key, func() object { return x.publication(r) }})
		}
	}
	return x.page(a, order, all)
}

func (x *execution) productVariants(a args) (any, error) {
	var all []place
	for _, r := range x.m.records {
		if r.gone || r.Listing == nil {
			continue
		}
		for i, v := range r.Listing.Variants {
			all = append(all, place{timestamp(r.changed[v.ID]) + v.ID, func() object { return x.productVariant(r, i) }})
		}
	}
	return x.page(a, "variant", all)
}

func (x *execution) numbered(n int, entry func(i int) object) lazy {
	return func(a args) (any, error) {
		all := make([]place, n)
		for i := range all {
			all[i] = place{fmt.Sprintf("%09d", i), func() object { return entry(i) }}
		}
		return x.page(a, "number", all)
	}
}

// page answers a connection. A cursor holds for one order. A cursor that is null empties the list, as on some servers.
func (x *execution) page(a args, order string, all []place) (any, error) {
	compare := strings.Compare
	if order == idDesc {
		compare = func(a, b string) int { return strings.Compare(b, a) }
	}
	slices.SortFunc(all, func(a, b place) int { return compare(a.key, b.key) })
	start := 0
	if after, sent := a["after"]; sent && after == nil {
		all = nil
	} else if sent {
		last, err := x.m.behind(a.text("after"), order)
		if err != nil {
			return nil, err
		}
		start = sort.Search(len(all), func(i int) bool { return compare(all[i].key, last) > 0 })
	}
	end := min(start+max(a.number("first"), 0), len(all))
	nodes, edges, info := []any{}, []any{}, object{"hasNextPage": end < len(all), "hasPreviousPage": start > 0}
	for _, p := range all[start:end] {
		node, cursor := p.entry(), x.m.cursor(order, p.key)
		nodes, edges = append(nodes, node), append(edges, object{"node": node, "cursor": cursor})
		info["endCursor"] = cursor
	}
	return object{"nodes": nodes, "edges": edges, "pageInfo": info}, nil
}

func (m *Marketplace) cursor(order, key string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s %d.%s", order, m.generation, key))
}

// behind returns the key in a cursor of this order and generation.
func (m *Marketplace) behind(s, order string) (key string, err error) {
	plain, _ := base64.RawURLEncoding.DecodeString(s) //nolint:errcheck // then it is not what cursor made
	_, key, _ = strings.Cut(string(plain), ".")
	if m.cursor(order, key) != s {
		err = errors.New("Invalid cursor") //nolint:staticcheck // a server's words
	}
	return key, err
}
