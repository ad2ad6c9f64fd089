package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// skuKeys is where the claims of SKUs are that can be claimed.
func skuKeys(keys []string) []Key {
	all := make([]Key, 0, len(keys))
	for _, key := range keys {
		if validID(key) {
			all = append(all, Key{bucketSKU, key})
		}
	}
	return all
}

func claimSKU(tx *Tx, sku string, by store.Owner) {
	if validID(sku) {
		tx.Put(Key{bucketSKU, store.SKUKey(sku)}, []byte(by))
	}
}

// settleClaims releases the SKUs that a publication no longer uses, and returns those that stay
// claimed.
func settleClaims(tx *Tx, before, after store.Record) ([]store.Claim, error) {
	open, free := store.SplitClaims(before, after)
	keys := make([]string, len(free))
	for i, c := range free {
		keys[i] = store.SKUKey(c.SKU)
	}
	held, err := holders(tx, keys)
	for i, c := range free {
		if held[keys[i]] == store.OwnerOf(before.ID, c.Variant) {
			remove(tx, bucketSKU, keys[i])
		}
	}
	return open, err
}

// Holders is who holds each of some SKUs, by [store.SKUKey]. One that is free is missing.
func (s *Store) Holders(ctx context.Context, keys ...string) (held map[string]store.Owner, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		held, err = holders(tx, keys)
		return err
	})
	return held, err
}

func holders(tx *Tx, keys []string) (map[string]store.Owner, error) {
	found, err := tx.Get(skuKeys(keys)...)
	held := make(map[string]store.Owner, len(found))
	for k, owner := range found {
		held[k.Key] = store.Owner(owner)
	}
	return held, err
}
