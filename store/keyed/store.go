package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// A Store is a store above a KV. See [store.Store] for its methods.
type Store struct{ KV }

// Get is what the store holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (e store.Entry, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		e, err = getEntry(tx, id)
		return err
	})
	e.Record.ID = id
	return e, err
}

// entryKeys is where what is held of publications is.
func entryKeys(ids ...string) []Key {
	buckets := []Bucket{bucketPublication, bucketLeft, bucketOutbox, bucketMark, bucketHinted}
	keys := make([]Key, 0, len(buckets)*len(ids))
	for _, id := range ids {
		for _, b := range buckets {
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

var (
	_ store.Store    = (*Store)(nil)
	_ store.Portable = (*Store)(nil)
)
