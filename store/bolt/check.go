package bolt

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
	"go.etcd.io/bbolt"
)

// checksummed are the buckets whose values have a checksum.
var checksummed = [][]byte{bucketMeta, bucketPublication, bucketLeft, bucketMark, bucketOutbox, bucketCursor}

// Check verifies the checksum of each value, and the structure by bbolt's own check. It takes about
// as long as reading the file. Nobody may write meanwhile.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, func(tx *tree) error {
		for _, name := range checksummed {
			c := bucket(tx, name).Cursor()
			for key, data := c.First(); key != nil; key, data = c.Next() {
				if string(key) == metaSchema {
					continue
				}
				if _, err := value.Unseal(string(name), string(key), data); err != nil {
					return err
				}
			}
		}
		var first error
		for err := range tx.Check() { // to its end, since a goroutine sends
			if first == nil {
				first = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
			}
		}
		return first
	})
}

// known fails unless the file is a complete store of a schema that this version reads.
func known(tx *tree) error {
	if tx.root = tx.Bucket(rootBucket); tx.root == nil || tx.root.Bucket(bucketMeta) == nil {
		return fmt.Errorf("%w: not a store of pubsync", store.ErrCorrupt)
	}
	if got := string(bucket(tx, bucketMeta).Get([]byte(metaSchema))); got != schema {
		return fmt.Errorf("schema is %q, this version reads %q: use the version of pubsync that wrote it, or a newer one",
			got, schema)
	}
	for _, name := range allBuckets {
		bucket(tx, name)
	}
	return nil
}

// readCounts is the tally of all records, as the store has written it down.
func readCounts(tx *tree) (tally, error) {
	data := bucket(tx, bucketMeta).Get([]byte(metaCounts))
	if data == nil {
		return tally{}, nil
	}
	fact, err := value.Unseal("fact", metaCounts, data)
	if err != nil {
		return nil, err
	}
	return parseCounts(string(fact))
}

// opened reads of a file that was just opened what is kept in memory. size is the file's.
func (s *Store) opened(size int64) error {
	return s.db.View(func(tx *bbolt.Tx) (err error) {
		if tx.Size() > size {
			return fmt.Errorf("%w: file is cut off: %d of %d bytes", store.ErrCorrupt, size, tx.Size())
		}
		t := &tree{Tx: tx}
		if err = known(t); err == nil {
			s.counts, err = readCounts(t)
		}
		return err
	})
}
