package medusa

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// List ranges over the products with the adapter's note. Only Publish notices edited translations.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	const products, keys = 100, 50 // per request; a key in an address has at most a hundred characters
	return kit.Listings(what, products, keys,
		func(skip, size int) ([]shopadapter.Listed, int, error) {
			return a.page(ctx, query{"limit": strconv.Itoa(size), "offset": strconv.Itoa(skip)})
		}, func(keys []string, most int) ([]shopadapter.Listed, int, error) {
			q := query{"limit": strconv.Itoa(most)}
			for i, key := range keys {
				q[fmt.Sprintf("external_id[%d]", i)] = key
			}
			return a.page(ctx, q)
		})
}

func (a *Adapter) page(ctx context.Context, q query) (list []shopadapter.Listed, length int, err error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, 0, err
	}
	q["order"], q["fields"] = "id", listFields
	got, err := a.get(ctx, "list products", "products", q)
	if err != nil {
		return nil, 0, err
	}
	for i := range got.Products {
		p := &got.Products[i]
		n, ours := p.note()
		if !ours {
			continue
		}
		l, c := a.listing(p), p.compare(n)
		l.OnSale, l.Images, l.Variants = p.onSale(s.channel), len(p.shown()), kit.Each(p.Variants, s.listed)
		l.Compared, l.Edited = c.Compared, c.Edited
		ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: l.ID}
		list = append(list, shopadapter.Listed{Ref: ref, Listing: l})
	}
	return list, len(got.Products), nil
}

// compare finds texts and details that differ from the notes. The product's own sizes count only where the adapter
// wrote them.
func (p *product) compare(n note) *kit.Comparison {
	c := &kit.Comparison{Unsure: true}
	if !n.complete() {
		return c
	}
	c.CompareText(shopadapter.FieldTitle, p.Translation, n.Text)
	c.Compare(shopadapter.FieldImages, kit.HashList(p.shown()), n.Images)
	c.Compare(shopadapter.FieldCategory, kit.HashList(p.categories()), n.Category)
	c.CompareValues(shopadapter.FieldBrand, map[string]string{brandMark: p.Metadata.whole(brandMark)}, n.Details)
	held := p.sizes.held()
	maps.DeleteFunc(held, func(name, _ string) bool { return n.Details[name] == "" })
	c.CompareValues(shopadapter.FieldDetails, held, n.Details)
	for i := range p.Variants {
		if v := &p.Variants[i]; v.Metadata.text(mark) != "" { // else the merchant's
			c.CompareValues(shopadapter.FieldDetails, v.details(), v.noted())
		}
	}
	return c
}

// listed returns a variant as it stands. Medusa cannot switch off a single variant. It subtracts its reservations
// from the stocked quantity itself; neither list nor write does.
func (s shop) listed(v variant) shopadapter.ListedVariant {
	seen := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, Uncounted: !v.Managed, Backorders: v.Backorders, OnSale: true,
	}
	own, _ := base(v.Prices, s.currency)
	seen.Price = s.prices.Shown(string(own.Amount))
	if !v.Managed || len(v.Inventory) == 0 {
		return seen
	}
	for _, l := range v.Inventory[0].Item.Levels {
		if stocked, err := l.Stocked.Float64(); err == nil && l.Location == s.location {
			seen.Quantity = int(stocked)
		}
	}
	return seen
}
