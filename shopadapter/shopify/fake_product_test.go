package shopify_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

type fakeProduct struct {
	id, handle, title, description, kind, status string
	vendor                                       string
	tags                                         []string
	updated                                      time.Time
	published                                    map[string]bool
	metafields                                   map[string]string // namespace.key
	options                                      []string
	variants                                     []*fakeVariant
	media                                        []*fakeMedia
	translations                                 map[string]map[string]fakeText // locale, key
}

type fakeText struct{ value, digest string }

type fakeVariant struct {
	id, sku, barcode, price, cost, policy string
	former                                string // the compare-at price, "" for none
	tracked                               bool
	weight                                float64
	unit                                  string // of the weight
	origin                                string
	values                                []string
	metafields                            map[string]string
	levels                                map[string]int // available, by location
	off                                   bool           // the sales channel
}

type fakeMedia struct {
	id, source, alt string
	status          string
	fault           string    // MediaErrorCode
	ready           time.Time // zero: when it is looked at
}

type fakeJob struct {
	polls   int
	product string
	errors  []object
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// object is the product as a query sees it.
func (p *fakeProduct) object(f *fakeShop) object {
	if p == nil {
		return nil
	}
	var page, preview any
	if p.published[publicationID] && p.status == "ACTIVE" {
		page = "https://lamps.example/products/" + p.handle
	} else {
		preview = "https://lamps.myshopify.com/products_preview?preview_key=" + p.handle
	}
	return object{
		"__typename": "Product", "id": p.id, "handle": p.handle, "status": p.status, "title": p.title,
		"descriptionHtml": p.description,
		"productType":     p.kind, "vendor": p.vendor, "tags": append([]string{}, p.tags...),
		"onlineStoreUrl": page, "onlineStorePreviewUrl": preview,
		"updatedAt": p.updated.UTC().Format(time.RFC3339),
		"translations": func(a arguments) any {
			return p.translationsIn(a["locale"].(string))
		},
		"metafield": metafieldIn(p.metafields),
		"publishedOnPublication": func(a arguments) any {
			return p.published[a["publicationId"].(string)]
		},
		"media": func(a arguments) any {
			list := []object{}
			for _, m := range p.media {
				list = append(list, m.object(f))
			}
			return paged(list, a)
		},
		"variants": func(a arguments) any {
			list := []object{}
			for _, v := range p.variants {
				list = append(list, v.object(p))
			}
			return paged(list, a)
		},
	}
}

func (v *fakeVariant) object(p *fakeProduct) object {
	compared := any(nil)
	if v.former != "" {
		compared = v.former
	}
	options := []object{}
	for i, name := range p.options {
		options = append(options, object{"name": name, "value": v.values[i]})
	}
	barcode, origin := any(v.barcode), any(v.origin)
	if v.barcode == "" {
		barcode = nil
	}
	if v.origin == "" {
		origin = nil
	}
	return object{
		"__typename":      "ProductVariant",
		"barcode":         barcode,
		"id":              v.id,
		"selectedOptions": options,
		"metafield":       metafieldIn(v.metafields),
		"publishedOnPublication": func(a arguments) any {
			return !v.off || a["publicationId"] != publicationID
		},
		"sku": v.sku, "price": v.price, "compareAtPrice": compared, "inventoryPolicy": v.policy,
		"inventoryItem": object{
			"tracked": v.tracked, "countryCodeOfOrigin": origin,
			"measurement": object{"weight": object{"value": v.weight, "unit": cmp.Or(v.unit, "KILOGRAMS")}},
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

func metafieldIn(values map[string]string) func(arguments) any {
	return func(a arguments) any {
		value, ok := values[fmt.Sprint(a["namespace"], ".", a["key"])]
		if !ok {
			return nil
		}
		return object{"value": value}
	}
}

// paged is the page of a list that the arguments ask for. A cursor is the place of the last one
// shown.
func paged(list []object, a arguments) object {
	start := 0
	if after, ok := a["after"].(string); ok {
		_, _ = fmt.Sscan(after, &start)
	}
	end := min(start+int(number(a["first"])), len(list))
	return object{
		"nodes":    list[start:end],
		"pageInfo": object{"hasNextPage": end < len(list), "endCursor": fmt.Sprint(end)},
	}
}

func (m *fakeMedia) object(f *fakeShop) object {
	o := object{"__typename": "MediaImage", "id": m.id, "status": f.mediaStatus(m), "mediaErrors": []object{}}
	if o["status"] == "FAILED" {
		o["mediaErrors"] = []object{{"code": m.fault, "message": "words", "details": nil}}
	}
	return o
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

func (p *fakeProduct) onSale() bool { return p.status == "ACTIVE" && p.published[publicationID] }

// observe is what a customer and the shop's owner see.
func (f *fakeShop) observe(context.Context) ([]laws.Seen, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []laws.Seen
	for _, p := range f.products {
		var stamp struct{ ID string }
		if p.metafields["pubsync.publication"] != "" {
			_ = json.Unmarshal([]byte(p.metafields["pubsync.stamp"]), &stamp)
		}
		seen := laws.Seen{
			Listing: shopadapter.ListingID(p.id), Publication: shopadapter.PublicationID(stamp.ID), OnSale: p.onSale(),
			Title: p.title, Description: p.description, Category: p.kind, Details: p.details(),
		}
		for _, m := range p.media {
			if f.mediaStatus(m) != "FAILED" {
				seen.Images = append(seen.Images, m.source)
			}
		}
		for _, v := range p.variants {
			s := laws.SeenVariant{
				ID: v.metafields["pubsync.variant"], ShopID: v.id, SKU: v.sku, Price: f.paid(v.price),
				Quantity:   v.levels[locationID],
				Backorders: v.policy == "CONTINUE", Options: map[string]string{}, Details: v.details(),
			}
			for i, name := range p.options {
				if name != "Title" || v.values[i] != "Default Title" {
					s.Options[name] = v.values[i]
				}
			}
			if v.tracked && !v.off {
				seen.Variants = append(seen.Variants, s)
			}
		}
		list = append(list, seen)
	}
	return list, nil
}

func (f *fakeShop) edit(_ context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.find(string(listing))
	if p == nil {
		return errors.New("no such product")
	}
	p.updated = time.Now()
	switch group {
	case shopadapter.FieldTitle:
		p.title = "A title of my own"
	case shopadapter.FieldDescription:
		p.description = "<p>Words of <b>my own</b>.</p>"
	case shopadapter.FieldCategory:
		p.kind = "Of my own"
	case shopadapter.FieldImages:
		p.media = append(
			slices.Clone(p.media[1:]),
			&fakeMedia{id: f.id("MediaImage"), source: "https://lamps.example/mine.jpg", status: "READY"},
		)
	}
	return nil
}

func (f *fakeShop) deleteByHand(_ context.Context, listing shopadapter.ListingID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.products)
	f.products = slices.DeleteFunc(f.products, func(p *fakeProduct) bool { return p.id == string(listing) })
	if len(f.products) == before {
		return errors.New("no such product")
	}
	return nil
}

// addForeign adds a product of the merchant's that looks like p: same title, address and SKUs.
func (f *fakeShop) addForeign(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	made := &fakeProduct{
		id: f.id(
			"Product",
		), handle: f.handle(p.Title), title: p.Title, description: p.Description, kind: p.Category.Name, status: "ACTIVE",
		published: map[string]bool{
			publicationID: true,
		}, metafields: map[string]string{}, options: slices.Clone(p.Options),
	}
	for _, v := range p.Variants {
		values := []string{}
		for _, o := range v.Options {
			values = append(values, o.Value)
		}
		made.variants = append(made.variants, &fakeVariant{
			id: f.id(
				"ProductVariant",
			), sku: v.SKU, price: v.Price, policy: "DENY", values: values, tracked: true,
			levels: map[string]int{locationID: v.Quantity},
		})
	}
	f.products = append(f.products, made)
	return shopadapter.ListingID(made.id), nil
}

// handle makes the address of a product from its title, numbered when it is taken.
func (f *fakeShop) handle(title string) string {
	words := strings.FieldsFunc(
		strings.ToLower(title),
		func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) },
	)
	base := strings.Join(words, "-")
	for n := 0; ; n++ {
		h := base
		if n > 0 {
			h = fmt.Sprint(base, "-", n)
		}
		if !slices.ContainsFunc(f.products, func(p *fakeProduct) bool { return p.handle == h }) {
			return h
		}
	}
}

// breakCredentials takes the token away until mend.
func (f *fakeShop) breakCredentials() (mend func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.token = "revoked"
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.token = token
	}
}

// sole is the shop's only product.
func (f *fakeShop) sole(t interface {
	Helper()
	Fatalf(string, ...any)
},
) *fakeProduct {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.products) != 1 {
		t.Fatalf("the shop has %d products", len(f.products))
	}
	p := *f.products[0]
	p.variants, p.media = slices.Clone(p.variants), slices.Clone(p.media)
	p.metafields, p.translations = maps.Clone(p.metafields), maps.Clone(p.translations)
	return &p
}

// hideByHand makes a product a draft.
func (f *fakeShop) hideByHand(_ context.Context, listing shopadapter.ListingID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.products {
		if p.id == string(listing) {
			p.status = "DRAFT"
			return nil
		}
	}
	return errors.New("no such product")
}
