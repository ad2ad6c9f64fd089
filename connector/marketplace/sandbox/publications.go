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
		ids[i] = m.add(p, p.Listing.clone())
	}
	return ids
}

// add puts one publication on the list. The listing becomes the marketplace's own.
func (m *Marketplace) add(p Publication, l *Listing) string {
	if p.ID == "" {
		p.ID = m.newID("p")
	}
	if _, taken := m.records[p.ID]; taken {
		panic("sandbox: Add of the id " + strconv.Quote(p.ID) + ", which is in use")
	}
	if p.Status == "" {
		p.Status = statusSyncing
	}
	now := m.stamp()
	if p.CreatedAt.IsZero() {
		p.CreatedAt = now
	}
	if p.UpdatedAt.IsZero() {
		p.UpdatedAt = now
	}
	p.CreatedAt, p.UpdatedAt = p.CreatedAt.UTC().Truncate(time.Microsecond),
		p.UpdatedAt.UTC().Truncate(time.Microsecond)
	p.Listing = nil
	r := &record{Publication: p}
	m.records[p.ID] = r
	m.setListing(r, l, p.CreatedAt)
	m.enlist(r)
	m.announce(r)
	return p.ID
}

// Remove removes publications from the import list, as a retailer does.
func (m *Marketplace) Remove(ids ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if r := m.records[id]; r != nil && !r.gone {
			m.delist(r)
			r.gone = true
			m.variants = nil
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
			r.gone, r.Status, r.ProductURL, r.UpdatedAt = false, statusSyncing, "", m.stamp()
			m.enlist(r)
			m.variants = nil
			m.announce(r)
		}
	}
}

// Update changes a listing. f gets a copy, and what it leaves in it becomes the listing; an entry
// that had none gets one. f must not call the marketplace. It is an error when no such publication
// was ever added.
func (m *Marketplace) Update(id string, f func(*Listing), how ...Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		return fmt.Errorf("change publication: none has the id %q", id)
	}
	l := r.Listing.clone()
	if l == nil {
		l = &Listing{}
	}
	f(l)
	m.changed(r, l.clone(), how) // f may have kept what it was given
	return nil
}

// SetListing replaces a listing; nil leaves the entry without one.
func (m *Marketplace) SetListing(id string, l *Listing, how ...Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		return fmt.Errorf("change publication: none has the id %q", id)
	}
	m.changed(r, l.clone(), how)
	return nil
}

// SetPrice changes what a variant costs the retailer and its recommended price; an empty variant
// means all of them.
func (m *Marketplace) SetPrice(id, variant, cost, msrp string, how ...Change) error {
	return m.eachVariant(id, variant, func(v *Variant) { v.Cost, v.MSRP = cost, msrp }, how)
}

// SetStock changes how many there are of a variant; an empty variant means all of them.
func (m *Marketplace) SetStock(id, variant string, quantity int, how ...Change) error {
	return m.eachVariant(id, variant, func(v *Variant) { v.Quantity = quantity }, how)
}

// AddVariant adds a variant after the others.
func (m *Marketplace) AddVariant(id string, v Variant, how ...Change) error {
	return m.Update(id, func(l *Listing) { l.Variants = append(l.Variants, v) }, how...)
}

// RemoveVariant removes a variant.
func (m *Marketplace) RemoveVariant(id, variant string, how ...Change) error {
	return m.eachVariant(id, variant, nil, how)
}

// eachVariant changes the variants that are meant, or removes them where f is nil.
func (m *Marketplace) eachVariant(id, variant string, f func(*Variant), how []Change) error {
	found := variant == ""
	err := m.Update(id, func(l *Listing) {
		kept := l.Variants[:0]
		for _, v := range l.Variants {
			if variant == "" || v.ID == variant {
				found = true
				if f == nil {
					continue
				}
				f(&v)
			}
			kept = append(kept, v)
		}
		l.Variants = kept
	}, how...)
	if err == nil && !found {
		return fmt.Errorf("change publication %q: it has no variant %q", id, variant)
	}
	return err
}

