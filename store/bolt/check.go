package bolt

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/value"
)

// Check verifies the checksum of each value, and the structure by bbolt's own check. It takes about
// as long as reading the file. Nobody may write meanwhile.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, func(tx *tree) error {
		for _, name := range keyed.Sealed {
			c := tx.bucket(name).Cursor()
			for key, data := c.First(); key != nil; key, data = c.Next() {
				if name == keyed.BucketMeta && string(key) == keyed.MetaSchema {
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
	if tx.root = tx.Bucket(rootBucket); tx.root == nil || tx.root.Bucket([]byte(keyed.BucketMeta)) == nil {
		return fmt.Errorf("%w: not a store of pubsync", store.ErrCorrupt)
	}
	got := string(tx.bucket(keyed.BucketMeta).Get([]byte(keyed.MetaSchema)))
	if err := keyed.CheckSchema(got, schema); err != nil {
		return err
	}
	for _, name := range keyed.Buckets {
		tx.bucket(name)
	}
	return nil
}

// opened fails where a file that was just opened is cut off, or no store of this version. size is the file's.
func (s *Store) opened(size int64) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		if tx.Size() > size {
			return fmt.Errorf("%w: file is cut off: %d of %d bytes", store.ErrCorrupt, size, tx.Size())
		}
		return known(&tree{Tx: tx})
	})
}
