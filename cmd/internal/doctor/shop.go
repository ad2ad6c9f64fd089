package doctor

import (
	"context"
	"fmt"
	"io"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/visitor"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
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

// checkPage sees the page of one product on sale as a visitor does.
func (x *examination) checkPage(ctx context.Context) (string, error) {
	address := x.pageOfStore(ctx)
	if address == "" {
		return "there is no product on sale yet", nil
	}
	client := x.Visitor()
	defer client.CloseIdleConnections()
	switch saw, err := visitor.See(ctx, client, address); {
	case err != nil:
		return address + ": " + x.Redact(err.Error()), nil //nolint:nilerr // it is the answer
	case saw != "":
		return "", fmt.Errorf("visitors see %s in place of the product at %s", saw, address)
	}
	return "visitors see the product at " + address, nil
}

// pageOfStore is the address of a product on sale, "" where there is none. A store that cannot be
// read is the finding of the store's check.
func (x *examination) pageOfStore(ctx context.Context) string {
	if x.StoreMissing() {
		return ""
	}
	d, err := x.OpenDesk(x.log, setup.ToRead)
	if err != nil {
		return ""
	}
	defer d.Close() //nolint:errcheck // nothing was written
	for _, state := range []store.State{store.StateLive, store.StatePartial, store.StateHeld} {
		list, err := d.Publications(ctx, desk.Query{State: state, Limit: pagesOfState})
		if err != nil {
			return ""
		}
		for _, p := range list.Publications {
			if p.URL != "" {
				return p.URL
			}
		}
	}
	return ""
}

// pagesOfState is how many products of a state are looked through for an address.
const pagesOfState = 20

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
