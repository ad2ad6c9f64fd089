package shopify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestLaws holds the adapter to them in three stores: a plain one, one that tidies descriptions,
// and one in another language than the supplier's.
func TestLaws(t *testing.T) {
	for name, set := range map[string]func(*fakeShop){
		"plain": func(f *fakeShop) { f.locales = locales("en", "nl") },
		"abroad, tidies": func(f *fakeShop) {
			f.locales, f.rewrite = locales("nl-BE", "en"), tidy
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "plain" {
				t.Skip("the whole book")
			}
			laws.Run(t, func(t *testing.T) laws.Harness {
				t.Parallel()
				fake := newFakeShop(t)
				set(fake)
				h := fake.harness()
				// texts that read back otherwise change what is compared, and not where a call may
				// fail
				if name == "plain" {
					h.Languages = []string{"nl"}
				} else {
					h.Stride = max(h.Stride, 4)
				}
				return h
			})
		})
	}
}

// tidy rewrites markup and leaves the words alone.
func tidy(description string) string {
	return strings.NewReplacer("<em>", "<i>", "</em>", "</i>", "<strong>", "<b>", "</strong>", "</b>", "</p>", "</p>\n").
		Replace(description)
}

// byHand changes a product as its owner does.
func (f *fakeShop) byHand(listing shopadapter.ListingID, change func(*fakeProduct)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.find(string(listing))
	if p == nil {
		return fmt.Errorf("there is no product %s", listing)
	}
	change(p)
	return nil
}

// onVariant changes a variant as its owner does.
func (f *fakeShop) onVariant(listing shopadapter.ListingID, id string, change func(*fakeVariant)) error {
	return f.byHand(listing, func(p *fakeProduct) {
		for _, v := range p.variants {
			if v.id == id {
				change(v)
			}
		}
	})
}

func (f *fakeShop) hideVariant(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
	return f.onVariant(l, v.ShopID, func(v *fakeVariant) { v.off = true })
}

func (f *fakeShop) removeVariant(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
	return f.byHand(l, func(p *fakeProduct) {
		p.variants = slices.DeleteFunc(p.variants, func(held *fakeVariant) bool { return held.id == v.ShopID })
	})
}

// deleteStamp clears the adapter's metafields of a product.
func (f *fakeShop) deleteStamp(_ context.Context, l shopadapter.ListingID) error {
	return f.byHand(l, func(p *fakeProduct) {
		delete(p.metafields, "pubsync.publication")
		delete(p.metafields, "pubsync.stamp")
	})
}

// put makes what is at an address a picture that the shop fails on with a MediaErrorCode, or a good
// one.
func (f *fakeShop) put(address, code string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[address] = code
}

func (f *fakeShop) deleteByHand(_ context.Context, l shopadapter.ListingID) error {
	return f.byHand(l, func(p *fakeProduct) {
		f.products = slices.DeleteFunc(f.products, func(one *fakeProduct) bool { return one == p })
	})
}

func (f *fakeShop) edit(_ context.Context, l shopadapter.ListingID, group shopadapter.Fields) error {
	return f.byHand(l, func(p *fakeProduct) {
		switch group {
		case shopadapter.FieldTitle:
			p.title = "A title of my own"
		case shopadapter.FieldDescription:
			p.description = "<p>Words of <b>my own</b>.</p>"
		case shopadapter.FieldCategory:
			p.kind = "Of my own"
		case shopadapter.FieldImages:
			mine := &fakeMedia{id: f.id("MediaImage"), source: "https://lamps.example/mine.jpg", status: "READY"}
			p.media = append(slices.Clone(p.media[1:]), mine)
		}
	})
}

