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
	is, err := shop.Check(ctx)
	if err != nil {
		return "", err
	}
	if err := x.SameCurrency(is); err != nil {
		return "", err
	}
	text := x.ShopAdapter + " takes products"
	if is.Version != "" {
		text += ", and is version " + x.Redact(is.Version)
	}
	if is.Warning != "" {
		text += "\n" + x.Redact(is.Warning)
	}
	return text + shownPrice(is.Prices), nil
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

// shownPrice says what a visitor sees of samplePrice.
func shownPrice(prices shopadapter.Prices) string {
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
	return text
}
