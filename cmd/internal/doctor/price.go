package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A sample is a variant whose price the doctor explains.
type sample struct {
	product, variant, cost, msrp string
	terms                        store.Terms
}

// priceSettings returns the variables that decide prices, without their prefix.
func priceSettings() (names []string) {
	for _, v := range config.Own() {
		name := strings.TrimPrefix(v.Name, config.Prefix)
		if strings.HasPrefix(name, "PRICE_") || name == "SHIPPING_COUNTRY" {
			names = append(names, name)
		}
	}
	return names
}

// checkPrice says whether the msrp is taken to include VAT, and how one price comes about: of a
// product of the store, or of the publication that checkContent read.
func (x *examination) checkPrice(ctx context.Context) (string, error) {
	text := "the msrp is taken to include VAT and is not taxed again (PUBSYNC_PRICE_MSRP_VAT=included)"
	if x.Rules.Price.NetMSRP {
		text = "the msrp is taken to be without VAT, which is added (PUBSYNC_PRICE_MSRP_VAT=excluded)"
	}
	if x.Rules.Price.Base == publication.BaseCost {
		text += ", but prices are made from the cost (PUBSYNC_PRICE_BASE=cost)"
	}
	s, found := x.sampleOfStore(ctx)
	if !found {
		s, found = sampleOf(x.read, x.Rules.Languages)
	}
	if !found {
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

// sampleOfStore returns a variant on sale. A store that cannot be read is the finding of the
// store's check.
func (x *examination) sampleOfStore(ctx context.Context) (s sample, found bool) {
	if x.StoreMissing() {
		return s, false
	}
	d, err := x.OpenDesk(x.log, setup.ToRead)
	if err != nil {
		return s, false
	}
	defer d.Close() //nolint:errcheck // nothing was written
	for _, state := range []store.State{store.StateLive, store.StatePartial, store.StateHeld} {
		list, err := d.Publications(ctx, desk.Query{State: state, Limit: 1})
		if err != nil || len(list.Publications) == 0 {
			continue
		}
		e, err := d.Explain(ctx, list.Publications[0].ID)
		if err != nil {
			continue
		}
		for _, v := range e.Variants {
			if v.Price != "" {
				return sample{
					product: cmp.Or(e.Title, e.ID), variant: v.Title, cost: v.Cost, msrp: v.MSRP,
					terms: e.Source.Terms.Stored(),
				}, true
			}
		}
	}
	return s, false
}

// sampleOf is the first variant of a publication, with the title that its product has in the first
// of the languages.
func sampleOf(p *marketplace.Publication, languages []string) (s sample, found bool) {
	if p == nil || p.Listing == nil || len(p.Listing.Variants) == 0 {
		return s, false
	}
	v := p.Listing.Variants[0]
	s = sample{
		product: p.ID, variant: v.Title, cost: v.Cost, msrp: v.MSRP, terms: publication.TermsOf(p.Listing),
	}
	for _, language := range slices.Backward(languages) {
		s.product = cmp.Or(p.Listing.Translations[language].Title, s.product)
	}
	return s, true
}
