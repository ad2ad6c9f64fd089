package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// A Store is a store above a KV. See [store.Store] for its methods.
type Store struct{ KV }

// Get is what the store holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (e store.Entry, err error) {
	e.Record.ID = id
	err = s.View(ctx, func(tx *Tx) error {
		if _, err := tx.Get(entryKeys(id)...); err != nil {
			return err
		}
		var err error
		if e.Record, e.Known, err = getRecord(tx, id); err != nil {
			return err
		}
		if e.Owed, err = getReport(tx, id); err != nil {
			return err
		}
		m, ok, err := getMark(tx, id)
		if e.Mark = nil; ok {
			m = tx.toldMark(m)
			e.Mark = &m
		}
		return err
	})
	return e, err
}

// entryKeys is where what is held of publications is.
func entryKeys(ids ...string) []Key {
	keys := make([]Key, 0, 4*len(ids))
	for _, id := range ids {
		for _, b := range []Bucket{bucketPublication, bucketLeft, bucketOutbox, bucketMark} {
			keys = append(keys, Key{b, id})
		}
	}
	return keys
}

// writtenKeys is what a write of publications reads.
func writtenKeys(ids ...string) []Key { return append(entryKeys(ids...), ownKeys...) }

// ownKeys is what each write of publications counts.
var ownKeys = []Key{countsKey, sequenceKey(bucketMark), sequenceKey(bucketOutbox)}

func getRecord(tx *Tx, id string) (store.Record, bool, error) {
	known := true
	data, err := get(tx, bucketPublication, id)
	if data == nil && err == nil {
		known = false
		data, err = get(tx, bucketLeft, id)
	}
	if data == nil || err != nil {
		return store.Record{ID: id}, false, err
	}
	r, err := decodeRecord(id, data)
	return r, known && err == nil, err
}

// putRecord writes a record with its keys and hints, and keeps the tally.
func putRecord(tx *Tx, old, r store.Record, known bool) error {
	change := tally{}
	if known {
		change.count(old, -1)
	} else {
		remove(tx, bucketLeft, r.ID)
	}
	change.count(r, 1)
	if err := putCounts(tx, change); err != nil {
		return err
	}
	moveKeys(tx, old, r, known)
	moveHint(tx, hintProduct, old.Product, r.Product, r.ID)
	moveHint(tx, hintListing, old.Listing, r.Listing, r.ID)
	return putValue(tx, bucketPublication, r.ID, r)
}

// forgetRecord removes every trace of a publication but what is left of its record, and a mark that
// arrived meanwhile.
func forgetRecord(tx *Tx, old, left store.Record, known bool) error {
	remove(tx, bucketOutbox, old.ID)
	if !known {
		return nil
	}
	if err := forgetEvents(tx, old.ID); err != nil {
		return err
	}
	change := tally{}
	change.count(old, -1)
	if err := putCounts(tx, change); err != nil {
		return err
	}
	dropKeys(tx, old)
	moveHint(tx, hintProduct, old.Product, "", old.ID)
	moveHint(tx, hintListing, old.Listing, "", old.ID)
	if len(left.Claims) == 0 {
		if _, err := settleClaims(tx, old, store.Record{ID: old.ID, WrittenAt: 1}); err != nil {
			return err
		}
	}
	if left.ReportedAt != 0 || len(left.Claims) > 0 {
		if err := putValue(tx, bucketLeft, left.ID, left); err != nil {
			return err
		}
	}
	remove(tx, bucketPublication, old.ID)
	return nil
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Portable = (*Store)(nil)
)
