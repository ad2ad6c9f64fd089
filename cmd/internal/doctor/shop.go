package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/visitor"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
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

func priceSettings() (names []string) {
	for _, v := range config.Own() {
		name := strings.TrimPrefix(v.Name, config.Prefix)
		if strings.HasPrefix(name, "PRICE_") || name == "SHIPPING_COUNTRY" {
			names = append(names, name)
		}
	}
	return names
}

type sample struct {
	product, variant, cost, msrp string
	terms                        store.Terms
}

// checkPrice says whether the msrp is taken to include VAT, and how one price comes about: of a
// product of the store, or of the publication that checkContent read.
func (x *examination) checkPrice(context.Context) (string, error) {
	text := "the msrp is taken to include VAT and is not taxed again (PUBSYNC_PRICE_MSRP_VAT=included)"
	if x.Rules.Price.NetMSRP {
		text = "the msrp is taken to be without VAT, which is added (PUBSYNC_PRICE_MSRP_VAT=excluded)"
	}
	if x.Rules.Price.Base == publication.BaseCost {
		text += ", but prices are made from the cost (PUBSYNC_PRICE_BASE=cost)"
	}
	s := x.sample
	if s == nil {
		s = sampleRead(x.read, x.Rules.Languages)
	}
	if s == nil {
		return text + "; there is no product yet to show the sum of", nil
	}
	of := "\n" + say.Plain(x.Redact(s.product))
	if s.variant != "" && s.variant != s.product {
		of += ", " + say.Plain(x.Redact(s.variant))
	}
	q, err := x.Rules.Price.For(s.terms).Quote(s.cost, s.msrp)
	if err != nil {
		return text + of + ": cannot be sold, " + err.Error(), nil //nolint:nilerr // it is the answer
	}
	return text + of + ": " + strings.Join(q.Steps(), "; "), nil
}

// sampleOf is the first variant of a publication that has a price, nil where none has.
func sampleOf(e desk.Explanation) *sample {
	for _, v := range e.Variants {
		if v.Price != "" {
			s := &sample{product: cmp.Or(e.Title, e.ID), variant: v.Title, cost: v.Cost, msrp: v.MSRP}
			if e.Source.Terms != nil {
				s.terms = *e.Source.Terms
			}
			return s
		}
	}
	return nil
}

// sampleRead is the first variant of a publication, with the title that its product has in the first
// of the languages; nil where there is none.
func sampleRead(p *marketplace.Publication, languages []string) *sample {
	if p == nil || p.Listing == nil || len(p.Listing.Variants) == 0 {
		return nil
	}
	v := p.Listing.Variants[0]
	s := &sample{p.ID, v.Title, v.Cost, v.MSRP, publication.TermsOf(p.Listing)}
	for _, language := range slices.Backward(languages) {
		s.product = cmp.Or(p.Listing.Translations[language].Title, s.product)
	}
	return s
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
