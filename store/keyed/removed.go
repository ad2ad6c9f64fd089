package keyed

import (
	"encoding/binary"
	"time"

	"github.com/pubsync/pubsync/store"
)

// removedKept is how long a removal is remembered: the brake looks back a day, and a clock may be
// set back.
const removedKept = 72 * time.Hour

// removedKey sorts by time, then id.
func removedKey(id string, at store.Instant) string {
	key := binary.BigEndian.AppendUint64(nil, uint64(max(at, 0))) //nolint:gosec // not negative
	return string(append(key, id...))
}

// putRemoved counts a removal, and forgets those that are older than removedKept.
func putRemoved(tx *Tx, id string, at store.Instant) error {
	limit := removedKey("", store.At(at.Time().Add(-removedKept)))
	for p, err := range tx.Scan(bucketRemoved, "", limit) {
		if err != nil {
			return err
		}
		remove(tx, bucketRemoved, p.Key)
	}
	tx.Put(Key{bucketRemoved, removedKey(id, at)}, []byte{})
	return nil
}

// removedSince counts the removals done at or after a moment.
func removedSince(tx *Tx, from store.Instant) (n int, err error) {
	first := removedKey("", from)
	for p, err := range tx.Scan(bucketRemoved, "", "") {
		if err != nil {
			return n, err
		}
		if p.Key >= first {
			n++
		}
	}
	return n, nil
}
