package vendure

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// List ranges over the products that carry a stamp of their own, a hundred in one request.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return skeleton.Reader{All: a.observeAll, Some: a.observeSome, Size: pageSize}.List(ctx, what)
}

func (a *Adapter) observeAll(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	filter := input{"pubsyncId": input{"isNull": false}}
	return skeleton.Pages(pageSize, func(skip, size int) ([]shopadapter.Listed, int, error) {
		return a.observePage(ctx, filter, skip, size, false)
	})
}

// observeSome finds products by the publications' keys.
func (a *Adapter) observeSome(ctx context.Context, refs []shopadapter.Ref) ([]shopadapter.Listed, error) {
	keys := each.Of(refs, func(r shopadapter.Ref) string { return stamp.Key(r.Publication) })
	const twice = 2 // late creations leave drafts with the same key
	list, _, err := a.observePage(ctx, input{"pubsyncId": input{"in": keys}}, 0, twice*len(keys), true)
	return list, err
}

// A scene is what an observation knows of the shop besides its products.
type scene struct {
	channel channel
	prices  shopadapter.Prices
	global  globalSettings
}

// globalSettings are those that count for a variant without its own.
type globalSettings struct {
	serverConfig
	Tracks    bool `json:"trackInventory"`
	Threshold int  `json:"outOfStockThreshold"`
}

// observePage reads a page of the products that the filter lets pass.
func (a *Adapter) observePage(
	ctx context.Context,
	filter input,
	skip, size int,
	asked bool, // somebody waits, who may have changed the shop just now
) (list []shopadapter.Listed, length int, err error) {
	var page struct {
		ActiveChannel  channel        `json:"activeChannel"`
		GlobalSettings globalSettings `json:"globalSettings"`
		Products       struct {
			Items []product `json:"items"`
		} `json:"products"`
	}
	variables := map[string]any{"filter": filter, "skip": skip, "take": size}
	if err := a.call(ctx, observeDocument, variables, &page); err != nil {
		return nil, 0, step.Within("observe products", err)
	}
	s := scene{channel: page.ActiveChannel, global: page.GlobalSettings}
	if err := a.expect(s.channel); err != nil {
		return nil, 0, err
	}
	if s.prices, err = a.pricesIn(s.channel, s.global.ServerConfig.Precision); err != nil {
		return nil, 0, err
	}
	gone := map[shopadapter.ListingID][]string{}
	for i := range page.Products.Items {
		p := &page.Products.Items[i]
		o, ok := a.listed(p, s.channel.Language)
		if !ok {
			continue
		}
		s.observed(&o, p)
		if o.Outdated, err = a.outdated(ctx, p, o.Edited, asked); err != nil {
			return nil, 0, err
		}
		o.Edited &^= o.Outdated
		if lost, ok := stamp.Without(p.stamp().Pictures, shown(p)); ok && len(lost) > 0 {
			gone[o.Ref.Listing] = lost
		}
		list = append(list, o)
	}
	return list, len(page.Products.Items), skeleton.ForgiveLost(ctx, list, gone, a.standing)
}

// observed adds what the product tells beside where it is and whether it is on sale.
func (s *scene) observed(o *shopadapter.Listed, p *product) {
	o.Variants, o.Images = []shopadapter.ListedVariant{}, len(shown(p))
	for i := range p.Variants {
		v := &p.Variants[i]
		o.Variants = append(o.Variants, s.variant(v))
	}
	c := p.compare(s.channel.Language)
	o.Compared, o.Edited = c.Compared, c.Edited
}

func (s *scene) variant(v *variant) shopadapter.ListedVariant {
	threshold := v.Threshold
	if v.UseGlobal {
		threshold = s.global.Threshold
	}
	seen := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, Quantity: v.own().StockOnHand,
		Uncounted:  v.TrackInventory == "FALSE" || v.TrackInventory == "INHERIT" && !s.global.Tracks,
		Backorders: threshold < 0,
		OnSale:     v.Enabled,
	}
	i := slices.IndexFunc(v.Prices, func(p price) bool { return p.CurrencyCode == s.channel.Currency })
	if i >= 0 {
		entered := decimal.New(v.Prices[i].Price, -s.global.ServerConfig.Precision)
		seen.Price = s.prices.Shown(entered.String())
	}
	return seen
}

// own is the stock level that a quantity is written to: that of the oldest location, which Vendure
// takes for the default one.
func (v *variant) own() stockLevel {
	if len(v.StockLevels) == 0 {
		return stockLevel{}
	}
	return slices.MinFunc(v.StockLevels, func(a, b stockLevel) int {
		return cmp.Or(a.Location.CreatedAt.Compare(b.Location.CreatedAt), cmp.Compare(a.Location.ID, b.Location.ID))
	})
}

// compare tells which texts differ from what the stamp says. A language that was not written, or
// that somebody removed, does not count.
func (p *product) compare(language string) (c stamp.Comparison) {
	s := p.stamp()
	if !s.Complete() {
		return c
	}
	titles := s.Titles
	if len(titles) == 0 {
		titles = []string{language} // the stamp is from before they were kept
	}
	for language, last := range s.Text {
		held := rowIn(p.Translations, language)
		if held == nil {
			continue
		}
		group := shopadapter.FieldDescription
		if slices.Contains(titles, language) {
			group = shopadapter.FieldTitle
		}
		c.CompareText(
			group,
			shopadapter.Translation{Title: held.Name, Description: held.Description},
			stamp.Text{Title: last.Name, Description: last.Description},
		)
	}
	category, _ := categories.held(p)
	c.Compare(shopadapter.FieldCategory, stamp.Hash{Exact: category}, s.Category)
	if brand, _ := brands.held(p); s.Details != nil {
		c.CompareDetails(shopadapter.FieldBrand, map[string]string{brands.code: brand}, s.Details)
	}
	c.Compare(shopadapter.FieldImages, stamp.HashList(shown(p)), s.Images)
	return c
}
