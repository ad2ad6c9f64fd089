package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// An owner is who holds a SKU: a hash of the publication's id and one of the variant's. Twelve bytes in place of two ids, since most of what a
// store holds is SKUs.
type owner string

const (
	ownerPublication = 5 // bytes
	ownerVariant     = 3
)

func ownerOf(id, variant string) owner { return owners(id)(variant) }

// owners makes the owners of one publication's variants.
func owners(id string) func(variant string) owner {
	p := sha256.Sum256([]byte(id))
	return func(variant string) owner {
		v := sha256.Sum256([]byte(variant))
		return owner(append(p[:ownerPublication:ownerPublication], v[:ownerVariant]...))
	}
}

func (o owner) samePublication(p owner) bool {
	return len(o) >= ownerPublication && len(p) >= ownerPublication && o[:ownerPublication] == p[:ownerPublication]
}

// Shops compare SKUs without regard to case, so the claims do too.
func skuKey(sku string) string { return strings.ToLower(sku) }

// assignSKUs is the SKU that each variant of a publication may use. A variant gets the one it wants when no other holds it, else that with a
// suffix made from its own identity; one that has been given a suffix keeps it for as long as it wants the same, whatever becomes of the other,
// so that a SKU does not change while the supplier's stays. What a variant of this publication held, and wants no longer, is free for its siblings.
// first says that the publication has held none so far, so that no suffix of its own need be looked for.
func assignSKUs(held func(key string) owner, id string, order []string, want map[string]string, first bool) map[string]string {
	wants := make(map[owner]string, len(order))
	of := owners(id)
	me := make([]owner, len(order))
	for i, variant := range order {
		me[i] = of(variant)
		wants[me[i]] = skuKey(want[variant])
	}
	given := make(map[string]owner, len(order))
	free := func(sku string, me owner) bool {
		key := skuKey(sku)
		if by, ok := given[key]; ok {
			return by == me
		}
		switch by := held(key); {
		case by == "" || by == me:
			return true
		case by.samePublication(me):
			sibling, listed := wants[by]
			return !listed || sibling == "" || key != sibling && !strings.HasPrefix(key, sibling+"-")
		default:
			return false
		}
	}
	assigned := make(map[string]string, len(order))
	for i, variant := range order {
		me := me[i]
		mine := func(sku string) bool { return held(skuKey(sku)) == me }
		sku := pickSKU(want[variant], id, variant, first, mine, func(sku string) bool { return free(sku, me) })
		assigned[variant] = sku
		if sku != "" {
			given[skuKey(sku)] = me
		}
	}
	return assigned
}

func pickSKU(want, id, variant string, first bool, mine, free func(string) bool) string {
	if want == "" || len(want) > maxID || first && free(want) {
		return want
	}
	if sku := suffixed(want, id, variant, 0); !mine(want) && mine(sku) && free(sku) {
		return sku
	}
	sku := want
	for n := 0; !free(sku) && n < suffixes; n++ {
		sku = suffixed(want, id, variant, n)
	}
	return sku
}

// suffixes is how many lengths a suffix may have: a longer one is used where the shorter is taken, by chance or on purpose.
const suffixes = 4

// suffixed is a SKU with the n-th form of the variant's suffix: 6, 12, 24, 48 hexadecimal digits.
func suffixed(sku, id, variant string, n int) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3<<n])
}

// heldIn looks a claim up.
func heldIn(tx *bolt.Tx) func(key string) owner {
	return func(key string) owner {
		if key == "" || len(key) > bolt.MaxKeySize {
			return ""
		}
		return owner(bucket(tx, bucketSKU).Get([]byte(key)))
	}
}

func claimSKU(tx *bolt.Tx, sku string, by owner) error {
	if sku == "" || len(sku) > maxID {
		return nil
	}
	return bucket(tx, bucketSKU).Put([]byte(skuKey(sku)), []byte(by))
}

func releaseSKU(tx *bolt.Tx, sku, id, variant string) error {
	if heldIn(tx)(skuKey(sku)) != ownerOf(id, variant) {
		return nil
	}
	return bucket(tx, bucketSKU).Delete([]byte(skuKey(sku)))
}

// settleClaims releases the SKUs that a publication no longer uses. While an attempt is unsettled the shop may hold any SKU that was sent to it:
// those stay claimed, and are returned.
func settleClaims(tx *bolt.Tx, before, after Record) (open []Claim, err error) {
	used := make(map[Claim]bool, len(after.Variants))
	for _, v := range after.Variants {
		used[Claim{Variant: v.ID, SKU: skuKey(v.SKU)}] = true
	}
	claims := before.Claims[:len(before.Claims):len(before.Claims)]
	for _, v := range before.Variants {
		claims = append(claims, Claim{Variant: v.ID, SKU: v.SKU})
	}
	for _, c := range claims {
		key := Claim{Variant: c.Variant, SKU: skuKey(c.SKU)}
		switch {
		case c.SKU == "" || used[key]:
		case after.Attempted != 0:
			used[key] = true
			open = append(open, c)
		default:
			if err := releaseSKU(tx, c.SKU, before.ID, c.Variant); err != nil {
				return nil, err
			}
		}
	}
	return open, nil
}

// PreviewSKUs is what Begin would assign now, without claiming anything.
func (s *Store) PreviewSKUs(id string, order []string, want map[string]string) (assigned map[string]string, err error) {
	if s.db == nil {
		return assignSKUs(func(string) owner { return "" }, id, order, want, true), nil
	}
	err = s.read(func(tx *bolt.Tx) error {
		assigned = assignSKUs(heldIn(tx), id, order, want, false)
		return nil
	})
	return assigned, err
}
