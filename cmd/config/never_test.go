package config

import (
	"strings"
	"testing"
)

// A setting that never applies beside another is told, with what was likely meant.
func TestUnusedSettings(t *testing.T) {
	for _, tt := range []struct {
		set  []string
		want string // "": no warning
	}{
		{[]string{"PRICE_TIERS", "0-:5%", "PRICE_MARKUP_PERCENT", "7"}, "PUBSYNC_PRICE_MARKUP_PERCENT never applies"},
		{[]string{"PRICE_TIERS", "0-:5%"}, ""},
		{[]string{"PRICE_BASE", "cost", "PRICE_NO_MSRP", "cost"}, "PUBSYNC_PRICE_NO_MSRP never applies"},
		{[]string{"PRICE_NO_MSRP_MARKUP_PERCENT", "50"}, "did you mean PUBSYNC_PRICE_NO_MSRP=cost?"},
		{[]string{"PRICE_NO_MSRP", "cost", "PRICE_NO_MSRP_MARKUP_PERCENT", "50"}, ""},
		{[]string{"SHIPPING_COUNTRY", "NL"}, "did you mean PUBSYNC_PRICE_SHIPPING=add?"},
		{[]string{"SHIPPING_COUNTRY", "NL", "SKIP_SHIPPING_DAYS_ABOVE", "3"}, ""},
		{[]string{"SHIPPING_COUNTRY", "NL", "PRICE_SHIPPING", "floor"}, ""},
		{[]string{"SKIP_MARGIN_BELOW", "20", "PRICE_MIN_MARGIN_PERCENT", "20"}, "PUBSYNC_SKIP_MARGIN_BELOW never " +
			"applies"},
		{[]string{"SKIP_MARGIN_BELOW", "21", "PRICE_MIN_MARGIN_PERCENT", "20"}, ""},
		{[]string{"SKIP_MARGIN_BELOW", "20"}, ""},
		{[]string{"ON_SOLD_OUT", "hide", "SHOP_KEEP", "stock"}, "PUBSYNC_ON_SOLD_OUT never applies"},
		{[]string{"SKIP_CATEGORIES", "TOYS,FASHION/SHOES,FASHION"}, "category 2 never applies: category 3 holds it"},
		{[]string{"SKIP_CATEGORIES", "FASHION,FASHION_SHOES"}, ""}, // the tree alone tells
		{
			[]string{"SKIP_CATEGORIES", "TOYS", "PRICE_CATEGORIES", "GARDEN=1%;TOYS/WOOD=2%"},
			"PUBSYNC_PRICE_CATEGORIES: rule 2 applies to nothing new: category 1 of PUBSYNC_SKIP_CATEGORIES",
		},
	} {
		got := loaded(t, tt.set...).Warnings
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%v: got %q, want no warning", tt.set, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%v: got %q, want %q in it", tt.set, got, tt.want)
		}
	}
}
