package sandbox

import (
	"cmp"
	"fmt"
	"hash/fnv"
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

// Add puts publications on the import list, delivers the webhooks for PUBLICATION_CREATED, and
// returns the ids. It panics on an id that is in use.
func (m *Marketplace) Add(publications ...Publication) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := make([]string, len(publications))
	for i, p := range publications {
		p.Listing = p.Listing.clone()
		ids[i] = m.add(p)
	}
	return ids
}

// add puts one publication on the list. Its listing becomes the marketplace's own.
func (m *Marketplace) add(p Publication) string {
	if p.ID == "" {
		p.ID = m.newID("p")
	}
	if m.records[p.ID] != nil {
		panic("sandbox: Add of the id " + strconv.Quote(p.ID) + ", which is in use")
	}
	now, l := m.stamp(), p.Listing
	p.Status, p.Listing = cmp.Or(p.Status, statusSyncing), nil
	for _, at := range []*time.Time{&p.CreatedAt, &p.UpdatedAt} {
		if at.IsZero() {
			*at = now
		}
		*at = at.UTC().Truncate(time.Microsecond)
	}
	r := &record{Publication: p}
	m.records[p.ID] = r
	m.setListing(r, l, p.CreatedAt)
	m.announce(r)
	return p.ID
}

// Remove removes publications from the import list, as a retailer does.
func (m *Marketplace) Remove(ids ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if r := m.live(id); r != nil {
			r.gone = true
			clear(m.lists)
		}
	}
}

// Restore puts removed publications back with their old ids, as syncing, and announces them like
// new ones.
func (m *Marketplace) Restore(ids ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if r := m.records[id]; r != nil && r.gone {
			r.gone, r.Status, r.ProductURL = false, statusSyncing, ""
			m.touch(r, m.stamp())
			m.announce(r)
		}
	}
}

// Update changes a listing. f gets a copy, and what it leaves in it becomes the listing; an entry
// that had none gets one. f must not call the marketplace.
func (m *Marketplace) Update(id string, f func(*Listing), how ...Change) error {
	return m.alter(id, func(l *Listing) error { f(l); return nil }, how...)
}

// SetUpdatedAt sets a publication's updatedAt, so that it equals another's say.
func (m *Marketplace) SetUpdatedAt(id string, at time.Time) error {
	return m.change(id, func(r *record) error { m.touch(r, at.UTC().Truncate(time.Microsecond)); return nil })
}

// Publications is what is on the import list, by id. The caller may change it.
func (m *Marketplace) Publications() []Publication {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Publication, 0, len(m.records))
	for _, p := range slices.Backward(m.listed(byID)) {
		out = append(out, p.record.snapshot())
	}
	return out
}

// Publication is one entry of the import list, and false when it is not on it. The caller may
// change it.
func (m *Marketplace) Publication(id string) (p Publication, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.live(id); r != nil {
		return r.snapshot(), true
	}
	return p, false
}

// change changes a record that is, or once was, on the list.
func (m *Marketplace) change(id string, f func(*record) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		return fmt.Errorf("change publication: none has the id %q", id)
	}
	return f(r)
}

// alter is Update with an f that may fail: then nothing is changed, and no webhook is sent.
func (m *Marketplace) alter(id string, f func(*Listing) error, how ...Change) error {
	return m.change(id, func(r *record) error {
		l := r.Listing.clone()
		if l == nil {
			l = &Listing{}
		}
		if err := f(l); err != nil {
			return err
		}
		m.changed(r, l.clone(), how) // f may have kept what it was given
		return nil
	})
}

func (m *Marketplace) live(id string) *record {
	if r := m.records[id]; r != nil && !r.gone {
		return r
	}
	return nil
}

// changed gives a record another listing, moves updatedAt and delivers webhooks, as far as how
// allows.
func (m *Marketplace) changed(r *record, l *Listing, how []Change) {
	now := m.stamp()
	m.setListing(r, l, now)
	if !slices.Contains(how, KeepUpdatedAt) {
		m.touch(r, now)
	}
	if l != nil && !r.gone && !slices.Contains(how, NoWebhook) {
		m.courier.tell(eventContent, "product", map[string]any{"id": l.ProductID})
	}
}

// setListing gives a record another listing, and makes up missing ids.
func (m *Marketplace) setListing(r *record, l *Listing, now time.Time) {
	if l != nil {
		l.ID, l.ProductID = cmp.Or(l.ID, m.newID("l")), cmp.Or(l.ProductID, m.newID("d"))
		for i := range l.Variants {
			l.Variants[i].ID = cmp.Or(l.Variants[i].ID, m.newID("v"))
		}
	}
	r.setListing(l, now)
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

func (m *Marketplace) touch(r *record, at time.Time) {
	r.UpdatedAt = at
	clear(m.lists)
}

// newID makes up an id. Ids grow, so that ID_DESC shows the newest first, and have a random tail.
func (m *Marketplace) newID(kind string) string {
	m.serial++
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %d", m.opts.Seed, m.serial)
	serial := strconv.FormatUint(m.serial, 36)
	return kind + "0000000"[min(len(serial), 7):] + serial + strconv.FormatUint(uint64(h.Sum32())|1<<31, 36)
}
