package config

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
)

// warnOfUnused warns of settings that never apply beside others.
func (c *Config) warnOfUnused() {
	set := func(name string) bool { return c.Values[Prefix+name] != "" }
	for _, never := range []struct {
		name string
		is   bool
		why  string
	}{
		{"PRICE_MARKUP_PERCENT", len(c.PriceTiers) > 0, "PUBSYNC_PRICE_TIERS has a markup for every base"},
		{"PRICE_NO_MSRP", c.PriceBase == "cost", "with PUBSYNC_PRICE_BASE=cost no price is made from an msrp"},
		{
			"PRICE_NO_MSRP_MARKUP_PERCENT", c.PriceNoMSRP == "refuse",
			"a variant without msrp is refused; did you mean PUBSYNC_PRICE_NO_MSRP=cost?",
		},
		{
			"SHIPPING_COUNTRY", c.PriceShipping == "off" && c.SkipShippingDaysAbove == 0,
			"prices leave the costs of sending out; did you mean PUBSYNC_PRICE_SHIPPING=add?",
		},
		{
			"SKIP_MARGIN_BELOW", !c.skipsByMargin(),
			"prices are raised to PUBSYNC_PRICE_MIN_MARGIN_PERCENT, which is not below it; did you mean a larger one?",
		},
		{
			"ON_SOLD_OUT", shopadapter.Fields(c.ShopKeep).Has(shopadapter.FieldStock),
			"with PUBSYNC_SHOP_KEEP=stock the stock is yours",
		},
	} {
		if set(never.name) && never.is {
			c.warn("PUBSYNC_%s never applies: %s", never.name, never.why)
		}
	}
	c.warnOfCategories()
}

// skipsByMargin reports whether a margin can be below the one that keeps entries out.
func (c *Config) skipsByMargin() bool {
	least, below := c.PriceMinMarginPercent.percent, c.SkipMarginBelow.percent
	return least == nil || below == nil || below.GreaterThan(decimal.Max(*least, decimal.NewFromInt(-100)))
}

// warnOfCategories warns of categories that others hold. Rules are told by their place: a value is
// not echoed.
func (c *Config) warnOfCategories() {
	within := func(path, branch string) bool { return path == branch || strings.HasPrefix(path, branch+"/") }
	for i, path := range c.SkipCategories {
		for j, branch := range c.SkipCategories {
			if i != j && within(string(path), string(branch)) {
				c.warn("PUBSYNC_SKIP_CATEGORIES: category %d never applies: category %d holds it", i+1, j+1)
			}
		}
	}
	for i, rule := range c.PriceCategories {
		for j, branch := range c.SkipCategories {
			if within(string(rule.Path), string(branch)) {
				c.warn(
					"PUBSYNC_PRICE_CATEGORIES: rule %d applies to nothing new: category %d of PUBSYNC_SKIP_CATEGORIES "+
						"keeps it out",
					i+1,
					j+1,
				)
			}
		}
	}
}
