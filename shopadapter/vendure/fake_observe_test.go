package vendure_test

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// observed is what ObserveDocument shows of the shop, without the detour over GraphQL: the laws
// look often. Each law compares the two at its end.
func (f *fakeShop) observed(ctx context.Context) ([]vendureserver.Product, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []vendureserver.Product
	for _, p := range f.products {
		if !p.deleted {
			all = append(all, p.observed())
		}
	}
	return all, ctx.Err()
}

func (p *fakeProduct) observed() (seen vendureserver.Product) {
	seen.ID, seen.Enabled = p.id, p.enabled
	seen.CustomFields.PubsyncID, seen.CustomFields.PubsyncStamp = p.pubsyncID, p.stamp
	for _, t := range p.texts {
		seen.Translations = append(
			seen.Translations,
			vendureserver.Translation{LanguageCode: t.language, Name: t.name, Slug: t.slug, Description: t.description},
		)
	}
	for _, a := range p.assets {
		seen.Assets = append(seen.Assets, vendureserver.Asset{FileSize: a.size})
	}
	if p.featured != nil {
		seen.FeaturedAsset = &vendureserver.Asset{FileSize: p.featured.size}
	}
	for _, facet := range p.shop.facets {
		for _, v := range p.values {
			if slices.Contains(facet.values, v) {
				value := vendureserver.FacetValue{Name: v.name}
				value.Facet.Code = facet.code
				seen.FacetValues = append(seen.FacetValues, value)
			}
		}
	}
	for _, v := range p.variants {
		if !v.deleted {
			seen.Variants = append(seen.Variants, v.observed(p.shop))
		}
	}
	return seen
}

// gross is the price that a visitor pays. Vendure rounds it to whole minor units.
func (f *fakeShop) gross(price int) int {
	if f.channel["pricesIncludeTax"] == false {
		return (price*121 + 50) / 100
	}
	return price
}

func (v *fakeVariant) observed(f *fakeShop) vendureserver.Variant {
	seen := vendureserver.Variant{
		ID: v.id, SKU: v.sku, Name: v.names["en"], Enabled: !v.disabled, TrackInventory: v.track, StockOnHand: v.stock,
		Threshold: v.threshold,
		UseGlobal: v.useGlobal, PriceWithTax: f.gross(v.price),
	}
	fields, err := json.Marshal(v.custom)
	if err == nil {
		err = json.Unmarshal(fields, &seen.CustomFields)
	}
	if err != nil {
		f.t.Errorf("custom fields that nobody can read: %v", err)
	}
	if len(seen.CustomFields.Tags) == 0 {
		seen.CustomFields.Tags = []string{}
	}
	if len(seen.CustomFields.Materials) == 0 {
		seen.CustomFields.Materials = []string{}
	}
	seen.CustomFields.PubsyncID = v.pubsyncID
	for _, o := range v.options {
		option := vendureserver.Option{Name: o.name}
		option.Group.Name = o.group.name
		seen.Options = append(seen.Options, option)
	}
	return seen
}
