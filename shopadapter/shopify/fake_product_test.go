package shopify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

type fakeProduct struct {
	id, handle, title, description, kind, status, vendor string
	tags                                                 []string
	published                                            map[string]bool
	metafields                                           map[string]string // namespace.key
	options                                              []string
	variants                                             []*fakeVariant
	media                                                []*fakeMedia
	translations                                         map[string]map[string]fakeText // locale, key
}

type fakeText struct{ value, digest string }

type fakeVariant struct {
	id, sku, barcode, price, cost, policy string
	former                                string // the compare-at price, "" for none
	tracked                               bool
	weight                                float64
	unit, origin                          string
	values                                []string
	metafields                            map[string]string
	levels                                map[string]int // available, by location
	off                                   bool           // the sales channel
}

type fakeMedia struct {
	id, source, alt, status string
	fault                   string    // MediaErrorCode
	ready                   time.Time // zero: when it is looked at
}

type fakeJob struct {
	polls   int
	product string
}

// id makes a new one of a kind.
func (f *fakeShop) id(kind string) string {
	f.next++
	return fmt.Sprintf("gid://shopify/%s/%d", kind, f.next)
}

func (f *fakeShop) find(id string) *fakeProduct {
	if i := slices.IndexFunc(f.products, func(p *fakeProduct) bool { return p.id == id }); i >= 0 {
		return f.products[i]
	}
	return nil
}

// resolve answers one root field.
func (f *fakeShop) resolve(name string, a arguments) (any, error) {
	scope := map[string]string{
		"location": "read_locations", "locations": "read_locations", "publications": "read_publications",
		"shopLocales": "read_locales", "publishablePublish": "write_publications",
		"translationsRegister": "write_translations", "productSet": "write_products", "productUpdate": "write_products",
		"productDelete": "write_products", "metafieldDefinitionCreate": "write_products",
	}[name]
	if !slices.Contains(append(f.scopes, ""), scope) &&
		!slices.Contains(f.scopes, "write_"+strings.TrimPrefix(scope, "read_")) {
		return nil, faultf("ACCESS_DENIED", "Access denied. Required access: `%s` access scope.", scope)
	}
	switch name {
	case "currentAppInstallation":
		scopes := []object{}
		for _, s := range f.scopes {
			scopes = append(scopes, object{"handle": s})
		}
		return object{"accessScopes": scopes}, nil
	case "shop":
		return object{
			"name": storeName, "currencyCode": f.currency, "taxesIncluded": !f.taxesOnTop,
		}, nil
	case "location":
		if i := slices.IndexFunc(f.locations, func(o object) bool { return o["id"] == f.primary }); i >= 0 {
			return f.locations[i], nil
		}
		return nil, nil //nolint:nilnil // null is a value
	case "locations":
		return paged(f.locations, a), nil
	case "publications":
		return paged(f.publications, a), nil
	case "shopLocales":
		return f.locales, nil
	case "metafieldDefinition":
		return f.definition(), nil
	case "productByIdentifier":
		custom := a["identifier"].(map[string]any)["customId"].(map[string]any)
		p, err := f.findByKey(custom["value"].(string))
		return p.object(f), err
	case "product":
		return f.find(a["id"].(string)).object(f), nil
	case "nodes":
		all := []object{}
		for _, id := range a["ids"].([]any) {
			all = append(all, f.find(id.(string)).object(f))
		}
		return all, nil
	case "translatableResource":
		return f.find(a["resourceId"].(string)).object(f), nil
	case "productOperation":
		return f.operation(a["id"].(string)), nil
	}
	return f.mutate(name, a)
}

// findByKey is the product whose custom id this is. Like a database that compares without regard to
// case, it takes a for A.
func (f *fakeShop) findByKey(key string) (*fakeProduct, error) {
	if f.defined != "id" {
		return nil, faultf("NOT_FOUND", "Metafield definition of type 'id' is required when using custom ids.")
	}
	for _, p := range f.products {
		if strings.EqualFold(p.metafields["pubsync.publication"], key) {
			return p, nil
		}
	}
	return nil, nil //nolint:nilnil // null is a value
}

func (f *fakeShop) definition() any {
	if f.defined == "" {
		return nil
	}
	return object{
		"type": object{"name": f.defined},
		"metafields": func(a arguments) any {
			all := []object{}
			for _, p := range f.products {
				if p.metafields["pubsync.publication"] != "" {
					all = append(all, object{"owner": p.object(f)})
				}
			}
			return paged(all, a)
		},
	}
}

func (f *fakeShop) operation(id string) any {
	job := f.jobs[id]
	o := object{"__typename": "ProductSetOperation", "status": "ACTIVE", "product": nil, "userErrors": []object{}}
	if job == nil {
		return nil
	}
	if job.polls--; job.polls <= 0 {
		o["status"], o["product"] = "COMPLETE", f.find(job.product).object(f)
	}
	return o
}

