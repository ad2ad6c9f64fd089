package store

import (
	"context"
	"errors"
)

var (
	// ErrHalf is the error of a store into which a copy was not finished.
	ErrHalf = errors.New("store is half a copy: run pubsync store copy once more, which begins anew")
	// ErrNotEmpty is the error of a copy into a store that holds something.
	ErrNotEmpty = errors.New("store holds something already")
)

// copyingKey is where a store says that it is being copied into.
var copyingKey = Key{BucketMeta, "copying"}

// Whole is ErrHalf of a store into which a copy was not finished.
func (s Store) Whole(ctx context.Context) error {
	return s.View(ctx, func(tx *Tx) error {
		if found, err := tx.Get(copyingKey); len(found) == 0 || err != nil {
			return err
		}
		return ErrHalf
	})
}

// Copy carries all that a store holds, as it is at one moment, to an empty one of any engine, and
// returns how many publications it knows. Others may go on writing to the first. It copies a page a
// transaction, and the other store says meanwhile that it is half a copy.
func Copy(ctx context.Context, from, to Store) (publications int, err error) {
	if err := empty(ctx, to); err != nil {
		return 0, err
	}
	if err := from.View(ctx, func(tx *Tx) error {
		publications = 0
		for _, b := range Buckets {
			for page, err := range pages(tx.Scan(b, "", ""), pageSize) {
				if err != nil {
					return err
				}
				if err := to.Update(ctx, nil, func(tx *Tx) error {
					for _, p := range page {
						if k := (Key{b, p.Key}); k != SchemaKey {
							tx.Put(k, p.Value)
						}
					}
					return nil
				}); err != nil {
					return err
				}
				if b == bucketPublication {
					publications += len(page)
				}
			}
		}
		return nil
	}); err != nil {
		return 0, err
	}
	return publications, to.Update(ctx, nil, func(tx *Tx) error {
		tx.Put(copyingKey, nil)
		return nil
	})
}

// empty readies a store for a copy: it says so there, and removes what an earlier copy left.
func empty(ctx context.Context, to Store) error {
	for more := true; more; {
		if err := to.Update(ctx, []Key{copyingKey}, func(tx *Tx) error {
			half, err := tx.Get(copyingKey)
			if err != nil {
				return err
			}
			more = false
			for _, b := range Buckets {
				if b == BucketMeta {
					continue
				}
				page, err := tx.Page(b, "", "", pageSize)
				switch {
				case err != nil:
					return err
				case len(page) > 0 && len(half) == 0:
					return ErrNotEmpty
				}
				for _, p := range page {
					remove(tx, b, p.Key)
				}
				more = more || len(page) > 0
			}
			tx.Put(copyingKey, []byte{1})
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
