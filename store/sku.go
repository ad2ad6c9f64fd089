package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Shops compare SKUs without regard to case, so the claims do too.
func skuKey(sku string) []byte { return []byte(strings.ToLower(sku)) }

func skuOwner(id, variant string) string { return id + "\x00" + variant }

// assignSKU is the SKU that a variant may use: the one it wants when nobody else has it, else that with a suffix made from the variant's own
// identity, so that the same variant gets the same suffix always.
func assignSKU(tx *bolt.Tx, want, id, variant string) string {
	if want == "" || len(want) > maxID {
		return want
	}
	owner := bucket(tx, bucketSKU).Get(skuKey(want))
	if owner == nil || string(owner) == skuOwner(id, variant) {
		return want
	}
	return suffixed(want, id, variant)
}

func suffixed(sku, id, variant string) string {
	sum := sha256.Sum256([]byte(skuOwner(id, variant)))
	return sku + "-" + hex.EncodeToString(sum[:3])
}

func claimSKU(tx *bolt.Tx, sku, id, variant string) error {
	if sku == "" || len(sku) > maxID {
		return nil
	}
	return bucket(tx, bucketSKU).Put(skuKey(sku), []byte(skuOwner(id, variant)))
}

func releaseSKU(tx *bolt.Tx, sku, id, variant string) error {
	b := bucket(tx, bucketSKU)
	if sku == "" || string(b.Get(skuKey(sku))) != skuOwner(id, variant) {
		return nil
	}
	return b.Delete(skuKey(sku))
}

// PreviewSKUs is what Begin would assign now, without claiming anything.
func (s *Store) PreviewSKUs(id string, order []string, want map[string]string) (assigned map[string]string, err error) {
	assigned = make(map[string]string, len(want))
	taken := make(map[string]bool, len(want))
	err = s.read(func(tx *bolt.Tx) error {
		for _, variant := range order {
			sku := assignSKU(tx, want[variant], id, variant)
			if sku != "" && sku == want[variant] && taken[string(skuKey(sku))] {
				sku = suffixed(sku, id, variant)
			}
			taken[string(skuKey(sku))] = true
			assigned[variant] = sku
		}
		return nil
	})
	if s.db == nil {
		return want, err
	}
	return assigned, err
}
