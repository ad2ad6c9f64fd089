package shopify_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/race"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestLaws holds the adapter to them in three stores: a plain one, one that tidies descriptions,
// and one in another language than the supplier's.
func TestLaws(t *testing.T) {
	for name, set := range map[string]func(*fakeShop){
		"plain":  func(*fakeShop) {},
		"tidies": func(f *fakeShop) { f.rewrite = tidy },
		"abroad": func(f *fakeShop) {
			f.locales = []object{{"locale": "nl-BE", "primary": true}, {"locale": "en", "primary": false}}
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
				if name != "plain" {
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

// renameOption gives an option another name, as the back office does.
func (f *fakeShop) renameOption(_ context.Context, listing shopadapter.ListingID, option, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.products {
		if i := slices.Index(p.options, option); p.id == string(listing) && i >= 0 {
			p.options = slices.Clone(p.options)
			p.options[i] = name
		}
	}
	return nil
}

// renameValue gives a value of an option another name likewise.
func (f *fakeShop) renameValue(_ context.Context, listing shopadapter.ListingID, option, value, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.products {
		i := slices.Index(p.options, option)
		for _, v := range p.variants {
			if p.id == string(listing) && i >= 0 && v.values[i] == value {
				v.values = slices.Clone(v.values)
				v.values[i] = name
			}
		}
	}
	return nil
}

func (f *fakeShop) harness() laws.Harness {
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return f.openOver(wrap(f))
		},
		Stride:  race.Stride,
		Drafts:  true,
		Details: []string{"brand", "ean", "weight", "origin", "tags"}, EditDetail: f.editDetail,
		Followed: []string{"tags"}, // the supplier's come and go beside the merchant's, which stay
		Observe:  f.observe, Secrets: []string{token}, Edit: f.edit, DeleteByHand: f.deleteByHand, HideByHand: f.hideByHand,
		AddForeign: f.addForeign, DeleteStamp: f.deleteStamp,
		SetPriceByHand: f.setPrice, SetQuantityByHand: f.setQuantity, ReduceByHand: f.reduce,
		RemoveVariantByHand: f.removeVariant, HideVariantByHand: f.hideVariant,
		Visit: laws.VisitSeen(f.observe), RenameOption: f.renameOption, RenameValue: f.renameValue,
		BreakCredentials: f.breakCredentials,
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
