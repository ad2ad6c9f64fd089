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
func moveKeys(tx *Tx, old, r store.Record, known bool) {
	var had []store.Indexed
	if known {
		had = keysOf(old)
	}
	has := keysOf(r)
	for _, k := range had {
		if !slices.Contains(has, k) {
			remove(tx, bucketIndex, indexKey(k, r.ID))
		}
	}
	for _, k := range has {
		if !slices.Contains(had, k) {
			tx.Put(Key{bucketIndex, indexKey(k, r.ID)}, []byte{})
		}
	}
}

// dropKeys takes a record out of the index.
func dropKeys(tx *Tx, old store.Record) {
	for _, k := range keysOf(old) {
		remove(tx, bucketIndex, indexKey(k, old.ID))
	}
}

// listKey is the records that have the key of a query, at most so many, and the place to go on
// after.
func listKey(tx *Tx, q store.Query, most int) (records []store.Record, behind string, err error) {
	prefix := indexPrefix(q.Key)
	for page, err := range pages(tx.Scan(bucketIndex, prefix+q.First(), after(prefix)), min(most+1, pageSize)) {
		if err != nil {
			return nil, "", err
		}
		ids := make([]string, len(page))
		for i, p := range page {
			_, ids[i] = store.SplitPlace(strings.TrimPrefix(p.Key, prefix))
		}
		found, err := getRecords(tx, ids...)
		if err != nil {
			return nil, "", err
		}
		for i, p := range page {
			place := strings.TrimPrefix(p.Key, prefix)
			since, _ := store.SplitPlace(place)
			r, known := found[ids[i]]
			switch {
			case place == q.After:
				continue
			case q.To != 0 && since > q.To:
				return records, "", nil
			case len(records) == most:
				return records, behind, nil
			case !known || !slices.Contains(keysOf(r), store.Indexed{Key: q.Key, Since: since}):
				return nil, "", lostKey(p.Key)
			}
			records, behind = append(records, r), place
		}
	}
	return records, "", nil
}
