package store

import (
	"context"
	"maps"
	"time"
)

// Backlog is how much is to be done, and what the removal brake counts.
type Backlog struct {
	Due     int // publications
	Owed    int // reports that are not acknowledged
	Refused int // of these, refused by the marketplace
	Removed int // listings taken out of sale in the last 24 hours
	OnSale  int

	States map[State]int
}

const (
	removedWithin = 24 * time.Hour
	removedKept   = 72 * time.Hour // since a clock may be set back
)

// Backlog counts what is due, owed and removed.
func (s Store) Backlog(ctx context.Context, now Instant) (Backlog, error) {
	return view(ctx, s, func(tx *Tx) (f Backlog) {
		f.States = getCounts(tx)
		f.OnSale = f.States[onSale]
		delete(f.States, onSale)
		due, _ := dueIn(tx, DueQuery{Classes: AllClasses, To: now})
		ids := map[string]bool{} // one may have a mark and a hint
		for _, m := range due {
			ids[m.ID] = true
		}
		f.Due = len(ids)
		for p := range tx.Scan(bucketOutbox, "", "") {
			f.Owed++
			if r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value); r.Refused != "" {
				f.Refused++
			}
		}
		for range tx.Scan(bucketRemoved, removedKey("", now-Instant(removedWithin.Milliseconds())), "") {
			f.Removed++
		}
		return f
	})
}

// Counts returns the number of publications by state.
func (s Store) Counts(ctx context.Context) (map[State]int, error) {
	counts, err := view(ctx, s, getCounts)
	delete(counts, onSale)
	return counts, err
}

// onSale is no state: it counts the records that are on sale.
const onSale State = "on sale"

var countsKey = Key{BucketMeta, "counts"}

func getCounts(tx *Tx) map[State]int {
	if counts := get[map[State]int](tx, BucketMeta, countsKey.Key); counts != nil {
		return *counts
	}
	return map[State]int{}
}

func recount(tx *Tx, before, after Record) {
	if before.State == after.State && before.Sale == after.Sale {
		return
	}
	counts := getCounts(tx)
	for n, r := range map[int]Record{-1: before, 1: after} {
		if r.State != "" {
			counts[r.State] += n
		}
		if r.State != "" && r.Sale == OnSale {
			counts[onSale] += n
		}
	}
	maps.DeleteFunc(counts, func(_ State, n int) bool { return n == 0 })
	put(tx, BucketMeta, countsKey.Key, counts)
}

func removedKey(id string, at Instant) string { return string(at.sortable()) + id }

func putRemoved(tx *Tx, id string, at Instant) {
	for p := range tx.Scan(bucketRemoved, "", removedKey("", At(at.Time().Add(-removedKept)))) {
		remove(tx, bucketRemoved, p.Key)
	}
	tx.Put(Key{bucketRemoved, removedKey(id, at)}, []byte{})
}