// SetStatus sets a status directly, one that no report can set among them.
func (m *Marketplace) SetStatus(id, status string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		return fmt.Errorf("set status: no publication has the id %q", id)
	}
	r.Status = status
	m.touch(r, m.stamp())
	return nil
}

// SetUpdatedAt sets a publication's updatedAt, so that it equals another's say. It is cut to
// microseconds.
func (m *Marketplace) SetUpdatedAt(id string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		return fmt.Errorf("set updatedAt: no publication has the id %q", id)
	}
	m.touch(r, at.UTC().Truncate(time.Microsecond))
	return nil
}

// Publications is what is on the import list, by id. The caller may change it.
func (m *Marketplace) Publications() []Publication {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := make([]Publication, len(m.byID))
	for i, r := range m.byID {
		out[i] = r.snapshot()
	}
	return out
}

// Publication is one entry of the import list, and false when it is not on it. The caller may
// change it.
func (m *Marketplace) Publication(id string) (Publication, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r := m.live(id); r != nil {
		return r.snapshot(), true
	}
	return Publication{}, false
}

// live finds an entry that is on the list; nil when it is not.
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
	if !r.gone && !slices.Contains(how, NoWebhook) {
		m.contentChanged(r)
	}
}

// setListing updates the maps by listing and product, and makes up missing ids.
func (m *Marketplace) setListing(r *record, l *Listing, now time.Time) {
	if l != nil {
		if l.ID == "" {
			l.ID = m.newID("l")
		}
		if l.ProductID == "" {
			l.ProductID = m.newID("d")
		}
		for i := range l.Variants {
			if l.Variants[i].ID == "" {
				l.Variants[i].ID = m.newID("v")
			}
		}
		m.listings[l.ID], m.products[l.ProductID] = r, r
	}
	r.setListing(l, now)
	m.variants = nil
}

// stamp is the next updatedAt: now, but later than every one before, so that a client that pages by
// updatedAt misses nothing. With UpdatedAtPrecision it may repeat, as on real marketplaces.
func (m *Marketplace) stamp() time.Time {
	if p := m.opts.UpdatedAtPrecision; p > 0 {
		return time.Now().UTC().Truncate(max(p, time.Microsecond))
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if !now.After(m.last) {
		now = m.last.Add(time.Microsecond)
	}
	m.last = now
	return now
}

// touch moves a record to a new updatedAt.
func (m *Marketplace) touch(r *record, at time.Time) {
	if r.gone {
		r.UpdatedAt = at
		return
	}
	i, _ := slices.BinarySearchFunc(m.byUpdate, r, compareUpdate)
	m.byUpdate = slices.Delete(m.byUpdate, i, i+1)
	r.UpdatedAt = at
	m.insertByUpdate(r)
}

func (m *Marketplace) enlist(r *record) {
	i, _ := slices.BinarySearchFunc(m.byID, r, compareID)
	m.byID = slices.Insert(m.byID, i, r)
	m.insertByUpdate(r)
}

func (m *Marketplace) insertByUpdate(r *record) {
	i, _ := slices.BinarySearchFunc(m.byUpdate, r, compareUpdate)
	m.byUpdate = slices.Insert(m.byUpdate, i, r)
}

func (m *Marketplace) delist(r *record) {
	i, _ := slices.BinarySearchFunc(m.byID, r, compareID)
	m.byID = slices.Delete(m.byID, i, i+1)
	i, _ = slices.BinarySearchFunc(m.byUpdate, r, compareUpdate)
	m.byUpdate = slices.Delete(m.byUpdate, i, i+1)
}

func compareID(a, b *record) int { return cmp.Compare(a.ID, b.ID) }

func compareUpdate(a, b *record) int {
	return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(a.ID, b.ID))
}

// newID makes up an id. Ids grow, so that ID_DESC shows the newest first, and have a random tail,
// so that nobody can guess the next.
func (m *Marketplace) newID(kind string) string {
	m.serial++
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %d", m.opts.Seed, m.serial)
	serial := strconv.FormatUint(m.serial, 36)
	return kind + "0000000"[min(len(serial), 7):] + serial + strconv.FormatUint(uint64(h.Sum32())|1<<31, 36)
}
