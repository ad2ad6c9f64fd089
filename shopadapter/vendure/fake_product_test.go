package vendure_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

type fakeProduct struct {
	id, pubsyncID, stamp string
	enabled, deleted     bool
	updated              time.Time
	texts                []fakeText
	featured             *fakeAsset
	assets               []*fakeAsset
	values               []*fakeValue
	groups               []*fakeGroup
	variants             []*fakeVariant
	shop                 *fakeShop
}

type fakeText struct{ language, name, slug, description string }

type fakeVariant struct {
	id, pubsyncID, sku, track string
	product                   string // its id
	deleted, useGlobal        bool
	disabled                  bool
	updated                   time.Time
	names                     map[string]string
	price                     int
	stock, threshold          int
	options                   []*fakeOption
	custom                    map[string]any // fields of the owner's, and the note of them
}

func (f *fakeShop) product(id string) *fakeProduct {
	i := slices.IndexFunc(f.products, func(p *fakeProduct) bool { return p.id == id && !p.deleted })
	if i < 0 {
		return nil
	}
	return f.products[i]
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (p *fakeProduct) object() object {
	o := object{
		"__typename": "Product", "id": p.id, "enabled": p.enabled, "featuredAsset": nil, "updatedAt": p.updated,
		"customFields": object{"pubsyncId": nullable(p.pubsyncID), "pubsyncStamp": nullable(p.stamp)},
	}
	if p.featured != nil {
		o["featuredAsset"] = p.featured.object()
	}
	// What takes long to make is made when it is asked for.
	o["translations"] = func(arguments) any {
		texts := []object{}
		for _, t := range p.texts {
			texts = append(
				texts,
				object{"languageCode": t.language, "name": t.name, "slug": t.slug, "description": t.description},
			)
		}
		return texts
	}
	o["assets"] = func(arguments) any {
		assets := []object{}
		for _, a := range p.assets {
			assets = append(assets, a.object())
		}
		return assets
	}
	o["facetValues"] = func(arguments) any {
		values := []object{}
		for _, facet := range p.shop.facets {
			for _, v := range p.values {
				if slices.Contains(facet.values, v) {
					values = append(values, v.object(facet))
				}
			}
		}
		return values
	}
	o["optionGroups"] = func(arguments) any {
		groups := []object{}
		for _, g := range p.groups {
			groups = append(groups, g.object())
		}
		return groups
	}
	o["variants"] = func(arguments) any {
		variants := []object{}
		for _, v := range p.variants {
			if !v.deleted {
				variants = append(variants, v.object(p.shop))
			}
		}
		return variants
	}
	return o
}

func (v *fakeVariant) object(f *fakeShop) object {
	options := []object{}
	for _, o := range v.options {
		options = append(options, object{"id": o.id, "name": o.name, "group": object{"name": o.group.name}})
	}
	names := []object{}
	for _, language := range []string{"en", "nl", "de"} {
		if name, ok := v.names[language]; ok {
			names = append(names, object{"languageCode": language, "name": name})
		}
	}
	return object{
		"__typename": "ProductVariant", "id": v.id, "sku": v.sku, "name": v.names["en"], "enabled": !v.disabled,
		"trackInventory": v.track, "updatedAt": v.updated, "productId": v.product,
		"stockOnHand": v.stock, "outOfStockThreshold": v.threshold, "useGlobalOutOfStockThreshold": v.useGlobal,
		"priceWithTax": f.gross(v.price),
		"customFields": v.customFields(f), "translations": names, "options": options,
		"prices": []object{
			{"price": v.price, "currencyCode": "EUR"},
		},
		"stockLevels": v.levels(f),
	}
}

// levels are what is stocked of a variant at each location. The default one need not come first.
func (v *fakeVariant) levels(f *fakeShop) []object {
	level := func(location, stock int) object {
		at := object{"id": fmt.Sprint(location), "createdAt": time.Unix(int64(location), 0)}
		return object{"stockOnHand": stock, "updatedAt": v.updated, "stockLocation": at}
	}
	levels := []object{level(1, v.stock)}
	if f.shed {
		levels = []object{level(2, 55), levels[0]}
	}
	return levels
}

// write applies CreateProductInput or UpdateProductInput.
func (p *fakeProduct) write(in map[string]any) error {
	p.updated = time.Now()
	for _, item := range list(in["translations"]) {
		if err := p.translate(item.(map[string]any)); err != nil {
			return err
		}
	}
	if enabled, ok := in["enabled"].(bool); ok {
		p.enabled = enabled
	}
	if custom, ok := in["customFields"].(map[string]any); ok {
		for name, field := range map[string]*string{"pubsyncId": &p.pubsyncID, "pubsyncStamp": &p.stamp} {
			if text, given := custom[name]; given {
				*field, _ = text.(string)
			}
		}
	}
	f := p.shop
	if ids, ok := in["assetIds"]; ok && ids != nil {
		p.assets = nil
		for _, id := range list(ids) {
			// An unknown id is passed over in silence.
			if a := f.asset(id.(string)); a != nil {
				p.assets = append(p.assets, a)
			}
		}
		if len(list(ids)) == 0 {
			p.featured = nil
		}
	}
	if id, ok := in["featuredAssetId"]; ok {
		p.featured = nil
		if text, ok := id.(string); ok {
			p.featured = f.asset(text)
		}
	}
	if ids, ok := in["facetValueIds"]; ok {
		p.values = nil
		for _, id := range list(ids) {
			if v := f.value(id.(string)); v != nil {
				p.values = append(p.values, v)
			}
		}
	}
	return nil
}

func (p *fakeProduct) translate(in map[string]any) error {
	language := in["languageCode"].(string)
	i := slices.IndexFunc(p.texts, func(t fakeText) bool { return t.language == language })
	if i < 0 {
		for _, name := range []string{"name", "slug", "description"} {
			if _, ok := in[name].(string); !ok {
				return graphqlfake.Faultf(
					"INTERNAL_SERVER_ERROR",
					"NOT NULL constraint failed: product_translation.%s",
					name,
				)
			}
		}
		p.texts, i = append(p.texts, fakeText{language: language}), len(p.texts)
	}
	if name, ok := in["name"].(string); ok {
		p.texts[i].name = name
	}
	if description, ok := in["description"].(string); ok {
		if p.shop.rewrite != nil {
			description = p.shop.rewrite(description)
		}
		p.texts[i].description = description
	}
	if slug, ok := in["slug"].(string); ok {
		p.texts[i].slug = p.shop.uniqueSlug(p, language, strings.ToLower(slug))
	}
	return nil
}

func (f *fakeShop) uniqueSlug(mine *fakeProduct, language, slug string) string {
	unique := slug
	for n := 2; ; n++ {
		taken := slices.ContainsFunc(f.products, func(p *fakeProduct) bool {
			return p != mine && !p.deleted &&
				slices.ContainsFunc(
					p.texts,
					func(t fakeText) bool { return t.language == language && t.slug == unique },
				)
		})
		if !taken {
			return unique
		}
		unique = slug + "-" + string(rune('0'+n))
	}
}

// createVariant makes a variant, or tells why not, as Vendure does.
func (f *fakeShop) createVariant(in map[string]any) (*fakeVariant, *fakeProduct, error) {
	p := f.product(in["productId"].(string))
	if p == nil {
		return nil, nil, graphqlfake.Faultf(
			"ENTITY_NOT_FOUND",
			"No Product with the id %q could be found",
			in["productId"],
		)
	}
	options, err := p.choose(in["optionIds"])
	if err != nil {
		return nil, nil, err
	}
	for _, other := range p.variants {
		if !other.deleted && sameOptions(other.options, options) {
			return nil, nil, graphqlfake.Faultf(
				"USER_INPUT_ERROR",
				"A ProductVariant with the selected options already exists: %s",
				other.names["en"],
			)
		}
	}
	if f.noTaxZone {
		return nil, nil, graphqlfake.Faultf("INTERNAL_SERVER_ERROR", "The active tax zone could not be determined.")
	}
	v := &fakeVariant{
		id: f.id(), product: p.id, options: options, names: map[string]string{}, track: "INHERIT", useGlobal: true,
	}
	return v, p, v.write(f, in)
}

// choose finds the options of a variant: one of each group of its product.
func (p *fakeProduct) choose(ids any) ([]*fakeOption, error) {
	var options []*fakeOption
	for _, g := range p.groups {
		for _, o := range g.options {
			if slices.Contains(list(ids), any(o.id)) {
				options = append(options, o)
			}
		}
	}
	if len(list(ids)) != len(p.groups) || len(options) != len(p.groups) {
		return nil, graphqlfake.Faultf(
			"USER_INPUT_ERROR",
			"ProductVariant optionIds must include one optionId from each of the groups",
		)
	}
	return options, nil
}

func sameOptions(a, b []*fakeOption) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(o *fakeOption) bool { return !slices.Contains(b, o) })
}

