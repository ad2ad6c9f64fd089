package doctor

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// What a visitor sees of a price is followed through a shop that takes prices without VAT.
func TestShownPrice(t *testing.T) {
	for _, tt := range []struct {
		prices shopadapter.Prices
		want   string
	}{
		{shopadapter.Prices{}, "\n20.02 from pubsync is written as 20.02, as the visitor sees it"},
		{
			shopadapter.Prices{Note: "as PUBSYNC_SHOP_PRICES says"},
			"\n20.02 from pubsync is written as 20.02\nas PUBSYNC_SHOP_PRICES says",
		},
		{
			shopadapter.Prices{VAT: "21", Places: 6},
			"\n20.02 from pubsync is written as 16.545455 net, the visitor sees 20.02 with 21 % VAT",
		},
		{
			shopadapter.Prices{VAT: "21", Places: 2},
			"\n20.02 from pubsync is written as 16.55 net, the visitor sees 20.03 with 21 % VAT: off by 0.01, " +
				"since the shop takes 2 decimals",
		},
	} {
		if got := shownPrice(tt.prices); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
