package shopify

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/pages"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// List ranges over the products that carry a publication's key. It walks the values of the metafield
// definition itself: a search would show what the shop's index knew some seconds ago.
//
// An observation waits for every other request, and leaves half of the bucket to them.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		s, err := a.knowShop(ctx)
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		prices, err := a.prices.Get(ctx, false)
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		w := &watch{a: a, shop: s, prices: prices.Prices, page: newGlimpse()}
		reader := skeleton.Reader{All: w.all, Some: w.some, Size: mostGlimpsed}
		for one, err := range reader.List(ctx, what) {
			if !yield(one, err) {
				return
			}
		}
	}
}

// A watch is one observation under way.
type watch struct {
	a      *Adapter
	shop   *shop
	prices shopadapter.Prices
	page   glimpse
}

func (w *watch) all(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		list := walk{}
		for after := ""; ; {
			page, err := w.next(ctx, after)
			var more bool
			if err == nil {
				more, err = list.on(page.Page)
			}
			if err != nil {
				yield(shopadapter.Listed{}, step.Within("observe products", err))
				return
			}
			observed, err := w.observed(ctx, page.Nodes)
			if err != nil {
				yield(shopadapter.Listed{}, step.Within("observe products", err))
				return
			}
			for _, o := range observed {
				if !yield(o, nil) {
					return
				}
			}
			if !more {
				return
			}
			after = page.Page.End
		}
	}
}

// next reads the page behind a cursor of the products that carry a key.
func (w *watch) next(ctx context.Context, after string) (page nodes[*product], err error) {
	variables := input{}
	if after != "" {
		variables["after"] = after
	}
	var answer struct {
		Definition *struct {
			Metafields nodes[owned] `json:"metafields"`
		} `json:"metafieldDefinition"`
	}
	if err := w.readPage(ctx, ownedField, variables, &answer); err != nil || answer.Definition == nil {
		return page, err
	}
	all := answer.Definition.Metafields
	page.Nodes, page.Page = each.Of(all.Nodes, func(o owned) *product { return o.Owner }), all.Page
	return page, nil
}

// some reads products by their ids, and those that are not found so by the publications' keys.
func (w *watch) some(ctx context.Context, refs []shopadapter.Ref) (list []shopadapter.Listed, err error) {
	left := slices.Clone(refs)
	asked := slices.DeleteFunc(slices.Clone(refs), func(r shopadapter.Ref) bool { return r.Listing == "" })
	for len(asked) > 0 {
		run := asked[:min(len(asked), w.page.products(w.a.costs))]
		var answer struct {
			Nodes []*product `json:"nodes"`
		}
		ids := each.Of(run, func(r shopadapter.Ref) string { return string(r.Listing) })
		again, err := w.read(ctx, nodesField, len(run), input{"ids": ids}, &answer)
		if err != nil {
			return nil, step.Within("observe products", err)
		}
		if again {
			continue
		}
		observed, err := w.observed(ctx, answer.Nodes)
		if err != nil {
			return nil, step.Within("observe products", err)
		}
		for _, one := range observed {
			is := func(r shopadapter.Ref) bool { return r.Publication == one.Ref.Publication }
			if slices.ContainsFunc(left, is) {
				left, list = slices.DeleteFunc(left, is), append(list, one)
			}
		}
		asked = asked[len(run):]
	}
	for _, ref := range left {
		p, err := w.readOne(ctx, ref.Publication)
		if err != nil {
			return nil, step.Within("observe products", err)
		}
		observed, err := w.observed(ctx, []*product{p})
		if err != nil {
			return nil, step.Within("observe products", err)
		}
		for _, one := range observed {
			if one.Ref.Publication == ref.Publication {
				list = append(list, one)
			}
		}
	}
	return list, nil
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
	firstGlimpsed = 5  // products, before it is known how large they are
	leastGlimpsed = 5  // variants, and pictures
	costGlimpse   = 700.0
)

func newGlimpse() glimpse {
	return glimpse{variants: leastGlimpsed, images: leastGlimpsed, rest: moreVariants / 2, most: mostGlimpsed}
}

// estimate is the points that a product costs: five for a variant, two for a picture.
func (g glimpse) estimate() float64 { return float64(10 + 5*g.variants + 2*g.images) }

// products is how many of them one request shows, so that Shopify takes it.
func (g glimpse) products(c *costs) int {
	most := g.most
	if !g.fits {
		most = min(most, firstGlimpsed)
	}
	return min(max(int(costGlimpse/c.points(operationObserve, g.estimate())), 1), most)
}

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

// read asks for products by one of the fields that hold some: products of them. Where Shopify finds
// that too dear, or the answer is too large, the next request shows less and again is true.
func (w *watch) read(
	ctx context.Context, field observedField, products int, variables input, answer any,
) (again bool, err error) {
	all := input{
		"publication": w.shop.publication.ID, "location": w.shop.location.ID,
		"variants": w.page.variants, "images": w.page.images,
	}
	maps.Copy(all, variables)
	err = w.a.call(ctx, request{
		document: observeDocument(field, w.shop.locales), variables: all, idle: true,
		estimate: float64(products) * w.page.estimate(), variants: products * w.page.variants,
	}, answer)
	if isTooLarge(err) && w.page.halve(products) {
		return true, nil
	}
	return false, err
}

// readPage is read for a page of products.
func (w *watch) readPage(ctx context.Context, field observedField, variables input, answer any) error {
	for {
		products := w.page.products(w.a.costs)
		variables["page"] = products
		if again, err := w.read(ctx, field, products, variables, answer); !again {
			return err
		}
	}
}

