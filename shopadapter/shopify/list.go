package shopify

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// List ranges over the products that carry a publication's key. It walks the values of the metafield
// definition itself: a search would show what the shop's index knew some seconds ago.
//
// It waits for every other request, and leaves half of the bucket to them.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		s, err := a.know(ctx)
		if err == nil {
			err = s.unpriced
		}
		w := &watch{a: a, shop: s, seen: map[shopadapter.PublicationID]bool{}, page: glimpse{
			variants: firstGlimpsed, images: firstGlimpsed, rest: moreVariants / 2, most: mostGlimpsed,
		}}
		w.take = func(products []*product) (more bool, err error) {
			listed, err := w.listed(ctx, products)
			for _, one := range listed {
				if id := one.Ref.Publication; !w.seen[id] && what.Wants(id) {
					if w.seen[id] = true; !yield(one, nil) {
						return false, nil
					}
				}
			}
			return err == nil, err
		}
		if err == nil && what.Refs == nil {
			err = w.all(ctx)
		} else if err == nil {
			err = w.some(ctx, what.Refs)
		}
		if err != nil {
			yield(shopadapter.Listed{}, err)
		}
	}
}

// A watch is one List under way.
type watch struct {
	a    *Adapter
	shop *shop
	page glimpse
	seen map[shopadapter.PublicationID]bool
	take func([]*product) (more bool, err error) // hands on those of the products that are asked for
}

// all reads the pages of the products that carry a key.
func (w *watch) all(ctx context.Context) error {
	seen := map[string]bool{}
	for variables := (input{}); ; {
		got, _, err := w.read(ctx, byDefinition, mostGlimpsed, variables)
		if err != nil || got.Definition == nil {
			return err
		}
		page := got.Definition.Metafields
		var products []*product
		for _, one := range page.Nodes {
			products = append(products, one.Owner)
		}
		if more, err := w.take(products); err != nil || !more || !page.Page.More {
			return err
		}
		if end := page.Page.End; end == "" || seen[end] {
			return shopadapter.Retry("the shop's list does not end")
		}
		seen[page.Page.End] = true
		variables = input{"after": page.Page.End}
	}
}

// some reads products by their ids, and those that are not found so by the publications' keys.
func (w *watch) some(ctx context.Context, refs []shopadapter.Ref) error {
	var ids []string
	for _, ref := range refs {
		if ref.Listing != "" {
			ids = append(ids, string(ref.Listing))
		}
	}
	for len(ids) > 0 {
		got, shown, err := w.read(ctx, byIDs, len(ids), input{"ids": ids})
		if err != nil {
			return err
		}
		if more, err := w.take(got.Nodes); err != nil || !more {
			return err
		}
		ids = ids[shown:]
	}
	for _, ref := range refs {
		if w.seen[ref.Publication] {
			continue
		}
		got, _, err := w.read(ctx, byKey, 1, input{"identifier": identifier(ref.Publication)})
		if err != nil {
			return err
		}
		if more, err := w.take([]*product{got.Product}); err != nil || !more {
			return err
		}
	}
	return nil
}

// A glimpse is how much of a product, and of how many, one request shows. What a product has beyond
// it takes a request of its own.
type glimpse struct {
	variants, images int  // of a product
	rest             int  // variants that a request of its own shows
	most             int  // products
	fits             bool // it is as large as products were seen to be
}

const (
	mostGlimpsed  = 50 // products
	firstGlimpsed = 5  // products, variants and pictures, before it is known how large products are
	leastGlimpsed = 3  // variants, and pictures
	costGlimpse   = 700.0
)

// points is what a product costs: five for a variant, two for a picture.
func (g glimpse) points() float64 { return float64(10 + 5*g.variants + 2*g.images) }