// write applies the fields that creation and update share.
func (v *fakeVariant) write(f *fakeShop, in map[string]any) error {
	v.updated = time.Now()
	if enabled, ok := in["enabled"].(bool); ok {
		v.disabled = !enabled
	}
	if sku, ok := in["sku"].(string); ok {
		if strings.Contains(sku, "REFUSED") {
			return graphqlfake.Faultf("USER_INPUT_ERROR", "a plugin of the shop does not like this SKU")
		}
		v.sku = sku
	}
	if stock, ok := in["stockOnHand"]; ok {
		if n := whole(stock); n < 0 {
			return graphqlfake.Faultf("USER_INPUT_ERROR", "stockOnHand cannot be a negative value")
		}
		v.stock = whole(stock)
	}
	for _, item := range list(in["translations"]) {
		row := item.(map[string]any)
		v.names[row["languageCode"].(string)], _ = row["name"].(string)
	}
	if price, ok := in["price"]; ok {
		v.price = whole(price)
	}
	if track, ok := in["trackInventory"].(string); ok {
		v.track = track
	}
	if global, ok := in["useGlobalOutOfStockThreshold"].(bool); ok {
		v.useGlobal = global
	}
	if threshold, ok := in["outOfStockThreshold"]; ok {
		v.threshold = whole(threshold)
	}
	if custom, ok := in["customFields"].(map[string]any); ok {
		return v.writeCustom(custom)
	}
	return nil
}
