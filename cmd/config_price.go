package cmd

import (
	"math"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/publication"
)

const (
	leastMarkup, mostMarkup = -90, 1000
	mostVAT                 = 50
)

// parsePrice reads the settings that make prices. A value that no merchant means is a fault, since it would be on sale soon.
func (c *config) parsePrice(r *parser) publication.PriceRule {
	rule := publication.PriceRule{
		Base:    r.choice("PRICE_BASE", c.PriceBase, publication.BaseMSRP, publication.BaseCost),
		Markup:  r.percent("PRICE_MARKUP_PERCENT", c.PriceMarkupPercent, leastMarkup, mostMarkup),
		Add:     r.decimal("PRICE_ADD", c.PriceAdd, -1_000_000),
		VAT:     r.percent("PRICE_VAT_PERCENT", c.PriceVATPercent, 0, mostVAT),
		NetMSRP: r.choice("PRICE_MSRP_VAT", c.PriceMSRPVAT, "included", "excluded") == "excluded",
	}
	markup := r.percent("PRICE_NO_MSRP_MARKUP_PERCENT", c.PriceNoMSRPMarkupPercent, leastMarkup, mostMarkup)
	if r.choice("PRICE_NO_MSRP", c.PriceNoMSRP, "refuse", "cost") == "cost" {
		rule.NoMSRP = &markup
	}
	if c.PriceEnding != "" {
		ending, mod, err := publication.ParseEnding(c.PriceEnding)
		if err != nil {
			r.fault("PRICE_ENDING", "%v", err)
		}
		rule.Ending, rule.EndingMod = &ending, mod
	}
	if c.PriceMinMarginPercent != "" {
		margin := r.decimal("PRICE_MIN_MARGIN_PERCENT", c.PriceMinMarginPercent, -99)
		rule.MinMargin = &margin
	}
	return rule
}

// percent reads a percentage within bounds.
func (r *parser) percent(name, value string, least, most int64) decimal.Decimal {
	d := r.decimal(name, value, math.MinInt64)
	if d.LessThan(decimal.NewFromInt(least)) || d.GreaterThan(decimal.NewFromInt(most)) {
		r.fault(name, "is not from %d to %d: it is a percentage, 21 means 21 %%", least, most)
	}
	return d
}

// bounds reads two numbers such as 0.5-3; off are no bounds.
func (r *parser) bounds(name, value string) (b publication.Bounds) {
	if value == "off" {
		return b
	}
	least, most, _ := strings.Cut(value, "-")
	n := len(r.faults)
	b.Least, b.Most = r.decimal(name, strings.TrimSpace(least), 0), r.decimal(name, strings.TrimSpace(most), 0)
	if len(r.faults) > n || least == "" || !b.Most.GreaterThan(b.Least) {
		r.faults = r.faults[:n]
		r.fault(name, "is not two numbers, the lower one first, such as 0.5-3, or off")
	}
	return b
}
