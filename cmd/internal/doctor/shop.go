package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/visitor"
	"github.com/pubsync/pubsync/shopadapter"
)

func (x *examination) checkShop(ctx context.Context) (string, error) {
	shop, err := x.OpenShop(x.log)
	if err != nil {
		return "", err
	}
	defer setup.CloseShop(shop) //nolint:errcheck // nothing was written
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
	address := x.page
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

// checkPrice says whether the msrp is taken to include VAT, and how one price comes about: of the first
// variant of the publication that checkContent read.
func (x *examination) checkPrice(context.Context) (string, error) {
	text := "the msrp is taken to include VAT and is not taxed again (PUBSYNC_PRICE_MSRP_VAT=included)"
	if x.Rules.Price.NetMSRP {
		text = "the msrp is taken to be without VAT, which is added (PUBSYNC_PRICE_MSRP_VAT=excluded)"
	}
	if x.Rules.Price.Base == publication.BaseCost {
		text += ", but prices are made from the cost (PUBSYNC_PRICE_BASE=cost)"
	}
	if x.read == nil || x.read.Listing == nil || len(x.read.Listing.Variants) == 0 {
		return text + "; there is no product yet to show the sum of", nil
	}
	l := x.read.Listing
	v, title := l.Variants[0], x.read.ID
	for _, language := range slices.Backward(x.Rules.Languages) {
		title = cmp.Or(l.Translations[language].Title, title)
	}
	of := "\n" + say.Plain(x.Redact(title))
	if v.Title != "" && v.Title != title {
		of += ", " + say.Plain(x.Redact(v.Title))
	}
	q, err := x.Rules.Price.For(publication.TermsOf(l)).Quote(v.Cost, v.MSRP)
	if err != nil {
		return text + of + ": cannot be sold, " + err.Error(), nil //nolint:nilerr // it is the answer
	}
	return text + of + ": " + strings.Join(q.Steps(), "; "), nil
}

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
