package keyed

import (
	"context"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// copyingKey is where a store says that it is being copied into.
var copyingKey = Key{BucketMeta, "copying"}

// Whole implements [store.Portable].
func (s *Store) Whole(ctx context.Context) error {
	return s.View(ctx, func(tx *Tx) error {
		if data, err := get(tx, copyingKey.Bucket, copyingKey.Key); data == nil || err != nil {
			return err
		}
		return store.ErrHalf
	})
}

// CopyTo implements [store.Portable]: it copies bucket by bucket, a page a transaction, all of it as it
// is at one moment. The other store says that it is half a copy until it is whole.
func (s *Store) CopyTo(ctx context.Context, to store.Reader) (publications int, err error) {
	target, ok := to.(KV)
	if !ok {
		return 0, fmt.Errorf("copy store: a %T cannot be copied to", to)
	}
	if err := empty(ctx, target); err != nil {
		return 0, err
	}
	err = s.View(ctx, func(tx *Tx) error {
		publications = 0
		for _, b := range Buckets {
			for page, err := range pages(tx.Scan(b, "", ""), pageSize) {
				if err != nil {
					return err
				}
				if err := copyPage(ctx, target, b, page); err != nil {
					return err
				}
				if b == bucketPublication {
					publications += len(page)
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return publications, target.Update(ctx, nil, func(tx *Tx) error {
		tx.Put(copyingKey, nil)
		return nil
	})
}

// empty readies a store for a copy: it says so there, and removes what an earlier copy left.
func empty(ctx context.Context, to KV) error {
	for more := true; more; {
		err := to.Update(ctx, []Key{copyingKey}, func(tx *Tx) error {
			half, err := get(tx, copyingKey.Bucket, copyingKey.Key)
			if err != nil {
				return err
			}
			more = false
			for _, b := range Buckets {
				for page, err := range pages(tx.Scan(b, "", ""), pageSize) {
					if err != nil {
						return err
					}
					if b != BucketMeta && half == nil {
						return store.ErrNotEmpty
					}
					for _, p := range page {
						if half != nil && b != BucketMeta {
							remove(tx, b, p.Key)
						}
					}
					if more = b != BucketMeta; more {
						return nil
					}
				}
			}
			tx.Put(copyingKey, []byte{1})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func copyPage(ctx context.Context, to KV, b Bucket, page []Pair) error {
	return to.Update(ctx, nil, func(tx *Tx) error {
		for _, p := range page {
			if k := (Key{b, p.Key}); k != (Key{BucketMeta, MetaSchema}) {
				tx.Put(k, slices.Clone(p.Value))
			}
		}
		return nil
	})
}
