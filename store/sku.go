package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// An Owner is who holds a SKU: a hash of the publication's id and one of the variant's. Twelve
// bytes in place of two ids, since most of what a store holds is SKUs.
type Owner string

const (
	ownerPublication = 5 // bytes
	ownerVariant     = 3
)

// OwnerOf is the owner that a variant of a publication is.
func OwnerOf(id, variant string) Owner { return OwnersOf(id)(variant) }

// OwnersOf makes the owners of one publication's variants.
func OwnersOf(id string) func(variant string) Owner {
	p := sha256.Sum256([]byte(id))
	return func(variant string) Owner {
		v := sha256.Sum256([]byte(variant))
		return Owner(append(p[:ownerPublication:ownerPublication], v[:ownerVariant]...))
	}
}

// Publication is the part of an owner that tells one publication from another.
func (o Owner) Publication() string { return string(o[:min(len(o), ownerPublication)]) }

// SKUKey is what a claim of a SKU goes by: shops compare SKUs without regard to case.
func SKUKey(sku string) string { return strings.ToLower(sku) }

// candidates is every SKU that assignSKUs may give, by its key.
func candidates(id string, order []string, want map[string]string) []string {
	keys := make([]string, 0, (1+suffixes)*len(order))
	for _, variant := range order {
		sku := want[variant]
		if sku == "" || len(sku) > MaxID {
			continue
		}
		keys = append(keys, SKUKey(sku))
		for n := range suffixes {
			keys = append(keys, SKUKey(suffixed(sku, id, variant, n)))
		}
	}
	return keys
}

// assignSKUs is the SKU that each variant of a publication may use. A variant gets the one it wants
// when no other holds it, else that with a suffix made from its own identity; one that has been
// given a suffix keeps it for as long as it wants the same, whatever becomes of the other, so that
// a SKU does not change while the supplier's stays. What a variant of this publication held, and
// wants no longer, is free for its siblings.
func assignSKUs(held map[string]Owner, id string, order []string, want map[string]string) map[string]string {
	wants := make(map[Owner]string, len(order))
	of := OwnersOf(id)
	me := make([]Owner, len(order))
	for i, variant := range order {
		me[i] = of(variant)
		wants[me[i]] = SKUKey(want[variant])
	}
	given := make(map[string]Owner, len(order))
	free := func(sku string, me Owner) bool {
		key := SKUKey(sku)
		if by, ok := given[key]; ok {
			return by == me
		}
		switch by := held[key]; {
		case by == "" || by == me:
			return true
		case by.Publication() == me.Publication():
			sibling, listed := wants[by]
			return !listed || sibling == "" || key != sibling && !strings.HasPrefix(key, sibling+"-")
		default:
			return false
		}
	}
	assigned := make(map[string]string, len(order))
	for i, variant := range order {
		me := me[i]
		mine := func(sku string) bool { return held[SKUKey(sku)] == me }
		sku := pickSKU(want[variant], id, variant, mine, func(sku string) bool { return free(sku, me) })
		assigned[variant] = sku
		if sku != "" {
			given[SKUKey(sku)] = me
		}
	}
	return assigned
}

func pickSKU(want, id, variant string, mine, free func(string) bool) string {
	if want == "" || len(want) > MaxID {
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

// suffixes is how many lengths a suffix may have: a longer one is used where the shorter is taken,
// by chance or on purpose.
const suffixes = 4

// suffixed is a SKU with the n-th form of the variant's suffix: 6, 12, 24, 48 hexadecimal digits.
func suffixed(sku, id, variant string, n int) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3<<n])
}

// SplitClaims is the SKUs beyond those of the variants that a publication still holds, and those
// that are free once after is written in place of before. While an attempt is unsettled the shop
// may hold any SKU that was sent to it: those stay claimed. So do those that are left of a
// forgotten publication, until the shop has been written again.
func SplitClaims(before, after Record) (open, free []Claim) {
	if len(before.Claims) == 0 && sameSKUs(before.Variants, after.Variants) {
		return nil, nil
	}
	used := make(map[Claim]bool, len(after.Variants))
	for _, v := range after.Variants {
		used[Claim{Variant: v.ID, SKU: SKUKey(v.SKU)}] = true
	}
	claims := before.Claims[:len(before.Claims):len(before.Claims)]
	left := 0 // of a forgotten publication: no attempt made them
	if before.Attempted == 0 && after.WrittenAt == 0 {
		left = len(claims)
	}
	for _, v := range before.Variants {
		claims = append(claims, Claim{Variant: v.ID, SKU: v.SKU})
	}
	for i, c := range claims {
		key := Claim{Variant: c.Variant, SKU: SKUKey(c.SKU)}
		switch {
		case c.SKU == "" || used[key]:
		case after.Attempted != 0 || i < left:
			used[key] = true
			open = append(open, c)
		default:
			free = append(free, c)
		}
	}
	return open, free
}

// sameSKUs reports whether the variants are the same and have the same SKUs.
func sameSKUs(before, after []Variant) bool {
	return slices.EqualFunc(before, after, func(a, b Variant) bool { return a.ID == b.ID && a.SKU == b.SKU })
}
