package bolt

import (
	"context"

	"github.com/pubsync/pubsync/store"
	"go.etcd.io/bbolt"
)

// heldIn looks a claim up.
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

// PreviewSKUs is what Begin would assign now, without claiming anything.
func (s *Store) PreviewSKUs(
	ctx context.Context,
	id string,
	order []string,
	want map[string]string,
) (assigned map[string]string, err error) {
	if s.db == nil {
		return store.AssignSKUs(func(string) store.Owner { return "" }, id, order, want, true), nil
	}
	err = s.read(ctx, func(tx *tree) error {
		assigned = store.AssignSKUs(heldIn(tx), id, order, want, false)
		return nil
	})
	return assigned, err
}
