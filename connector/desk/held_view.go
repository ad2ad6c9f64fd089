package desk

import (
	"context"
	"encoding/base64"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A heldView is the held changes that a filter chose, as they were at one moment.
type heldView struct {
	filter HeldFilter
	at     time.Time
	took   time.Duration
	groups []HeldGroup
	rows   []heldRow // in the order of their places
}

type heldRow struct {
	heldKey

	place string // sorts the rows with the newest first
}

type heldKey struct {
	since   store.Instant
	id      string
	kind    store.HoldKind
	variant string
}

func keyOf(id string, h store.Hold) heldKey {
	return heldKey{since: h.Since, id: id, kind: h.Kind, variant: h.Variant}
}

func newHeldRow(id string, h store.Hold) heldRow {
	place := fmt.Sprintf("%016x %s %s %s", uint64(store.Latest-h.Since), id, h.Kind, h.Variant)
	return heldRow{keyOf(id, h), place}
}

// behind is the rows behind a place.
func (v *heldView) behind(place string) []heldRow {
	return v.rows[sort.Search(len(v.rows), func(i int) bool { return v.rows[i].place > place }):]
}

// heldViews keeps the last view: for its further pages, and so that somebody who asks all the time
// takes a twentieth of one processor at most. An answer to held changes ends it. The zero heldViews
// is ready for use.
type heldViews struct {
	mu     sync.Mutex
	last   *heldView
	answer int // answers so far
	unused *time.Timer
}

// of is the view of a filter. The kept one serves a further page whatever its age.
func (v *heldViews) of(f HeldFilter, further bool, read func() (*heldView, error)) (*heldView, error) {
	v.mu.Lock()
	last, answers := v.last, v.answer
	v.mu.Unlock()
	if last != nil && last.filter == f && (further || time.Since(last.at) < indexShare*last.took) {
		return last, nil
	}
	begun := time.Now()
	made, err := read()
	if err != nil {
		return nil, err
	}
	made.took = time.Since(begun)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.answer == answers {
		v.last = made
		if v.unused != nil {
			v.unused.Stop()
		}
		v.unused = time.AfterFunc(indexUnused, v.drop)
	}
	return made, nil
}

// answered ends the kept view, and those that are being read.
func (v *heldViews) answered() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer++
	v.last = nil
}

func (v *heldViews) drop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = nil
}

// heldPage is the first changes of some rows as they are now, and the cursor of those behind them.
// What is held no longer is passed over.
func (l *Local) heldPage(ctx context.Context, rows []heldRow, limit int) ([]HeldChange, string, error) {
	changes := []HeldChange{}
	known := map[string]*heldRecord{}
	for i, row := range rows {
		if len(changes) == limit {
			return changes, base64.RawURLEncoding.EncodeToString([]byte(rows[i-1].place)), nil
		}
		if known[row.id] == nil {
			had, err := l.Store.Get(ctx, row.id)
			if err != nil {
				return nil, "", err
			}
			known[row.id] = newHeldRecord(had.Record)
		}
		if change, ok := known[row.id].change(row.heldKey); ok {
			changes = append(changes, change)
		}
	}
	return changes, "", nil
}

// A heldRecord is a record whose holds and variants are found by their ids.
type heldRecord struct {
	store.Record

	holds  map[heldKey]store.Hold
	titles map[string]string // of the variants
}

func newHeldRecord(r store.Record) *heldRecord {
	h := &heldRecord{Record: r, holds: map[heldKey]store.Hold{}, titles: map[string]string{}}
	for _, hold := range r.Holds {
		h.holds[keyOf(r.ID, hold)] = hold
	}
	for _, v := range r.Variants {
		h.titles[v.ID] = v.Title
	}
	return h
}

// change is the held change with a key; ok is false where it is held no longer.
func (h *heldRecord) change(key heldKey) (HeldChange, bool) {
	hold, ok := h.holds[key]
	if !ok {
		return HeldChange{}, false
	}
	return HeldChange{
		ID: h.ID, Title: h.Title, HeldNow: heldNow(h.Record, hold), Option: h.titles[hold.Variant],
	}, true
}
