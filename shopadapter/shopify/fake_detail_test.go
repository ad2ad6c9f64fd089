package shopify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// storeName is the vendor of a product that was given none.
const storeName = "The Lamp Shop"

// setDetails sets weight and origin of a variant. wrong is as of setVariant.
func (v *fakeVariant) setDetails(item map[string]any) (wrong string) {
	if measured, ok := item["measurement"].(map[string]any); ok {
		weight, ok := measured["weight"].(map[string]any)
		if ok && number(weight["value"]) < 0 {
			return "INVALID_VARIANT inventoryItem Weight must be greater than or equal to 0"
		}
		if ok {
			v.weight, v.unit = number(weight["value"]), weight["unit"].(string)
		}
	}
	if origin, given := item["countryCodeOfOrigin"]; given {
		v.origin, _ = origin.(string)
	}
	return ""
}

// details are what the shop's owner sees of a product, but for the store's own name and tag.
func (p *fakeProduct) details() map[string]string {
	all := map[string]string{"brand": p.vendor}
	if p.vendor == storeName {
		all["brand"] = ""
	}
	tags := slices.DeleteFunc(slices.Clone(p.tags), func(tag string) bool { return tag == "pubsync" })
	all["tags"] = strings.Join(tags, ", ")
	return all
}

func (v *fakeVariant) details() map[string]string {
	all := map[string]string{"ean": v.barcode, "origin": v.origin}
	if v.weight > 0 {
		all["weight"] = fmt.Sprint(v.weight)
	}
	return all
}

// editDetail types another value.
func (f *fakeShop) editDetail(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	if name == "brand" {
		return f.byHand(listing, func(p *fakeProduct) { p.vendor = "A brand of my own" })
	}
	return f.onVariant(listing, v.ShopID, func(v *fakeVariant) {
		switch name {
		case "ean":
			v.barcode = "4006381333931"
		case "weight":
			v.weight, v.unit = 7.77, "KILOGRAMS"
		case "origin":
			v.origin = "JP"
		}
	})
}
