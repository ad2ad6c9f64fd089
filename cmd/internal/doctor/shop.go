package doctor

import (
	"context"
	"fmt"
	"io"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
)

func (x *examination) checkShop(ctx context.Context) (string, error) {
	shop, err := x.OpenShop(x.log)
	if err != nil {
		return "", err
	}
	if closer, ok := shop.(io.Closer); ok {
		defer closer.Close() //nolint:errcheck // nothing was written
	}
	checker, ok := shop.(shopadapter.Checker)
	if !ok {
		return "the adapter cannot tell", nil
	}
	if err := checker.Check(ctx); err != nil {
		return "", err
	}
	if err := x.SameCurrency(ctx, shop); err != nil {
		return "", err
	}
	text := x.ShopAdapter + " takes products"
	if versioner, ok := shop.(shopadapter.Versioner); ok {
		if version, err := versioner.Version(ctx); err == nil && version != "" {
			text += ", and is version " + x.Redact(version)
		}
	}
	if warner, ok := shop.(shopadapter.Warner); ok {
		if warning, err := warner.Warning(ctx); err == nil && warning != "" {
			text += "\n" + x.Redact(warning)
		}
	}
	prices, err := shownPrice(ctx, shop)
	return text + prices, err
}

// samplePrice is the price of the example. At 21 % VAT no net price of two decimals gives it.
const samplePrice = "20.02"

// shownPrice says what a visitor sees of samplePrice in a shop that may store prices without tax.
// It is "" if the adapter cannot tell.
func shownPrice(ctx context.Context, shop shopadapter.Adapter) (string, error) {
	taxer, ok := shop.(shopadapter.Taxer)
	if !ok {
		return "", nil
	}
	prices, err := taxer.Prices(ctx)
	if err != nil {
		return "", err
	}
	entered := prices.Enter(samplePrice)
	text := fmt.Sprintf("\n%s from pubsync is written as %s", samplePrice, entered)
	if prices.Note == "" {
		text += ", as the visitor sees it"
	}
	if prices.Net() {
		shown := prices.Shown(entered)
		text = fmt.Sprintf("\n%s from pubsync is written as %s net, the visitor sees %s with %s %% VAT", samplePrice, entered,
			shown, prices.VAT)
		if shown != samplePrice {
			more := decimal.RequireFromString(shown).Sub(decimal.RequireFromString(samplePrice))
			text += fmt.Sprintf(": off by %s, since the shop takes %d decimals", more.StringFixed(2), prices.Places)
		}
	}
	if prices.Note != "" {
		text += "\n" + prices.Note
	}
	return text, nil
}
