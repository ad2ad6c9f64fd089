package config

import (
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// makeRules makes the rules of publications from their settings.
func (c *Config) makeRules() {
	c.Brake = publication.Brake{
		PricePercent: c.BrakePricePercent.Decimal, RemovedPercent: c.BrakeRemovedPercent.Decimal,
		FirstPrice: c.BrakeFirstPrice.Bounds,
	}
	c.Rules = publication.Rules{
		Currency: string(c.MarketplaceCurrency), Languages: c.MarketplaceLanguages, SKUPrefix: c.ShopSKUPrefix,
		Keep: shopadapter.Fields(c.ShopKeep), StockBuffer: int(c.StockBuffer),
		Details: c.ProductDetails == "on",
		Units: shopadapter.Units{
			Weight: string(c.MarketplaceWeightUnit), Length: string(c.MarketplaceDimensionUnit),
		},
		Skip: publication.Skip{
			MarginBelow: c.SkipMarginBelow.percent, StockBelow: int(c.SkipStockBelow),
			DaysAbove: int(c.SkipShippingDaysAbove), Categories: c.SkipCategories,
		},
		Price: publication.PriceRule{
			Base: string(c.PriceBase), Markup: c.PriceMarkupPercent.Decimal, Add: c.PriceAdd.Decimal,
			VAT:     c.PriceVATPercent.Decimal,
			NetMSRP: c.PriceMSRPVAT == "excluded", Ending: c.PriceEnding.Ending,
			MinMargin: c.PriceMinMarginPercent.percent,
			Tiers:     c.PriceTiers, Categories: c.PriceCategories,
			Country: string(c.ShippingCountry),
		},
	}
	c.Rules.AsDraft, c.Rules.HideSoldOut = c.PublishAs == "draft", c.OnSoldOut == "hide"
	if c.PriceShipping != "off" {
		c.Rules.Price.Shipping = publication.ShippingCosts(c.PriceShipping)
	}
	if c.PriceNoMSRP == "cost" {
		c.Rules.Price.NoMSRP = &c.PriceNoMSRPMarkupPercent.Decimal
	}
}

// Pictures is how the marketplace is asked for pictures.
func (c *Config) Pictures() marketplace.Picture {
	p := marketplace.Picture{Method: string(c.ImageMethod), Size: int(c.ImageSize)}
	if p.Method == "" {
		p.Method = marketplace.Uncropped
	}
	return p
}
