package vendure

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// pageSize is in products. Vendure allows 1000 unless the owner lowered its limit.
const pageSize = 100

// List ranges over the products with their own note. Pages overlap: a thousand products take fourteen requests.
func (a *Adapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return kit.Listings(q, pageSize, pageSize,
		func(skip, size int) ([]shopadapter.Listed, int, error) {
			return a.page(ctx, input{"pubsyncId": input{"isNull": false}}, skip, size)
		}, func(keys []string, most int) ([]shopadapter.Listed, int, error) {
			return a.page(ctx, input{"pubsyncId": input{"in": keys}}, 0, most)
		})
}

func (a *Adapter) page(
	ctx context.Context, filter input, skip, size int,
) (seen []shopadapter.Listed, length int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	var v view
	variables := input{"filter": filter, "skip": skip, "take": size}
	if err := a.call(ctx, listDocument, variables, &v); err != nil {
		return nil, 0, err
	}
	if err := a.expect(v.Channel); err != nil {
		return nil, 0, err
	}
	prices, err := a.prices(v)
	if err != nil {
		return nil, 0, err
	}
	var found []*product
	for i := range v.Products.Items {
		p := &v.Products.Items[i]
		if id := p.publication(); id != "" && p.own(id) {
			found, seen = append(found, p), append(seen, a.listed(p, v, prices))
		}
	}
	return seen, len(v.Products.Items), a.forgive(ctx, found, seen)
}

func (p *product) publication() shopadapter.PublicationID {
	// if the note is damaged, the key is the id, unless it is a hash
	return shopadapter.PublicationID(cmp.Or(p.note().ID, p.key()))
}

func (a *Adapter) listed(p *product, v view, prices shopadapter.Prices) shopadapter.Listed {
	c := p.compare()
	o := shopadapter.Listed{
		Ref: shopadapter.Ref{Publication: p.publication(), Listing: shopadapter.ListingID(p.ID)},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(p.ID), URL: a.url(p.Translations, v.Channel.Language), OnSale: p.Enabled,
			Variants: []shopadapter.ListedVariant{}, Images: len(p.shown()), Compared: c.Compared, Edited: c.Edited,
		},
	}
	for i := range p.Variants {
		o.Variants = append(o.Variants, p.Variants[i].listed(v, prices))
	}
	return o
}

func (v *variant) listed(shop view, prices shopadapter.Prices) shopadapter.ListedVariant {
	threshold := v.OutOfStockThreshold
	if v.UseGlobalOutOfStockThreshold {
		threshold = shop.Global.OutOfStockThreshold
	}
	seen := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, OnSale: v.Enabled, Quantity: v.stocked(),
		Uncounted:  v.TrackInventory == "FALSE" || v.TrackInventory == "INHERIT" && !shop.Global.TrackInventory,
		Backorders: threshold < 0,
	}
	for _, p := range v.Prices {
		if p.CurrencyCode == shop.Channel.Currency {
			seen.Price = prices.Shown(decimal.New(p.Price, -shop.Global.ServerConfig.Precision).String())
		}
	}
	return seen
}

// stocked returns the stock at the oldest location, Vendure's default one, where quantities are written. It
// includes allocated stock, as a write does.
func (v *variant) stocked() int {
	if len(v.StockLevels) == 0 {
		return 0
	}
	return slices.MinFunc(v.StockLevels, func(a, b stockLevel) int {
		one, other := a.StockLocation, b.StockLocation
		return cmp.Or(one.CreatedAt.Compare(other.CreatedAt), cmp.Compare(one.ID, other.ID))
	}).StockOnHand
}

// compare finds texts that differ from the note. Missing languages do not count. The custom fields of the details
// are not known here.
func (p *product) compare() (c kit.Comparison) {
	n := p.note()
	if !n.complete() {
		return c
	}
	for language, last := range n.Text {
		held := rowIn(p.Translations, language)
		if held == nil {
			continue
		}
		group := shopadapter.FieldDescription
		if slices.Contains(n.Titles, language) {
			group = shopadapter.FieldTitle
		}
		c.CompareText(group, held.texts(), last)
	}
	for _, kind := range facetKinds {
		if codes, _ := kind.held(p); kind == categories || n.Brand.Exact != "" {
			c.Compare(kind.group, kit.Hash{Exact: codes}, *kind.written(&n))
		}
	}
	c.Compare(shopadapter.FieldImages, kit.HashList(p.shown()), n.Images)
	return c
}

// forgive counts a category or brand as outdated, not edited, if the shop itself lost it.
func (a *Adapter) forgive(ctx context.Context, found []*product, seen []shopadapter.Listed) error {
	var codes []string
	lost := func(i int, kind facetKind) string {
		if n := found[i].note(); n.complete() && seen[i].Edited.Has(kind.group) {
			return kind.lost(found[i], n)
		}
		return ""
	}
	for i := range found {
		for _, kind := range facetKinds {
			if code := lost(i, kind); code != "" {
				codes = append(codes, code)
			}
		}
	}
	slices.Sort(codes)
	there, err := a.standing(ctx, slices.Compact(codes))
	if err != nil {
		return err
	}
	for i := range found {
		for _, kind := range facetKinds {
			if code := lost(i, kind); code != "" && !there[kind.code+"/"+code] {
				seen[i].Edited &^= kind.group
				seen[i].Outdated |= kind.group
			}
		}
	}
	return nil
}
