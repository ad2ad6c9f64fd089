package sandbox

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// A Change is a circumstance of a change of content.
type Change int

// The circumstances. By default updatedAt moves and webhooks tell of it.
const (
	KeepUpdatedAt Change = iota + 1 // as on a server where a price or a stock does not move updatedAt
	NoWebhook                       // as where the webhook is lost
)

// A record is a publication as it is kept. Its listing is never written to, only replaced, so that
// an answer may hold it.
type record struct {
	Publication
	gone    bool                 // removed from the list; kept for Restore
	taken   *Listing             // that listing=none took away
	changed map[string]time.Time // when each of the listing's variants last did
}

func (r *record) variants() []Variant {
	if r.Listing == nil {
		return nil
	}
	return r.Listing.Variants
}

// Add puts publications on the import list, delivers the webhooks for PUBLICATION_CREATED, and
// returns the ids. It panics on an id that is in use.
func (m *Marketplace) Add(publications ...Publication) (ids []string) {
	m.locked(func() {
		for _, p := range publications {
			p.Listing = p.Listing.clone()
			ids = append(ids, m.add(p))
		}
	})
	return ids
}

// add puts one publication on the list. Its listing becomes the marketplace's own.
func (m *Marketplace) add(p Publication) string {
	m.name(&p.ID, "p")
	if m.records[p.ID] != nil {
		panic("sandbox: Add of the id " + strconv.Quote(p.ID) + ", which is in use")
	}
	l, r := p.Listing, &record{Publication: p}
	r.Status, r.CreatedAt, r.Listing = cmp.Or(p.Status, statusSyncing), m.stamp(), nil
	m.records[p.ID] = r
	m.setListing(r, l, r.CreatedAt)
	m.touch(r, r.CreatedAt)
	m.announce(r)
	return p.ID
}

// Remove removes publications from the import list, as a retailer does.
func (m *Marketplace) Remove(ids ...string) {
	m.locked(func() {
		for _, id := range ids {
			if r := m.records[id]; r != nil {
				r.gone = true
			}
		}
		clear(m.lists)
	})
}

// Restore puts removed publications back with their old ids, as syncing, and announces them like
// new ones.
func (m *Marketplace) Restore(ids ...string) {
	m.locked(func() {
		for _, id := range ids {
			if r := m.records[id]; r != nil && r.gone {
				r.gone, r.Status, r.ProductURL = false, statusSyncing, ""
				m.touch(r, m.stamp())
				m.announce(r)
			}
		}
	})
}

// Update changes a listing. f gets a copy, and what it leaves in it becomes the listing; an entry
// that had none gets one. f must not call the marketplace.
func (m *Marketplace) Update(id string, f func(*Listing), how ...Change) error {
	return m.change(id, func(r *record) error {
		l := cmp.Or(r.Listing, &Listing{}).clone()
		f(l)
		m.replace(r, l.clone(), how) // f may have kept what it was given
		return nil
	})
}

// SetUpdatedAt sets a publication's updatedAt, so that it equals another's say.
func (m *Marketplace) SetUpdatedAt(id string, at time.Time) error {
	return m.change(id, func(r *record) error { m.touch(r, at.UTC().Truncate(time.Microsecond)); return nil })
}

// change changes a record that is, or once was, on the list.
func (m *Marketplace) change(id string, f func(*record) error) (err error) {
	m.locked(func() {
		err = fmt.Errorf("change publication: none has the id %q", id)
		if r := m.records[id]; r != nil {
			err = f(r)
		}
	})
	return err
}

// Publications is what is on the import list, by id. Listings must not be changed.
func (m *Marketplace) Publications() []Publication {
	out := []Publication{}
	m.locked(func() {
		for _, p := range slices.Backward(m.listed(byID)) {
			out = append(out, p.record.Publication)
		}
	})
	return out
}

// Publication is one entry of the import list, and false when it is not on it.
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

// replace gives a record another listing, moves updatedAt and delivers webhooks, as far as how
// allows.
func (m *Marketplace) replace(r *record, l *Listing, how []Change) {
	now := m.stamp()
	m.setListing(r, l, now)
	if !slices.Contains(how, KeepUpdatedAt) {
		m.touch(r, now)
	}
	if l != nil && !r.gone && !slices.Contains(how, NoWebhook) {
		m.notify(eventContent, "product", object{"id": l.ProductID})
	}
}

// setListing gives a record another listing, makes up missing ids, and records which variants differ
// from before.
func (m *Marketplace) setListing(r *record, l *Listing, now time.Time) {
	before, changed := map[string]Variant{}, map[string]time.Time{}
	for _, v := range r.variants() {
		before[v.ID] = v
	}
	if l != nil {
		m.name(&l.ID, "l")
		m.name(&l.ProductID, "d")
		for i := range l.Variants {
			v := &l.Variants[i]
			m.name(&v.ID, "v")
			changed[v.ID] = now
			if was, known := before[v.ID]; known && reflect.DeepEqual(was, *v) {
				changed[v.ID] = r.changed[v.ID]
			}
		}
	}
	r.Listing, r.changed = l, changed
	clear(m.lists)
}

func (m *Marketplace) touch(r *record, at time.Time) {
	r.UpdatedAt = at
	clear(m.lists)
}

// stamp is the next updatedAt: now, but later than every one before, so that a client that pages by
// updatedAt misses nothing. With UpdatedAtPrecision it may repeat.
func (m *Marketplace) stamp() time.Time {
	if p := m.opts.UpdatedAtPrecision; p > 0 {
		return time.Now().UTC().Truncate(p)
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if !now.After(m.last) {
		now = m.last.Add(time.Microsecond)
	}
	m.last = now
	return now
}

// name makes up an id where there is none. Ids grow, so that ID_DESC shows the newest first, and have
// a random tail.
func (m *Marketplace) name(id *string, kind string) {
	if *id == "" {
		m.serial++
		h := fnv.New32a()
		fmt.Fprintf(h, "%d %d", m.opts.Seed, m.serial)
		serial := strconv.FormatUint(m.serial, 36)
		*id = kind + "0000000"[min(len(serial), 7):] + serial + strconv.FormatUint(uint64(h.Sum32())|1<<31, 36)
	}
}
