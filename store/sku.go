package store

import (
	"crypto/sha256"
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
