package store

import (
	"maps"
	"slices"
	"strings"
)

// SKUKey is what a claim of a SKU goes by: shops compare SKUs without regard to case.
func SKUKey(sku string) string { return strings.ToLower(sku) }

// SKUKeys is the keys of every SKU that the shop may hold of a publication: from before it is sent
// until a settled write no longer has it.
func (r Record) SKUKeys() []string {
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

// Left is what stays of a record whose publication is forgotten: that it was ours, and the SKUs that the
// shop may hold.
func (r Record) Left() Record {
	left := Record{ID: r.ID, ReportedAt: r.ReportedAt, Claims: slices.Clone(r.Claims)}
	for _, v := range r.Variants {
		if v.SKU != "" && !slices.Contains(left.Claims, v.SKU) {
			left.Claims = append(left.Claims, v.SKU)
		}
	}
	return left
}
