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
func putRemoved(tx Tx, id string, at store.Instant) error {
	limit := removedKey("", store.At(at.Time().Add(-removedKept)))
	var old []string
	for key := range tx.Scan(bucketRemoved, "") {
		if key >= limit {
			break
		}
		old = append(old, key)
	}
	for _, key := range old {
		if err := tx.Delete(bucketRemoved, key); err != nil {
			return err
		}
	}
	return tx.Put(bucketRemoved, removedKey(id, at), nil)
}

// removedSince counts the removals done at or after a moment.
func removedSince(tx Tx, from store.Instant) (n int) {
	for range tx.Scan(bucketRemoved, removedKey("", from)) {
		n++
	}
	return n
}