// fit makes the next request show as much of each product as those have that were read to their
// ends.
func (g *glimpse) fit(read []*product) {
	g.variants, g.images, g.fits = leastGlimpsed, leastGlimpsed, true
	for _, p := range read {
		if p != nil {
			g.variants = max(g.variants, min(len(p.Variants.Nodes), g.rest))
			g.images = max(g.images, min(len(p.Media.Nodes), mostImages/2))
		}
	}
}

// halve has the next request show less. It reports false where that is not possible.
func (g *glimpse) halve(shown int) bool {
	switch {
	case shown > 1:
		g.most = shown / 2
	case g.variants > 1 || g.images > 1:
		g.variants, g.images = max(g.variants/2, 1), max(g.images/2, 1)
	default:
		return false
	}
	return true
}

// read asks for products at one of the places that hold some, most of them at the most, and tells
// how many it asked for. Where Shopify finds that too dear, or the answer is too large, it asks for
// less.
func (w *watch) read(ctx context.Context, at string, most int, variables input) (*answer, int, error) {
	fields := wordFields + noteFields + translationFields(w.shop.locales, "key value") + mediaField
	see := sight{name: "Observe", fields: fields, variant: stockFields}
	for {
		shown := min(max(int(costGlimpse/w.a.costs.points(see.name, w.page.points())), 1), w.page.most, most)
		if !w.page.fits {
			shown = min(shown, firstGlimpsed)
		}
		all := input{
			"channel": w.shop.publication.ID, "location": w.shop.location.ID,
			"variants": w.page.variants, "images": w.page.images,
		}
		if maps.Copy(all, variables); at == byDefinition {
			all["page"] = shown
		} else if ids, ok := variables["ids"].([]string); ok {
			all["ids"] = ids[:shown]
		}
		got, err := w.a.call(ctx, request{
			doing: "list products", document: see.document(at), variables: all, priority: idle,
			estimate: float64(shown) * w.page.points(), variants: shown * w.page.variants,
		})
		if !isTooLarge(err) || !w.page.halve(shown) {
			return got, shown, err
		}
	}
}

// isTooLarge reports whether a request asks for more than Shopify, or the adapter, takes at once.
func isTooLarge(err error) bool { return codeOf(err) == codeTooExpensive || kit.Exceeded(err) }

// listed is those of some products that carry a key, each as it stands and read to its end. A
// product whose note was damaged is still ours; unless its key is a hash, the key is the
// publication's id.
func (w *watch) listed(ctx context.Context, products []*product) (list []shopadapter.Listed, err error) {
	lost := map[int][]string{} // pictures that are not shown any more, by their listing's place
	var all []string
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
		if gone := n.gone(p.Media); len(gone) > 0 {
			lost[len(list)], all = gone, append(all, gone...)
		}
		list = append(list, o)
	}
	w.page.fit(products)
	filed, err := w.a.filed(ctx, all)
	for i, gone := range lost { // a listing that lacks nothing but what the shop has lost was not edited
		if err == nil && !slices.ContainsFunc(gone, func(id string) bool { return filed[id] }) {
			list[i].Edited &^= shopadapter.FieldImages
		}
	}
	return list, err
}

// readOn reads what a product has beyond what a glimpse shows.
func (w *watch) readOn(ctx context.Context, p *product) (err error) {
	p.Variants.Nodes, err = rest(p.Variants, func(after string) (nodes[variant], error) {
		for {
			most := w.page.rest
			got, err := w.a.call(ctx, request{
				doing: "list variants", document: variantPages("Stock", stockFields), estimate: float64(5 + 5*most),
				variants: most, priority: idle, variables: input{
					"id": p.ID, "location": w.shop.location.ID, "channel": w.shop.publication.ID, "variants": most, "after": after,
				},
			})
			if !isTooLarge(err) || most == 1 {
				return got.variants(err)
			}
			w.page.rest = most / 2
		}
	})
	if err != nil || !p.Media.Page.More {
		return err
	}
	return w.a.readMedia(ctx, p)
}

// variant is one as it stands. What Shopify has sold it has taken off the quantity that is
// available.
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
