package store

import (
	"context"
	"time"
)

// Backlog is how much is to be done, and what the removal brake counts.
type Backlog struct {
	Due     int // publications that are due to be looked at
	Owed    int // reports that the marketplace has not acknowledged
	Refused int // of these, reports that it has refused
	Removed int // listings that were taken out of sale in the last 24 hours
	OnSale  int // listings that are on sale

	States map[State]int // publications by state
}

// RemovalWindow is how far back removals count together.
const RemovalWindow = 24 * time.Hour

// Backlog counts what is due, owed and removed at a moment.
func (s Store) Backlog(ctx context.Context, now Instant) (f Backlog, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		f = Backlog{}
		counts, err := getCounts(tx)
		if err != nil {
			return err
		}
		f.OnSale, f.States = counts[onSale], counts
		delete(f.States, onSale)
		if f.Due, err = countDue(tx, now); err != nil {
			return err
		}
		for p, err := range tx.Scan(bucketOutbox, "", "") {
			if err != nil {
				return err
			}
			r, err := decode[Report](Key{bucketOutbox, p.Key}, p.Value)
			if err != nil {
				return err
			}
			f.Owed++
			if r.Refusals > 0 {
				f.Refused++
			}
		}
		first := removedKey("", now-Instant(RemovalWindow.Milliseconds()))
		for p, err := range tx.Scan(bucketRemoved, "", "") { // all of it, which an idle account asks for once
			if err != nil {
				return err
			}
			if p.Key >= first {
				f.Removed++
			}
		}
		return nil
	})
	return f, err
}

// A tally counts records by state, and those that are on sale under the name onSale.
type tally map[State]int

// onSale is the name of no state.
const onSale State = "on sale"

// count adds n records that are like r.
func (t tally) count(r Record, n int) {
	t.add(r.State, n)
	if r.Sale == OnSale {
		t.add(onSale, n)
	}
}

func (t tally) add(state State, n int) {
	if t[state] += n; t[state] == 0 {
		delete(t, state)
	}
}

// Counts is the number of publications in each state.
func (s Store) Counts(ctx context.Context) (counts map[State]int, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		counts, err = getCounts(tx)
		return err
	})
	delete(counts, onSale)
	return counts, err
}

// countsKey is where the tally of all records is.
var countsKey = Key{BucketMeta, "counts"}

func getCounts(tx *Tx) (tally, error) {
	counts, err := get[tally](tx, BucketMeta, countsKey.Key)
	if counts == nil {
		return tally{}, err
	}
	return *counts, err
}

// putCounts changes the tally of all records by another.
func putCounts(tx *Tx, change tally) error {
	if len(change) == 0 {
		return nil
	}
	counts, err := getCounts(tx)
	if err != nil {
		return err
	}
	for state, n := range change {
		counts.add(state, n)
	}
	return put(tx, BucketMeta, countsKey.Key, counts)
}

// removedKept is how long a removal is remembered: the brake looks back a day, and a clock may be
// set back.
const removedKept = 72 * time.Hour

// removedKey sorts by time, then id.
func removedKey(id string, at Instant) string { return string(at.sortable()) + id }

// putRemoved counts a removal, and forgets those that are older than removedKept.
func putRemoved(tx *Tx, id string, at Instant) error {
	limit := removedKey("", At(at.Time().Add(-removedKept)))
	for p, err := range tx.Scan(bucketRemoved, "", limit) {
		if err != nil {
			return err
		}
		remove(tx, bucketRemoved, p.Key)
	}
	tx.Put(Key{bucketRemoved, removedKey(id, at)}, []byte{})
	return nil
}
