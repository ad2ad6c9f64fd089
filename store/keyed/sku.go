package keyed

import (
	"context"
	"slices"

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

// claim claims the SKUs that a record has and the one before had not, or that are asked for, where they
// are free, and releases those that it has no more.
func claim(tx *Tx, before, after store.Record, asked []string) error {
	had, has := before.SKUKeys(), after.SKUKeys()
	moved := slices.DeleteFunc(slices.Concat(had, has), func(key string) bool {
		return slices.Contains(had, key) == slices.Contains(has, key) && !slices.Contains(asked, key)
	})
	held, err := owners(tx, moved)
	if err != nil {
		return err
	}
	for _, key := range skuKeys(moved) {
		switch owner := held[key.Key]; {
		case slices.Contains(has, key.Key) && owner == "":
			tx.Put(key, []byte(after.ID))
		case !slices.Contains(has, key.Key) && owner == before.ID:
			remove(tx, bucketSKU, key.Key)
		}
	}
	return nil
}

// Owners is the publication that holds each of some SKUs, by [store.SKUKey]. One that is free is
// missing.
func (s *Store) Owners(ctx context.Context, keys ...string) (held map[string]string, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		held, err = owners(tx, keys)
		return err
	})
	return held, err
}

func owners(tx *Tx, keys []string) (map[string]string, error) {
	found, err := tx.Get(skuKeys(keys)...)
	held := make(map[string]string, len(found))
	for k, owner := range found {
		held[k.Key] = string(owner)
	}
	return held, err
}
