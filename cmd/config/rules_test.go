package config

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// loaded is the configuration of some settings, by their names without the prefix.
func loaded(t *testing.T, settings ...string) *Config {
	t.Helper()
	var process []string
	for i := 0; i < len(settings); i += 2 {
		process = append(process, Prefix+settings[i]+"="+settings[i+1])
	}
	e, err := Read(process, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, faults := Load(e, ToLook)
	if len(faults) > 0 {
		t.Fatalf("faults in %v: %v", settings, faults)
	}
	return c
}

// Each price setting reaches the rule that it is for. What a rule makes of an amount is tested in
// package publication.
func TestPriceSettings(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  []string
		want string // of cost 10.00 and msrp 20.00
	}{
		{"msrp", nil, "20.00"},
		{"cost with a markup", []string{"PRICE_BASE", "cost", "PRICE_MARKUP_PERCENT", "150"}, "25.00"},
		{
			"cost, markup, VAT, then the amount",
			[]string{"PRICE_BASE", "cost", "PRICE_MARKUP_PERCENT", "110", "PRICE_VAT_PERCENT", "21", "PRICE_ADD", "1.50"},
			"26.91",
		},
		{
			"msrp with VAT in it, markup, then the amount",
			[]string{"PRICE_MARKUP_PERCENT", "10", "PRICE_VAT_PERCENT", "21", "PRICE_ADD", "1.50"},
			"23.50",
		},
		{
			"msrp without VAT, markup, VAT, then the amount",
			[]string{"PRICE_MSRP_VAT", "excluded", "PRICE_MARKUP_PERCENT", "10", "PRICE_VAT_PERCENT", "21", "PRICE_ADD", "1.50"},
			"28.12",
		},
		{"an ending rounds up", []string{"PRICE_MARKUP_PERCENT", "1", "PRICE_ENDING", ".95"}, "20.95"},
		{"an ending that fits already", []string{"PRICE_ADD", "-0.05", "PRICE_ENDING", ".95"}, "19.95"},
		{"never below the cost", []string{"PRICE_BASE", "cost", "PRICE_MARKUP_PERCENT", "-40"}, "10.00"},
		{"never below cost and VAT", []string{"PRICE_BASE", "cost", "PRICE_ADD", "-5", "PRICE_VAT_PERCENT", "20"}, "12.00"},
		{"a tier", []string{"PRICE_TIERS", "0-20:70%,20-:5%"}, "21.00"},
		{"a category, of a product that has none", []string{"PRICE_CATEGORIES", "GARDEN=80%"}, "20.00"},
		{"costs of sending, before they are known", []string{"PRICE_SHIPPING", "add", "SHIPPING_COUNTRY", "NL"}, "20.00"},
		{"never below the margin, with VAT", []string{"PRICE_MIN_MARGIN_PERCENT", "130", "PRICE_VAT_PERCENT", "10"}, "25.30"},
	} {
		q, err := loaded(t, tt.set...).Rules.Price.For(store.Terms{}).Quote("10.00", "20.00")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := q.Price.StringFixed(2); got != tt.want {
			t.Errorf("%s: the price is %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestPriceOfAVariantWithoutMSRP(t *testing.T) {
	if q, err := loaded(t).Rules.Price.For(store.Terms{}).Quote("10.00", ""); err == nil {
		t.Errorf("the price is %s, want an error", q.Price)
	}
	c := loaded(t, "PRICE_VAT_PERCENT", "21", "PRICE_NO_MSRP", "cost", "PRICE_NO_MSRP_MARKUP_PERCENT", "50")
	q, err := c.Rules.Price.For(store.Terms{}).Quote("10.00", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Price.StringFixed(2); got != "18.15" {
		t.Errorf("the price is %s, want 18.15", got)
	}
}

// Each brake, and each rule of a publication that is no price, has its setting.
func TestRuleSettings(t *testing.T) {
	c := loaded(t,
		"BRAKE_PRICE_PERCENT", "10", "BRAKE_REMOVED_PERCENT", "30", "BRAKE_FIRST_PRICE", "0.25-4",
		"STOCK_BUFFER", "5", "SHOP_KEEP", "title,price", "SHOP_SKU_PREFIX", "dw-", "MARKETPLACE_CURRENCY", "usd")
	for _, tt := range []struct{ name, got, want string }{
		{"BRAKE_PRICE_PERCENT", c.Brake.PricePercent.String(), "10"},
		{"BRAKE_REMOVED_PERCENT", c.Brake.RemovedPercent.String(), "30"},
		{"BRAKE_FIRST_PRICE, the lower", c.Brake.FirstPrice.Least.String(), "0.25"},
		{"BRAKE_FIRST_PRICE, the upper", c.Brake.FirstPrice.Most.String(), "4"},
		{"SHOP_KEEP", c.Rules.Keep.String(), (shopadapter.FieldTitle | shopadapter.FieldPrice).String()},
		{"SHOP_SKU_PREFIX", c.Rules.SKUPrefix, "dw-"},
		{"MARKETPLACE_CURRENCY", c.Rules.Currency, "USD"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if c.Rules.StockBuffer != 5 {
		t.Errorf("STOCK_BUFFER is %d, want 5", c.Rules.StockBuffer)
	}
}

// The rules that depend on the product have their settings.
func TestPriceSettingsOfAProduct(t *testing.T) {
	terms := store.Terms{
		Known: true, Branch: []string{"GARDEN", "GARDEN_POTS"}, Delivery: []store.Delivery{{Group: "NL", Costs: "5.00"}},
	}
	for _, tt := range []struct {
		set  []string
		want string // of cost 10.00 and msrp 20.00
	}{
		{[]string{"PRICE_CATEGORIES", "GARDEN/POTS=+10%; GARDEN=50%"}, "22.00"},
		{[]string{"PRICE_SHIPPING", "add", "SHIPPING_COUNTRY", "NL"}, "25.00"},
		{[]string{"PRICE_SHIPPING", "off", "SHIPPING_COUNTRY", "NL"}, "20.00"},
		{[]string{"PRICE_BASE", "cost", "PRICE_SHIPPING", "floor", "SHIPPING_COUNTRY", "NL"}, "15.00"},
	} {
		q, err := loaded(t, tt.set...).Rules.Price.For(terms).Quote("10.00", "20.00")
		if err != nil {
			t.Errorf("%v: %v", tt.set, err)
			continue
		}
		if got := q.Price.StringFixed(2); got != tt.want {
			t.Errorf("%v: the price is %s, want %s", tt.set, got, tt.want)
		}
	}
}

// The rules that keep entries out, and what is sold out, have their settings.
func TestSkipSettings(t *testing.T) {
	r := loaded(t, "SKIP_MARGIN_BELOW", "15", "SKIP_STOCK_BELOW", "3", "SKIP_SHIPPING_DAYS_ABOVE", "5",
		"SKIP_CATEGORIES", "fashion/shoes, GARDEN", "ON_SOLD_OUT", "hide", "PUBLISH_AS", "draft").Rules
	if got := r.Skip.MarginBelow; got == nil || got.String() != "15" {
		t.Errorf("SKIP_MARGIN_BELOW is %v, want 15", got)
	}
	if got := r.Skip.StockBelow; got != 3 {
		t.Errorf("SKIP_STOCK_BELOW is %d, want 3", got)
	}
	if got := r.Skip.DaysAbove; got != 5 {
		t.Errorf("SKIP_SHIPPING_DAYS_ABOVE is %d, want 5", got)
	}
	if got := r.Skip.Categories; len(got) != 2 || got[0] != "FASHION/SHOES" || got[1] != "GARDEN" {
		t.Errorf("SKIP_CATEGORIES is %v, want FASHION/SHOES and GARDEN", got)
	}
	if !r.HideSoldOut {
		t.Error("ON_SOLD_OUT=hide: got what is sold out left on sale, want it hidden")
	}
	if !r.AsDraft {
		t.Error("PUBLISH_AS=draft: got new products on sale, want drafts")
	}
	if loaded(t).Rules.HideSoldOut {
		t.Error("ON_SOLD_OUT that is not set: got what is sold out hidden, want the rules as they were")
	}
}
