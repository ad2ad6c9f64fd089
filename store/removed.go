package store

import (
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"
)

// removedKept is how long a removal is remembered: the brake looks back a day, and a clock may be set back.
const removedKept = 72 * time.Hour

// removedKey sorts by time, then id.
func removedKey(id string, at Instant) []byte {
	key := binary.BigEndian.AppendUint64(nil, uint64(max(at, 0))) //nolint:gosec // not negative
	return append(key, id...)
}

// putRemoved counts a removal, and forgets those that nobody asks for any more.
func putRemoved(tx *bolt.Tx, id string, at Instant) error {
	b := bucket(tx, bucketRemoved)
	limit := string(removedKey("", At(at.Time().Add(-removedKept))))
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

// RemovedSince counts the removals done at or after t. Those of the last three days are remembered.
func (s *Store) RemovedSince(t time.Time) (n int, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		c := bucket(tx, bucketRemoved).Cursor()
		for key, _ := c.Seek(removedKey("", At(t))); key != nil; key, _ = c.Next() {
			n++
		}
		return nil
	})
	return n, err
}
