package woocommerce

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
)

// Shipping and returns stand in the product's meta. What the supplier charges is in the hidden one
// alone, and neither is written twice.
func TestDelivery(t *testing.T) {
	for _, tt := range []struct {
		setting       string
		hidden, shown bool
	}{{delivery.Hidden, true, false}, {delivery.Shown, true, true}, {delivery.Off, false, false}, {"", true, false}} {
		t.Run(tt.setting, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.connect(t, quickly(), nil, "DELIVERY", tt.setting)
			p := sample("p", 1)
			p.Returns, p.Shipping = "true", []shopadapter.Shipping{{CountryGroup: "NL", FixedCosts: "4.95", EstimatedDays: "3"}}
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			id, err := strconv.ParseInt(string(l.ID), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			check := func(when, days string) {
				t.Helper()
				hidden, _ := f.Posts[id].Meta[deliveryKey].(string)
				shown, _ := f.Posts[id].Meta[shownKey].(string)
				if strings.Contains(hidden, "4.95") != tt.hidden || strings.Contains(hidden, `"`+days+`"`) != tt.hidden ||
					(hidden != "") != tt.hidden {
					t.Errorf("%s the hidden meta is %q, want one with the cost: %t", when, hidden, tt.hidden)
				}
				if strings.Contains(shown, "4.95") || strings.Contains(shown, `"`+days+`"`) != tt.shown ||
					(shown != "") != tt.shown {
					t.Errorf("%s the shown meta is %q, want one without the cost: %t", when, shown, tt.shown)
				}
			}
			check("at first", "3")
			p.Shipping[0].EstimatedDays = "7"
			ref, _ = must(t, a, ref, p, shopadapter.FieldShipping)
			check("after a change", "7")
			if l.Kept != 0 {
				t.Errorf("kept %s, want none", l.Kept)
			}
			f.Requests()
			p.Variants[0].Quantity++
			ref.OnSale = true
			ref, _ = must(t, a, ref, p, shopadapter.FieldShipping|shopadapter.FieldStock)
			f.wantRequests(t, "a stock, and a delivery as it was", "PUT /products/"+string(ref.Listing))
			lost := p // a call with this comes through, and the caller does not live to note it
			lost.Shipping = []shopadapter.Shipping{{CountryGroup: "NL", FixedCosts: "4.95", EstimatedDays: "14"}}
			must(t, a, ref, lost, shopadapter.FieldShipping)
			ref, _ = must(t, a, ref, p, shopadapter.FieldShipping|shopadapter.FieldStock)
			check("after a change that was taken back", "7")
			p.Shipping, p.Returns = nil, ""
			must(t, a, ref, p, shopadapter.FieldShipping)
			if hidden, shown := f.Posts[id].Meta[deliveryKey], f.Posts[id].Meta[shownKey]; hidden != nil || shown != nil {
				t.Errorf("the meta is %v and %v, want none: the supplier says nothing", hidden, shown)
			}
		})
	}
}
