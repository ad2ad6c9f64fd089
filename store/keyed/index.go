package keyed

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/store"
)

// indexPrefix begins the keys of the index that are of one key of records.
func indexPrefix(k store.Key) string { return k.String() + "\x00" }

// indexKey sorts by key, then since when a record has it, then id.
func indexKey(k store.Indexed, id string) string { return indexPrefix(k.Key) + k.Place(id) }

// keysOf is the keys of a record that the index has. That of being live is left out: most records
// have it, and a query for it reads all records.
func keysOf(r store.Record) []store.Indexed {
	keys := store.Keys(r)
	if r.State == store.StateLive {
		keys = slices.DeleteFunc(keys, func(k store.Indexed) bool { return k.Key == live })
	}
	return keys
}

var live = store.KeyState(store.StateLive)

// moveKeys brings the index up to date for a record that takes the place of another. Most records
// keep their keys, and nothing is written.
func moveKeys(tx Tx, old, r store.Record, known bool) error {
	var had []store.Indexed
	if known {
		had = keysOf(old)
	}
	has := keysOf(r)
	for _, k := range had {
		if !slices.Contains(has, k) {
			if err := tx.Delete(bucketIndex, indexKey(k, r.ID)); err != nil {
				return err
			}
		}
	}
	for _, k := range has {
		if !slices.Contains(had, k) {
			if err := tx.Put(bucketIndex, indexKey(k, r.ID), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropKeys takes a record out of the index.
func dropKeys(tx Tx, old store.Record) error {
	for _, k := range keysOf(old) {
		if err := tx.Delete(bucketIndex, indexKey(k, old.ID)); err != nil {
			return err
		}
	}
	return nil
}

// listKey is the records that have the key of a query, at most so many, and the place to go on
// after.
func listKey(tx Tx, q store.Query, most int) (records []store.Record, after string, err error) {
	prefix := indexPrefix(q.Key)
	for key := range tx.Scan(bucketIndex, prefix+q.First()) {
		place, ok := strings.CutPrefix(key, prefix)
		if !ok {
			break
		}
		if place == q.After {
			continue
		}
		since, id := store.SplitPlace(place)
		if q.To != 0 && since > q.To {
			break
		}
		if len(records) == most {
			return records, after, nil
		}
		r, known, err := getRecord(tx, id)
		if err != nil {
			return nil, "", err
		}
		if !known || !slices.Contains(keysOf(r), store.Indexed{Key: q.Key, Since: since}) {
			return nil, "", lostKey(key)
		}
		records, after = append(records, r), place
	}
	return records, "", nil
}