// editDetail types another value.
func (f *fakeShop) editDetail(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, name string) error {
	if name == "brand" {
		return f.byHand(l, func(p *fakeProduct) { p.vendor = "A brand of my own" })
	}
	return f.onVariant(l, v.ShopID, func(v *fakeVariant) {
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

// addForeign adds a product of the merchant's that looks like p: same title, address and SKUs.
func (f *fakeShop) addForeign(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	made := &fakeProduct{
		id: f.id("Product"), handle: f.handle(p.Title), title: p.Title, description: p.Description, status: "ACTIVE",
		kind: p.Category.Name, published: map[string]bool{publicationID: true}, metafields: map[string]string{},
		options: slices.Clone(p.Options),
	}
	for _, v := range p.Variants {
		one := &fakeVariant{
			id: f.id("ProductVariant"), sku: v.SKU, price: v.Price, policy: "DENY", tracked: true,
			levels: map[string]int{locationID: v.Quantity},
		}
		for _, o := range v.Options {
			one.values = append(one.values, o.Value)
		}
		made.variants = append(made.variants, one)
	}
	f.products = append(f.products, made)
	return shopadapter.ListingID(made.id), nil
}

// sole is the shop's only product.
func (f *fakeShop) sole(t testing.TB) *fakeProduct {
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

// observe is what a customer and the shop's owner see.
func (f *fakeShop) observe(context.Context) (all []laws.Seen, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.products {
		var note struct{ ID string }
		if p.metafields["pubsync.publication"] != "" {
			_ = json.Unmarshal([]byte(p.metafields["pubsync.stamp"]), &note)
		}
		tags := slices.DeleteFunc(slices.Clone(p.tags), func(tag string) bool { return tag == "pubsync" })
		seen := laws.Seen{
			Listing: shopadapter.ListingID(p.id), Publication: shopadapter.PublicationID(note.ID), OnSale: p.onSale(),
			Title: p.title, Description: p.description, Category: p.kind, Translations: map[string]shopadapter.Translation{},
			Details: map[string]string{"brand": strings.TrimPrefix(p.vendor, storeName), "tags": strings.Join(tags, ", ")},
		}
		for locale, texts := range p.translations {
			seen.Translations[locale] = shopadapter.Translation{
				Title: texts["title"].value, Description: texts["body_html"].value,
			}
		}
		for _, m := range p.media {
			if f.mediaStatus(m) != "FAILED" {
				seen.Images = append(seen.Images, m.source)
			}
		}
		for _, v := range p.variants {
			s := laws.SeenVariant{
				ID: v.metafields["pubsync.variant"], ShopID: v.id, SKU: v.sku, Price: f.paid(v.price),
				Quantity: v.levels[locationID], Backorders: v.policy == "CONTINUE", Options: map[string]string{},
				Details: map[string]string{"ean": v.barcode, "origin": v.origin},
			}
			if v.weight > 0 {
				s.Details["weight"] = fmt.Sprint(v.weight)
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
		all = append(all, seen)
	}
	return all, nil
}

func (f *fakeShop) harness() laws.Harness {
	type (
		ctx     = context.Context
		id      = shopadapter.ListingID
		variant = laws.SeenVariant
	)
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return f.openOver(wrap(f))
		},
		Drafts:  true,
		Details: []string{"brand", "ean", "weight", "origin", "tags"}, EditDetail: f.editDetail,
		Followed: []string{"tags"}, // the supplier's come and go beside the merchant's, which stay
		Observe:  f.observe, Secrets: []string{token}, Edit: f.edit, DeleteByHand: f.deleteByHand,
		AddForeign: f.addForeign, DeleteStamp: f.deleteStamp, Visit: laws.VisitSeen(f.observe),
		RemoveVariantByHand: f.removeVariant, HideVariantByHand: f.hideVariant,
		HideByHand: func(_ ctx, l id) error { return f.byHand(l, func(p *fakeProduct) { p.status = "DRAFT" }) },
		SetPriceByHand: func(_ ctx, l id, v variant, price string) error {
			return f.onVariant(l, v.ShopID, func(v *fakeVariant) { v.price = price })
		},
		SetQuantityByHand: func(_ ctx, l id, v variant, quantity int) error {
			return f.onVariant(l, v.ShopID, func(v *fakeVariant) { v.levels[locationID] = quantity })
		},
		ReduceByHand: func(_ ctx, l id, v variant, price string) error {
			return f.onVariant(l, v.ShopID, func(v *fakeVariant) { v.price, v.former = price, v.price })
		},
		RenameOption: func(_ ctx, l id, option, name string) error {
			return f.byHand(l, func(p *fakeProduct) {
				p.options = slices.Clone(p.options)
				p.options[slices.Index(p.options, option)] = name
			})
		},
		RenameValue: func(_ ctx, l id, option, value, name string) error {
			return f.byHand(l, func(p *fakeProduct) {
				i := slices.Index(p.options, option)
				for _, v := range p.variants {
					if v.values[i] == value {
						v.values = slices.Clone(v.values)
						v.values[i] = name
					}
				}
			})
		},
		BreakCredentials: func() (mend func()) {
			f.setToken("revoked")
			return func() { f.setToken(token) }
		},
		Uploads: func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.uploads
		},
		LosePicture: func(address string) (back func()) {
			f.put(address, "IMAGE_DOWNLOAD_FAILURE")
			return func() { f.put(address, "") }
		},
		SpoilPicture: func(address string) { f.put(address, "UNSUPPORTED_IMAGE_FILE_TYPE") },
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].SKU = strings.Repeat("A", 256)
			return p
		},
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
			p.Title = forbidden + " " + p.Title
			return p
		},
	}
}

func (f *fakeShop) setToken(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.token = token
}