// paged is the page of a list that the arguments ask for. A cursor is the place of the last one
// shown.
func paged(all []object, a arguments) object {
	start := 0
	if after, ok := a["after"].(string); ok {
		_, _ = fmt.Sscan(after, &start)
	}
	end := min(start+int(number(a["first"])), len(all))
	return object{
		"nodes":    all[start:end],
		"pageInfo": object{"hasNextPage": end < len(all), "endCursor": fmt.Sprint(end)},
	}
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// originals are the translatable texts of a product, by key.
func (p *fakeProduct) originals() map[string]string {
	texts := map[string]string{"title": p.title, "product_type": p.kind}
	if p.description != "" {
		texts["body_html"] = p.description
	}
	return texts
}

func (p *fakeProduct) onSale() bool { return p.status == "ACTIVE" && p.published[publicationID] }

// orNull is a text as Shopify answers it, null for none.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func metafieldIn(values map[string]string) func(arguments) any {
	return func(a arguments) any {
		if value, ok := values[fmt.Sprint(a["namespace"], ".", a["key"])]; ok {
			return object{"value": value}
		}
		return nil
	}
}

// object is the product as a query sees it, also one for its texts.
func (p *fakeProduct) object(f *fakeShop) object {
	if p == nil {
		return nil
	}
	page, preview := "https://lamps.example/products/"+p.handle, ""
	if !p.onSale() {
		page, preview = "", "https://lamps.myshopify.com/products_preview?preview_key="+p.handle
	}
	contents := []object{}
	for key, text := range p.originals() {
		contents = append(contents, object{"key": key, "digest": digestOf(text)})
	}
	return object{
		"__typename": "Product", "id": p.id, "handle": p.handle, "status": p.status, "title": p.title,
		"descriptionHtml": p.description, "productType": p.kind, "vendor": p.vendor, "tags": append([]string{}, p.tags...),
		"onlineStoreUrl": orNull(page), "onlineStorePreviewUrl": orNull(preview),
		"metafield": metafieldIn(p.metafields), "translatableContent": contents,
		"publishedOnPublication": func(a arguments) any { return p.published[a["publicationId"].(string)] },
		"translations": func(a arguments) any {
			all := []object{}
			for key, text := range p.translations[a["locale"].(string)] {
				outdated := text.digest != digestOf(p.originals()[key])
				all = append(all, object{"key": key, "value": text.value, "outdated": outdated})
			}
			return all
		},
		"media": func(a arguments) any {
			all := []object{}
			for _, m := range p.media {
				o := object{"__typename": "MediaImage", "id": m.id, "status": f.mediaStatus(m), "mediaErrors": []object{}}
				if o["status"] == "FAILED" {
					o["mediaErrors"] = []object{{"code": m.fault}}
				}
				all = append(all, o)
			}
			return paged(all, a)
		},
		"variants": func(a arguments) any {
			all := []object{}
			for _, v := range p.variants {
				all = append(all, v.object(p))
			}
			return paged(all, a)
		},
	}
}

func (v *fakeVariant) object(p *fakeProduct) object {
	options := []object{}
	for i, name := range p.options {
		options = append(options, object{"name": name, "value": v.values[i]})
	}
	unit := v.unit
	if unit == "" {
		unit = "KILOGRAMS"
	}
	return object{
		"__typename": "ProductVariant", "id": v.id, "barcode": orNull(v.barcode), "selectedOptions": options,
		"metafield":              metafieldIn(v.metafields),
		"publishedOnPublication": func(a arguments) any { return !v.off || a["publicationId"] != publicationID },
		"sku":                    v.sku, "price": v.price, "compareAtPrice": orNull(v.former), "inventoryPolicy": v.policy,
		"inventoryItem": object{
			"tracked": v.tracked, "countryCodeOfOrigin": orNull(v.origin),
			"measurement": object{"weight": object{"value": v.weight, "unit": unit}},
			"inventoryLevel": func(a arguments) any {
				quantity, stocked := v.levels[a["locationId"].(string)]
				if !stocked {
					return nil
				}
				return object{"quantities": []object{{"name": "available", "quantity": quantity}}}
			},
		},
	}
}

// mediaStatus is how far a picture is. Each look may be the one at which it is done.
func (f *fakeShop) mediaStatus(m *fakeMedia) string {
	status := m.status
	if status == "PROCESSING" && (m.ready.IsZero() || !time.Now().Before(m.ready)) {
		if m.fault = f.faults[m.source]; m.fault != "" {
			m.status = "FAILED"
		} else {
			m.status = "READY"
			f.uploads++
		}
		if !m.ready.IsZero() {
			status = m.status
		}
	}
	return status
}
