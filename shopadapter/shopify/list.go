package shopify

import (
	"context"
	"errors"
	"iter"
	"maps"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// List ranges over the products with a key. It walks the metafield definition's values, since Shopify's search index
// lags by seconds. It gives way to all other requests and leaves them half of the bucket.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		s, err := a.shop.Get(ctx, false)
		if err == nil {
			err = s.unpriced
		}
		w := &watch{a: a, shop: s, most: mostGlimpsed}
		w.take = func(products []*product) error {
			listed, err := w.listed(ctx, products)
			for _, one := range listed {
				if what.Wants(one.Ref.Publication) && !yield(one, nil) {
					return errEnough
				}
			}
			return err
		}
		if err == nil && what.Refs == nil {
			err = w.all(ctx)
		} else if err == nil {
			err = w.some(ctx, what.Refs)
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(shopadapter.Listed{}, err)
		}
	}
}

var errEnough = errors.New("enough")

// A watch is one List under way.
type watch struct {
	a    *Adapter
	shop *shop
	most int                    // products per request
	take func([]*product) error // gets the products of each page
}

func (w *watch) all(ctx context.Context) error {
	last := ""
	for variables := (input{}); ; {
		got, _, err := w.read(ctx, byDefinition, mostGlimpsed, variables)
		if err == nil && got.Definition == nil { // a new one finds the products that carry keys
			if err = w.a.define(ctx); err == nil {
				got, _, err = w.read(ctx, byDefinition, mostGlimpsed, variables)
			}
		}
		if err != nil || got.Definition == nil {
			return err
		}
		page := got.Definition.Metafields
		var products []*product
		for _, one := range page.Nodes {
			products = append(products, one.Owner)
		}
		if err = w.take(products); err == nil {
			last, err = page.Page.after(last)
		}
		if err != nil || last == "" {
			return err
		}
		variables = input{"after": last}
	}
}

func (w *watch) some(ctx context.Context, refs []shopadapter.Ref) error {
	var ids []string
	for _, ref := range refs {
		if ref.Listing != "" {
			ids = append(ids, string(ref.Listing))
		}
	}
	for len(ids) > 0 {
		got, shown, err := w.read(ctx, byIDs, len(ids), input{"ids": ids})
		if err == nil {
			err = w.take(got.Nodes)
		}
		if err != nil {
			return err
		}
		ids = ids[shown:]
	}
	return nil
}

// What one request shows. The rest of a product takes requests of its own.
const (
	mostGlimpsed     = 10
	glimpsedVariants = 10 // per product
	glimpsedImages   = 10
	costGlimpse      = 10 + 5*glimpsedVariants + 3*glimpsedImages // points per product
)

// read asks for up to most products and returns how many it asked for: fewer if Shopify finds more too expensive,
// or the answer is too large.
func (w *watch) read(ctx context.Context, at string, most int, variables input) (*answer, int, error) {
	fields := wordFields + noteFields + translationFields(w.shop.locales, "key value") + mediaField
	see := sight{name: "Observe", fields: fields, variant: stockFields}
	for {
		shown := min(w.most, most)
		all := input{
			"channel": w.shop.publication.ID, "location": w.shop.location.ID,
			"variants": glimpsedVariants, "images": glimpsedImages,
		}
		if maps.Copy(all, variables); at == byDefinition {
			all["page"] = shown
		} else if ids, ok := variables["ids"].([]string); ok {
			all["ids"] = ids[:shown]
		}
		got, err := w.a.call(ctx, request{
			doing: "list products", document: see.document(at), variables: all, priority: idle,
			estimate: float64(shown) * costGlimpse,
		})
		if shown == 1 || codeOf(err) != codeTooExpensive && !kit.Exceeded(err) {
			return got, shown, err
		}
		w.most = shown / 2
	}
}

// listed returns those of the products that carry a key, read to their end. If the note is damaged, the key is the
// publication's id, unless it is a hash.
func (w *watch) listed(ctx context.Context, products []*product) (list []shopadapter.Listed, err error) {
	for _, p := range products {
		if p == nil || p.key() == "" {
			continue
		}
		n := p.note()
		if kit.Key(n.ID) != p.key() {
			n.ID = p.key()
		}
		if kit.Key(n.ID) != p.key() {
			continue
		}
		if err := w.readOn(ctx, p); err != nil {
			return nil, err
		}
		c := p.compare(w.shop)
		id := shopadapter.ListingID(p.ID)
		o := shopadapter.Listed{
			Ref: shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: id},
			Listing: shopadapter.Listing{
				ID: id, URL: w.a.address(p), OnSale: p.onSale(), Variants: []shopadapter.ListedVariant{},
				Compared: c.Compared, Edited: c.Edited,
			},
		}
		for _, v := range p.Variants.Nodes {
			o.Variants = append(o.Variants, w.variant(v))
		}
		for _, m := range p.Media.Nodes {
			if m.Status == mediaReady {
				o.Images++
			}
		}
		list = append(list, o)
	}
	return list, nil
}

func (w *watch) readOn(ctx context.Context, p *product) error {
	const most = 100
	err := w.a.readVariants(ctx, p, request{
		doing: "list variants", document: variantPages("Stock", stockFields), estimate: 5 + 5*most, priority: idle,
		variables: input{
			"id": p.ID, "location": w.shop.location.ID, "channel": w.shop.publication.ID, "variants": most,
		},
	})
	if err != nil || !p.Media.Page.More {
		return err
	}
	return w.a.readMedia(ctx, p)
}

// variant returns a variant as it stands. Shopify takes sold units off the available quantity.
func (w *watch) variant(v variant) shopadapter.ListedVariant {
	prices := w.shop.prices
	seen := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, Price: prices.Shown(v.Price), CompareAt: prices.Shown(v.CompareAt),
		Uncounted: !v.Item.Tracked, Backorders: v.Policy == policyContinue, OnSale: v.Published,
	}
	if l := v.Item.Level; l != nil && len(l.Quantities) > 0 {
		seen.Quantity = l.Quantities[0].Quantity
	}
	return seen
}