// readOne is read for the product of a publication.
func (w *watch) readOne(ctx context.Context, id shopadapter.PublicationID) (*product, error) {
	for {
		var answer struct {
			Product *product `json:"product"`
		}
		again, err := w.read(ctx, keyField, 1, input{"identifier": identifier(id)}, &answer)
		if !again {
			return answer.Product, err
		}
	}
}

// observed is those of some products that carry a key, each as it stands and read to its end.
func (w *watch) observed(ctx context.Context, products []*product) (list []shopadapter.Listed, err error) {
	gone := map[shopadapter.ListingID][]string{}
	for _, p := range products {
		o, ours := w.a.listed(p)
		if !ours {
			continue
		}
		if err := w.readOn(ctx, p); err != nil {
			return nil, err
		}
		o.Variants = each.Of(p.Variants.Nodes, w.variant)
		for _, m := range p.Media.Nodes {
			if m.Status == mediaReady {
				o.Images++
			}
		}
		c := p.compare(w.shop)
		o.Compared, o.Edited = c.Compared, c.Edited
		if lost := p.stamp().gone(p.Media); len(lost) > 0 {
			gone[o.Ref.Listing] = lost
		}
		list = append(list, o)
	}
	w.page.fit(products)
	return list, skeleton.ForgiveLost(ctx, list, gone, w.a.filed)
}

// readOn reads what a product has beyond what a glimpse shows.
func (w *watch) readOn(ctx context.Context, p *product) (err error) {
	p.Variants.Nodes, err = rest(p.Variants, func(after string) (nodes[variant], error) {
		return w.moreVariants(ctx, p.ID, after)
	})
	if err != nil || !p.Media.Page.More {
		return err
	}
	return w.a.readMedia(ctx, p)
}

// moreVariants reads variants beyond those that came with their product.
func (w *watch) moreVariants(ctx context.Context, id, after string) (nodes[variant], error) {
	for {
		var answer struct {
			Product *product `json:"product"`
		}
		most := w.page.rest
		variables := input{
			"id": id, "location": w.shop.location.ID, "publication": w.shop.publication.ID, "page": most, "after": after,
		}
		err := w.a.call(ctx, request{
			document: stockDocument, estimate: float64(5 + 5*most), variants: most, idle: true, variables: variables,
		}, &answer)
		switch {
		case isTooLarge(err) && most > 1:
			w.page.rest = most / 2
		case err != nil:
			return nodes[variant]{}, err
		case answer.Product == nil:
			return nodes[variant]{}, shopadapter.Retry("the product was deleted while it was read")
		default:
			return answer.Product.Variants, nil
		}
	}
}

// isTooLarge reports whether a request asks for more than Shopify, or the adapter, takes at once.
func isTooLarge(err error) bool { return codeOf(err) == codeTooExpensive || pages.Exceeded(err) }

// variant is one as it stands. What Shopify has sold it has taken off the quantity that is
// available.
func (w *watch) variant(v variant) shopadapter.ListedVariant {
	seen := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, Price: w.prices.Shown(v.Price), CompareAt: w.prices.Shown(v.CompareAt),
		Uncounted: !v.Item.Tracked, Backorders: v.Policy == policyContinue, OnSale: v.Published,
	}
	if l := v.Item.Level; l != nil && len(l.Quantities) > 0 {
		seen.Quantity = l.Quantities[0].Quantity
	}
	return seen
}

// An observedField is one of the fields of a query that hold products.
type observedField struct {
	variables string // declarations besides those of the product
	text      string
}

var (
	ownedField = observedField{"$page: Int!, $after: String", `
  metafieldDefinition(identifier: {ownerType: PRODUCT, namespace: "pubsync", key: "publication"}) {
    metafields(first: $page, after: $after) {
      nodes { owner { ... on Product { ...observed } } }
      pageInfo { hasNextPage endCursor }
    }
  }`}
	nodesField = observedField{"$ids: [ID!]!", `
  nodes(ids: $ids) { ... on Product { ...observed } }`}
	keyField = observedField{"$identifier: ProductIdentifierInput!", `
  product: productByIdentifier(identifier: $identifier) { ...observed }`}
)

const operationObserve = "Observe"

const stockFragment = `fragment stock on ProductVariant {
  id sku price compareAtPrice inventoryPolicy publishedOnPublication(publicationId: $publication)
  inventoryItem { tracked inventoryLevel(locationId: $location) { quantities(names: ["available"]) { quantity } } }
}`

const stockDocument = `query Stock($id: ID!, $location: ID!, $publication: ID!, $page: Int!, $after: String) {
  product(id: $id) { variants(first: $page, after: $after) { nodes { ...stock } pageInfo { hasNextPage endCursor } } }
}
` + stockFragment

// observeDocument asks for products as they stand, with their texts in these languages.
func observeDocument(field observedField, locales []string) string {
	var texts strings.Builder
	for _, locale := range locales {
		texts.WriteString("\n  " + alias(locale) + `: translations(locale: "` + locale + `") { key value }`)
	}
	return "query " + operationObserve + "($publication: ID!, $location: ID!, $variants: Int!, $images: Int!, " +
		field.variables + ") {" + field.text + "\n}\n" +
		"fragment observed on Product {\n  ...words ...stamp" + texts.String() + `
  media(first: $images) { nodes { id status } pageInfo { hasNextPage } }
  variants(first: $variants) { nodes { ...stock } pageInfo { hasNextPage endCursor } }
}
` + wordsFragment + "\n" + stampFragment + "\n" + stockFragment
}
