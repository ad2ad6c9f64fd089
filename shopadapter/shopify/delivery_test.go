package shopify_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// Shipping and returns stand in metafields. What the supplier charges is in the supplier's alone,
// and neither is written twice.
func TestDelivery(t *testing.T) {
	for setting, shows := range map[string][2]bool{"hidden": {true, false}, "shown": {true, true}, "off": {}} {
		t.Run(setting, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t, "DELIVERY", setting)
			p := lamp("p", 2)
			p.Returns, p.Shipping = "true", []shopadapter.Shipping{
				{CountryGroup: "NL", FixedCosts: "4.95", EstimatedDays: "3"},
			}
			ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			check := func(days string) {
				t.Helper()
				marks := fake.sole(t).metafields
				supplier, customers := marks["pubsync.supplier_delivery"], marks["pubsync.delivery"]
				if strings.Contains(supplier, "4.95") != shows[0] ||
					strings.Contains(supplier, `"`+days+`"`) != shows[0] {
					t.Errorf("the supplier's metafield is %q", supplier)
				}
				if strings.Contains(customers, "4.95") || strings.Contains(customers, `"`+days+`"`) != shows[1] {
					t.Errorf("the customers' metafield is %q", customers)
				}
			}
			check("3")
			p.Shipping[0].EstimatedDays = "7"
			ref, _ = publish(t, a, ref, p, shopadapter.FieldShipping)
			check("7")
			fake.took()
			ref, _ = publish(t, a, ref, p, shopadapter.FieldShipping)
			if diff := cmp.Diff([]string{"Look"}, fake.took()); diff != "" {
				t.Errorf("as it was (-want +got):\n%s", diff)
			}
			p.Shipping, p.Returns = nil, ""
			publish(t, a, ref, p, shopadapter.FieldShipping)
			for key, value := range fake.sole(t).metafields {
				if strings.HasSuffix(key, "delivery") && value != "{}" {
					t.Errorf("of nothing %s holds %q", key, value)
				}
			}
		})
	}
}
