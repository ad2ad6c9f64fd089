package woocommerce

import (
	"context"
	"encoding/base64"
	"net/http"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

type seenVariant = laws.SeenVariant

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the fake shop allocates much and holds little
	goleak.VerifyTestMain(m)
}

// The adapter is held to every law: over https, and in a shop over plain http, where requests are signed instead,
// that adds tax to prices. There prices are those that a visitor is shown.
func TestLaws(t *testing.T) {
	t.Run("https", func(t *testing.T) {
		laws.Run(t, func(t *testing.T) laws.Harness { return harness(t, fakeshop.URL) })
	})
	t.Run("http, net prices", func(t *testing.T) {
		if testing.Short() {
			t.Skip("the whole book")
		}
		laws.Run(t, func(t *testing.T) laws.Harness {
			f := newFakeShop(t)
			f.Taxes, f.Exclude, f.VAT = true, true, "21"
			h := harnessOf(f, "http://shop.example.com:8080/shop")
			h.Stride = max(h.Stride, 4) // a signed request fails at the same places
			return h
		})
	})
}

func harness(t *testing.T, base string) laws.Harness {
	return harnessOf(newFakeShop(t), base)
}

func harnessOf(f *fakeShop, base string) laws.Harness {
	f.Base, f.RefuseSKU, f.RefuseTitle = base, "REFUSED-", "Refused"
	open := func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
		a, err := f.dial(quickly(), wrap)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
	return laws.Harness{
		Open:       open,
		Observe:    f.Observe,
		Drafts:     true,
		AddTax:     func(percent string) { f.Taxes, f.Exclude, f.VAT = true, true, percent },
		Details:    []string{"brand", "ean", "weight", "length", "width", "height", "materials", "origin"},
		EditDetail: f.EditDetail,

		SetPriceByHand: func(_ context.Context, _ shopadapter.ListingID, v seenVariant, price string) error {
			return f.ByHand(v, func(p *fakeshop.Post) { p.Price = f.Entered(price) })
		},
		SetQuantityByHand: func(_ context.Context, _ shopadapter.ListingID, v seenVariant, quantity int) error {
			return f.ByHand(v, func(p *fakeshop.Post) { p.Quantity = int64(quantity) })
		},
		ReduceByHand: func(_ context.Context, _ shopadapter.ListingID, v seenVariant, price string) error {
			return f.ByHand(v, func(p *fakeshop.Post) { p.Sale = f.Entered(price) })
		},
		RemoveVariantByHand: func(_ context.Context, _ shopadapter.ListingID, v seenVariant) error {
			return f.ByHand(v, func(p *fakeshop.Post) { f.Erase(p.ID) })
		},
		HideVariantByHand: func(_ context.Context, _ shopadapter.ListingID, v seenVariant) error {
			return f.ByHand(v, func(p *fakeshop.Post) { p.Status = "private" })
		},

		Secrets: []string{
			fakeshop.Key, fakeshop.Secret, base64.StdEncoding.EncodeToString([]byte(fakeshop.Key + ":" + fakeshop.Secret)),
		},
		Edit:  f.Edit,
		Visit: f.Visits,
		RenameOption: func(_ context.Context, id shopadapter.ListingID, option, name string) error {
			return f.RenameOption(id, option, name)
		},
		RenameValue: func(_ context.Context, id shopadapter.ListingID, option, value, name string) error {
			return f.RenameValue(id, option, value, name)
		},
		DeleteStamp: f.DeleteStamp,
		DeleteByHand: func(_ context.Context, id shopadapter.ListingID) error {
			f.TrashByHand(id)
			return nil
		},
		HideByHand: func(_ context.Context, id shopadapter.ListingID) error {
			return f.ByHand(seenVariant{ShopID: string(id)}, func(p *fakeshop.Post) { p.Status = "private" })
		},
		AddForeign: func(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
			return f.AddForeign(p), nil
		},
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].SKU = "REFUSED-" + p.Variants[i].SKU
			return p
		},
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
			p.Title = "Refused " + p.Title
			return p
		},
		BreakCredentials: func() (mend func()) {
			set := func(broken bool) {
				f.Mu.Lock()
				defer f.Mu.Unlock()
				f.Broken = broken
			}
			set(true)
			return func() { set(false) }
		},
		Uploads:      f.Uploads,
		LosePicture:  f.LosePicture,
		SpoilPicture: func(address string) { f.Spoil(address, fakeshop.NotAllowed) },
	}
}
