package bolt

import (
	"context"

	"github.com/pubsync/pubsync/store"
	"go.etcd.io/bbolt"
)

// heldIn returns a function that looks up who holds a SKU.
func heldIn(tx *tree) func(key string) store.Owner {
	claims := bucket(tx, bucketSKU).Cursor() // one for all look-ups takes less memory than one for each
	return func(key string) store.Owner {
		if key == "" || len(key) > bbolt.MaxKeySize {
			return ""
		}
		if found, owner := claims.Seek([]byte(key)); string(found) == key {
			return store.Owner(owner)
		}
		return ""
	}
}

func claimSKU(claims *bbolt.Bucket, sku string, by store.Owner) error {
	if sku == "" || len(sku) > store.MaxID {
		return nil
	}
	return claims.Put([]byte(store.SKUKey(sku)), []byte(by))
}

func releaseSKU(tx *tree, sku, id, variant string) error {
	if heldIn(tx)(store.SKUKey(sku)) != store.OwnerOf(id, variant) {
		return nil
	}
	return bucket(tx, bucketSKU).Delete([]byte(store.SKUKey(sku)))
}

// settleClaims releases the SKUs that a publication no longer uses, and returns those that stay
// claimed.
func settleClaims(tx *tree, before, after store.Record) ([]store.Claim, error) {
	open, free := store.SplitClaims(before, after)
	for _, c := range free {
		if err := releaseSKU(tx, c.SKU, before.ID, c.Variant); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// Holders is who holds each of some SKUs, by [store.SKUKey]. One that is free is missing.
func (s *Store) Holders(ctx context.Context, keys ...string) (held map[string]store.Owner, err error) {
	err = s.read(ctx, func(tx *tree) error {
		held = holders(tx, keys)
		return nil
	})
	return held, err
}

func holders(tx *tree, keys []string) map[string]store.Owner {
	held, by := make(map[string]store.Owner, len(keys)), heldIn(tx)
	for _, key := range keys {
		if owner := by(key); owner != "" {
			held[key] = owner
		}
	}
	return held
}
