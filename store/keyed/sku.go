package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// heldBy is who holds a SKU.
func heldBy(tx Tx, key string) store.Owner {
	if key == "" || len(key) > store.MaxID {
		return ""
	}
	return store.Owner(tx.Get(bucketSKU, key))
}

func claimSKU(tx Tx, sku string, by store.Owner) error {
	if sku == "" || len(sku) > store.MaxID {
		return nil
	}
	return tx.Put(bucketSKU, store.SKUKey(sku), []byte(by))
}

func releaseSKU(tx Tx, sku, id, variant string) error {
	if heldBy(tx, store.SKUKey(sku)) != store.OwnerOf(id, variant) {
		return nil
	}
	return tx.Delete(bucketSKU, store.SKUKey(sku))
}

// settleClaims releases the SKUs that a publication no longer uses, and returns those that stay
// claimed.
func settleClaims(tx Tx, before, after store.Record) ([]store.Claim, error) {
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
	err = s.View(ctx, func(tx Tx) error {
		held = holders(tx, keys)
		return nil
	})
	return held, err
}

func holders(tx Tx, keys []string) map[string]store.Owner {
	held := make(map[string]store.Owner, len(keys))
	for _, key := range keys {
		if owner := heldBy(tx, key); owner != "" {
			held[key] = owner
		}
	}
	return held
}
