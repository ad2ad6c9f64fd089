package bolt

import (
	"encoding/binary"
	"time"

	"github.com/pubsync/pubsync/store"
)

// removedKept is how long a removal is remembered: the brake looks back a day, and a clock may be
// set back.
const removedKept = 72 * time.Hour

// removedKey sorts by time, then id.
func removedKey(id string, at store.Instant) []byte {
	key := binary.BigEndian.AppendUint64(nil, uint64(max(at, 0))) //nolint:gosec // not negative
	return append(key, id...)
}

// putRemoved counts a removal, and forgets those that are older than removedKept.
func putRemoved(tx *tree, id string, at store.Instant) error {
	b := bucket(tx, bucketRemoved)
	limit := string(removedKey("", store.At(at.Time().Add(-removedKept))))
	var old [][]byte
	c := b.Cursor()
	for key, _ := c.First(); key != nil && string(key) < limit; key, _ = c.Next() {
		old = append(old, append([]byte(nil), key...))
	}
	for _, key := range old {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return b.Put(removedKey(id, at), nil)
}

// removedSince counts the removals done at or after a moment.
func removedSince(tx *tree, from store.Instant) (n int) {
	c := bucket(tx, bucketRemoved).Cursor()
	for key, _ := c.Seek(removedKey("", from)); key != nil; key, _ = c.Next() {
		n++
	}
	return n
}
