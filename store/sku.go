package store

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// SKUKey returns the key of a claim. Shops compare SKUs without regard to case.
func SKUKey(sku string) string { return strings.ToLower(sku) }

func (r Record) skuKeys() []string {
	keys := map[string]bool{}
	for _, v := range r.Variants {
		keys[SKUKey(v.SKU)] = true
	}
	for _, sku := range r.Claims {
		keys[SKUKey(sku)] = true
	}
	delete(keys, "")
	return slices.Collect(maps.Keys(keys))
}

// Owners returns the publication that holds each SKU, by [SKUKey]. A free one is missing.
func (s Store) Owners(ctx context.Context, keys ...string) (map[string]string, error) {
	return view(ctx, s, func(tx *Tx) map[string]string { return owners(tx, keys) })
}

func owners(tx *Tx, keys []string) map[string]string {
	held := map[string]string{}
	for k, owner := range tx.Get(claimable(keys)...) {
		held[k.Key] = string(owner)
	}
	return held
}

func claimable(keys []string) []Key {
	return keysIn(bucketSKU, slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !validID(key) })...)
}

// claim claims the new and the asked SKUs of a record where they are free, and releases those that it no longer has.
// The record may have had an asked one while another publication held it.
func claim(tx *Tx, before, after Record, asked []string) {
	had, has := before.skuKeys(), after.skuKeys()
	moved := slices.DeleteFunc(slices.Concat(had, has), func(key string) bool {
		return slices.Contains(had, key) == slices.Contains(has, key) && !slices.Contains(asked, key)
	})
	held := owners(tx, moved)
	for _, key := range claimable(moved) {
		owner, keeps := held[key.Key], slices.Contains(has, key.Key)
		if keeps && owner == "" {
			tx.Put(key, []byte(after.ID))
		} else if !keeps && owner == before.ID {
			tx.Put(key, nil)
		}
	}
}
