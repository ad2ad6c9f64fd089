package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// loaded is the configuration of some settings, by their names without the prefix.
func loaded(t *testing.T, settings string) *Config {
	t.Helper()
	var process []string
	for _, setting := range strings.Fields(settings) {
		process = append(process, Prefix+setting)
	}
	e := Read(process, nil)
	c, faults := Load(e, ToLook)
	if len(faults) > 0 {
		t.Fatalf("faults in %v: %v", settings, faults)
	}
	return c
}

// Each price setting reaches the rule that it is for. What a rule makes of an amount is tested in
// package publication.
func TestPriceSettings(t *testing.T) {
	terms := store.Terms{
		Known: true, Branch: []string{"GARDEN", "GARDEN_POTS"}, Delivery: []store.Delivery{{Group: "NL", Costs: "5.00"}},
	}
	for _, tt := range []struct {
		set  string
		msrp string // of a cost of 10.00
		want string // "": none can be made
	}{
		{"", "20.00", "20.00"},
		{"PRICE_BASE=cost PRICE_MARKUP_PERCENT=110 PRICE_VAT_PERCENT=21 PRICE_ADD=1.50", "20.00", "26.91"},
		{"PRICE_MARKUP_PERCENT=10 PRICE_VAT_PERCENT=21 PRICE_ADD=1.50", "20.00", "23.50"},
		{"PRICE_MSRP_VAT=excluded PRICE_MARKUP_PERCENT=10 PRICE_VAT_PERCENT=21 PRICE_ADD=1.50", "20.00", "28.12"},
		{"PRICE_MARKUP_PERCENT=1 PRICE_ENDING=.95", "20.00", "20.95"},
		{"PRICE_BASE=cost PRICE_ADD=-5 PRICE_VAT_PERCENT=20", "20.00", "12.00"},
		{"PRICE_TIERS=0-20:70%,20-:5%", "20.00", "21.00"},
		{"PRICE_MIN_MARGIN_PERCENT=130 PRICE_VAT_PERCENT=10", "20.00", "25.30"},
		{"PRICE_CATEGORIES=GARDEN/POTS=+10%;GARDEN=50%", "20.00", "22.00"},
		{"PRICE_SHIPPING=add SHIPPING_COUNTRY=NL", "20.00", "25.00"},
		{"PRICE_SHIPPING=off SHIPPING_COUNTRY=NL", "20.00", "20.00"},
		{"PRICE_BASE=cost PRICE_SHIPPING=floor SHIPPING_COUNTRY=NL", "20.00", "15.00"},
		{"", "", ""},
		{"PRICE_VAT_PERCENT=21 PRICE_NO_MSRP=cost PRICE_NO_MSRP_MARKUP_PERCENT=50", "", "18.15"},
	} {
		q, err := loaded(t, tt.set).Rules.Price.For(terms).Quote("10.00", tt.msrp)
		got := ""
		if err == nil {
			got = q.Price.StringFixed(2)
		}
		if got != tt.want {
			t.Errorf("%s: the price is %q, %v, want %q", tt.set, got, err, tt.want)
		}
	}
}

// Each brake, and each rule of a publication that is no price, has its setting.
func TestRuleSettings(t *testing.T) {
	c := loaded(t, "BRAKE_PRICE_PERCENT=10 BRAKE_REMOVED_PERCENT=30 BRAKE_FIRST_PRICE=0.25-4 STOCK_BUFFER=5 "+
		"SHOP_KEEP=title,price SHOP_SKU_PREFIX=dw- MARKETPLACE_CURRENCY=usd SKIP_MARGIN_BELOW=15 SKIP_STOCK_BELOW=3 "+
		"SKIP_SHIPPING_DAYS_ABOVE=5 SKIP_CATEGORIES=fashion/shoes,GARDEN ON_SOLD_OUT=hide PUBLISH_AS=draft")
	r := c.Rules
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"BRAKE_PRICE_PERCENT", c.Brake.PricePercent, 10},
		{"BRAKE_REMOVED_PERCENT", c.Brake.RemovedPercent, 30},
		{"BRAKE_FIRST_PRICE, the lower", c.Brake.FirstPrice.Least, 0.25},
		{"BRAKE_FIRST_PRICE, the upper", c.Brake.FirstPrice.Most, 4},
		{"STOCK_BUFFER", r.StockBuffer, 5},
		{"SHOP_KEEP", r.Keep, shopadapter.FieldTitle | shopadapter.FieldPrice},
		{"SHOP_SKU_PREFIX", r.SKUPrefix, "dw-"},
		{"MARKETPLACE_CURRENCY", r.Currency, "USD"},
		{"SKIP_MARGIN_BELOW", r.Skip.MarginBelow, 15},
		{"SKIP_STOCK_BELOW", r.Skip.StockBelow, 3},
		{"SKIP_SHIPPING_DAYS_ABOVE", r.Skip.DaysAbove, 5},
		{"SKIP_CATEGORIES", r.Skip.Categories, []string{"FASHION/SHOES", "GARDEN"}},
		{"ON_SOLD_OUT", r.HideSoldOut, true},
		{"PUBLISH_AS", r.AsDraft, true},
	} {
		if got, want := fmt.Sprint(tt.got), fmt.Sprint(tt.want); got != want {
			t.Errorf("%s is %s, want %s", tt.name, got, want)
		}
	}
}
