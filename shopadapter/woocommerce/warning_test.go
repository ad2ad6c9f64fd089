package woocommerce

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// Where WooCommerce shows visitors a placeholder, the check passes, since products can be written,
// and the warning says what to do.
func TestComingSoon(t *testing.T) {
	for _, tt := range []struct {
		name, soon string
		product    bool // is on sale
		want       string
	}{
		{"a shop that is live", "", true, ""},
		{"a shop that is live and empty", "", false, ""},
		{"the whole site", "site", true, "Site visibility"},
		{"the whole site, and nothing on sale", "site", false, "Site visibility"},
		{"the shop's pages alone", "store", true, "Site visibility"},
		{"the shop's pages alone, and nothing on sale", "store", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			if tt.product {
				p := sample("soon", 1)
				must(t, a, refOf(p), p, shopadapter.AllFields)
			}
			f.Soon = tt.soon
			is, err := a.Check(t.Context())
			got := is.Warning
			if err != nil {
				t.Fatal(err)
			}
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got the warning %q, want %q in it", got, tt.want)
			}
		})
	}
}
