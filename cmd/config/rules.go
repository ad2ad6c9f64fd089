package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// makeRules makes the rules of publications from their settings. A setting that cannot be read is a
// fault, and its rule none.
func (c *Config) makeRules() {
	c.Brake = publication.Brake{
		PricePercent: c.BrakePricePercent, RemovedPercent: c.BrakeRemovedPercent,
		FirstPrice: parsed(c, "BRAKE_FIRST_PRICE", c.BrakeFirstPrice, boundsOf),
	}
	c.Rules = publication.Rules{
		Currency: string(c.MarketplaceCurrency), Languages: c.MarketplaceLanguages, SKUPrefix: c.ShopSKUPrefix,
		Keep: parsed(c, "SHOP_KEEP", c.ShopKeep, keptOf), StockBuffer: c.StockBuffer,
		Details: c.ProductDetails == "on",
		Units:   shopadapter.Units{Weight: c.MarketplaceWeightUnit, Length: c.MarketplaceDimensionUnit},
		Skip: publication.Skip{
			MarginBelow: c.SkipMarginBelow, StockBelow: c.SkipStockBelow, DaysAbove: c.SkipShippingDaysAbove,
			Categories: parsed(c, "SKIP_CATEGORIES", c.SkipCategories, publication.ParseCategories),
		},
		Price: publication.PriceRule{
			Base: c.PriceBase, Markup: c.PriceMarkupPercent, Add: c.PriceAdd, VAT: c.PriceVATPercent,
			NetMSRP: c.PriceMSRPVAT == "excluded", MinMargin: c.PriceMinMarginPercent,
			Tiers:      parsed(c, "PRICE_TIERS", c.PriceTiers, publication.ParseTiers),
			Categories: parsed(c, "PRICE_CATEGORIES", c.PriceCategories, publication.ParseCategoryMarkups),
			Country:    parsed(c, "SHIPPING_COUNTRY", c.ShippingCountry, countryOf),
			Ending: parsed(c, "PRICE_ENDING", c.PriceEnding, func(s string) (*publication.Ending, error) {
				ending, err := publication.ParseEnding(s)
				return &ending, err
			}),
		},
	}
	c.Rules.AsDraft, c.Rules.HideSoldOut = c.PublishAs == "draft", c.OnSoldOut == "hide"
	if c.PriceShipping != "off" {
		c.Rules.Price.Shipping = publication.ShippingCosts(c.PriceShipping)
	}
	if c.PriceNoMSRP == "cost" {
		c.Rules.Price.NoMSRP = &c.PriceNoMSRPMarkupPercent
	}
}

// parsed reads a setting, unless it is not set. What is wrong with it is a fault.
func parsed[T any](c *Config, name, value string, read func(string) (T, error)) (got T) {
	if value == "" {
		return got
	}
	got, err := read(value)
	if err != nil {
		c.fault(name, "%v", err)
	}
	return got
}

// boundsOf reads two numbers such as 0.5-3; off are no bounds.
func boundsOf(s string) (b publication.Bounds, err error) {
	if s == "off" {
		return b, nil
	}
	low, high, _ := strings.Cut(s, "-")
	if b.Least, err = decimal.NewFromString(strings.TrimSpace(low)); err == nil {
		b.Most, err = decimal.NewFromString(strings.TrimSpace(high))
	}
	const longest = 40 // characters; an exponent makes a number endless
	if err != nil || len(s) > longest || strings.ContainsAny(s, "eE") || b.Least.IsNegative() ||
		!b.Most.GreaterThan(b.Least) {
		return publication.Bounds{}, errors.New("is not two numbers, the lower one first, such as 0.5-3, or off")
	}
	return b, nil
}

// keptOf reads which fields are the merchant's.
func keptOf(s string) (shopadapter.Fields, error) {
	fields, err := shopadapter.ParseFields(list(s)...)
	if may := shopadapter.TextFields | shopadapter.FieldPrice | shopadapter.FieldStock; err != nil || fields&^may != 0 {
		return 0, fmt.Errorf("is not a list of %s", may)
	}
	return fields, nil
}

// countryOf reads the name of a group of countries as the marketplace gives it: NL as a rule.
func countryOf(s string) (string, error) {
	const longest = 100
	if s = strings.TrimSpace(s); s == "" || len(s) > longest {
		return "", errors.New("is not the name of a group of countries such as NL")
	}
	return s, nil
}

// Pictures is how the marketplace is asked for pictures.
func (c *Config) Pictures() marketplace.Picture {
	p := marketplace.Picture{Method: c.ImageMethod, Size: c.ImageSize}
	if p.Method == "" {
		p.Method = marketplace.Uncropped
	}
	return p
}
