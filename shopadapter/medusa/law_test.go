package medusa_test

import (
	"encoding/base64"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/medusa"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the fake shop allocates much and holds little
	goleak.VerifyTestMain(m)
}

// harness is a shop in the terms of the laws, but for Visit. transport is what reaches it.
func harness(o *office, transport http.RoundTripper, settings map[string]string) laws.Harness {
	lock := &lock{next: transport}
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return medusa.Open(shopadapter.Options{
				Settings: settings, VATPercent: o.vat, HTTPClient: &http.Client{Transport: wrap(lock)},
			})
		},
		Drafts: true, Languages: []string{"nl"}, AddTax: o.addTax,
		Observe: o.observe, ObserveOne: o.observeOne,
		Edit: o.edit, DeleteByHand: o.remove, HideByHand: o.hide, AddForeign: o.addForeign,
		DeleteStamp:    o.deleteStamp,
		SetPriceByHand: o.setPrice, SetQuantityByHand: o.setQuantity, ReduceByHand: o.reduce,
		Details: detailNames(), Followed: []string{"ean"}, EditDetail: o.editDetail,
		RemoveVariantByHand: o.removeVariant,
		RenameOption:        o.renameOption, RenameValue: o.renameValue,
		Secrets: []string{settings["TOKEN"], base64.StdEncoding.EncodeToString([]byte(settings["TOKEN"] + ":"))},
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].Price = "on request"
			return p
		},
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
			p.Description = "<p>" + strings.Repeat("far too long ", 10_000) + "</p>"
			return p
		},
		BreakCredentials: lock.breakKey,
	}
}

// A lock can spoil the key of each request on its way to the shop, which then refuses it by its own
// rules.
type lock struct {
	next   http.RoundTripper
	broken atomic.Bool
}

func (l *lock) breakKey() (mend func()) {
	l.broken.Store(true)
	return func() { l.broken.Store(false) }
}

func (l *lock) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.broken.Load() {
		r = r.Clone(r.Context())
		r.SetBasicAuth("sk_unknown", "")
	}
	return l.next.RoundTrip(r)
}
