package medusa_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// Shipping and returns stand in the metadata that storefronts can read, without what the supplier
// charges.
func TestDelivery(t *testing.T) {
	t.Parallel()
	for setting, shown := range map[string]bool{"shown": true, "off": false} {
		f := newFake(t)
		a := f.open("DELIVERY", setting)
		p := shopadaptertest.Sample("p", 2)
		p.Returns, p.Shipping = "true", []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "4.95", EstimatedDays: "3"},
		}
		held := func() string {
			said, _ := f.products[0]["metadata"].(object)["pubsync_delivery"].(string)
			return said
		}
		publish(t, a, p, shopadapter.AllFields)
		if said := held(); strings.Contains(said, `"NL"`) != shown || strings.Contains(said, `"3"`) != shown ||
			strings.Contains(said, "4.95") {
			t.Errorf("%s: at first %q", setting, said)
		}
		p.Shipping[0].EstimatedDays = "7"
		publish(t, a, p, shopadapter.FieldShipping)
		if said := held(); strings.Contains(said, `"7"`) != shown {
			t.Errorf("%s: after a change %q", setting, said)
		}
		p.Variants[0].Later, p.Variants[0].AvailableAt = true, "2031-05-04"
		publish(t, a, p, shopadapter.FieldShipping)
		if said := held(); strings.Contains(said, `"from":"2031-05-04"`) != shown {
			t.Errorf("%s: of a later day %q", setting, said)
		}
		p.Shipping, p.Returns, p.Variants[0].Later = nil, "", false
		publish(t, a, p, shopadapter.FieldShipping)
		if said := held(); said != "" {
			t.Errorf("%s: of nothing %q", setting, said)
		}
	}
}
