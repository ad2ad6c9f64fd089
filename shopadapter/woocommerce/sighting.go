package woocommerce

import (
	"context"
	"net/url"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A sighting is a product of ours as an observation found it.
type sighting struct {
	shopadapter.Listed
	id         int64
	named      bool // the stamp names the product: it is no copy
	variations []rest.Number
	category   stamp.Hash // as last written, of a product that is in none
	sku        string     // of the product itself, which a variation without one shows
	stamp      productStamp
	brands     string // ids
}

// sight is a product as it stands, without its variations; nil where it is none of ours.
func (w *watch) sight(p rest.Product) *sighting {
	listed, s, ours := listedOf(p)
	if !ours {
		return nil
	}
	one := &sighting{
		id: int64(p.ID), stamp: s, brands: brandsOf(p), named: s.Product != 0, sku: string(p.SKU),
		Listed: listed,
	}
	one.Variants, one.Images = []shopadapter.ListedVariant{}, len(p.Images)
	switch p.Type {
	case "simple":
		sku := p.SKU
		if words.SameSKU(string(sku), words.KeySKU(listed.Ref.Publication)) {
			sku = "" // ours, of a variant without one
		}
		v := w.variant(int64(p.ID), sku, p.Price, p.Managed, p.Quantity, p.Backorders)
		v.OnSale = true
		one.Variants = append(one.Variants, v)
	case "variable":
		one.variations = p.Variations
	}
	c := w.compared(p, s)
	one.Compared, one.Edited = c.Compared, c.Edited
	if c.Edited.Has(shopadapter.FieldCategory) && w.a.categories.Hash(p.Categories).Exact == "" {
		one.category = s.Category.Hash
	}
	return one
}

// compared tells which texts differ from what the stamp says. One that was not finished yet is
// written whole.
func (w *watch) compared(p rest.Product, s productStamp) stamp.Comparison {
	c := stamp.Comparison{Unsure: true}
	if !s.Done {
		return c
	}
	c.Compare(shopadapter.FieldTitle, words.HashTitle(string(p.Name)), s.Title)
	c.Compare(shopadapter.FieldDescription, words.HashDescription(string(p.Content)), s.Description)
	c.Compare(shopadapter.FieldCategory, w.a.categories.Hash(p.Categories), s.Category)
	if brand := brandsOf(p); s.Details.Has(brandName) {
		c.CompareDetails(shopadapter.FieldBrand, map[string]string{brandName: brand}, s.Details.Last)
	}
	c.Compare(shopadapter.FieldImages, stamp.HashList(picture.Marks(p.Images, s.Pictures)), s.Images)
	return c
}

// variant is what a visitor can buy. What is counted for the product as a whole ("parent") is not
// counted for the variant.
func (w *watch) variant(
	id int64, sku, price, managed rest.Text, quantity rest.Number, backorders rest.Text,
) shopadapter.ListedVariant {
	return shopadapter.ListedVariant{
		ShopID: strconv.FormatInt(id, 10), SKU: string(sku), Price: w.prices.Shown(string(price)),
		Quantity: int(quantity), Uncounted: managed != "true", Backorders: backorders == "yes" || backorders == "notify",
	}
}

// add adds a variation to the product that it belongs to. One without a SKU shows that of its
// product.
func (w *watch) add(s *sighting, v rest.Variation) {
	if words.SameSKU(string(v.SKU), s.sku) {
		v.SKU = ""
	}
	seen := w.variant(int64(v.ID), v.SKU, v.Price, v.Managed, v.Quantity, v.Backorders)
	seen.OnSale = v.Status == "publish"
	s.Variants = append(s.Variants, seen)
}

// allVariations is where a shop lists the variations of all products.
const allVariations = "/variations"

// complete reads the variations of products.
func (w *watch) complete(ctx context.Context, list []*sighting) error {
	owner := map[rest.Number]*sighting{}
	var ids []int64
	for _, s := range list {
		for _, id := range s.variations {
			if owner[id] == nil {
				owner[id] = s
				ids = append(ids, int64(id))
			}
		}
	}
	return inRuns(ids, func(run []int64) error {
		query := withFields(url.Values{"include": {joined(run)}}, watchedVariationFields)
		some, err := rest.Page[rest.Variation](ctx, w.a.Client, allVariations, query, 0, rest.PerPage)
		for _, v := range some {
			if s := owner[v.ID]; s != nil && int64(v.Parent) == s.id {
				delete(owner, v.ID) // each once
				w.add(s, v)
			}
		}
		return err
	})
}

// watchedVariationFields is what is asked for of a variation.
const watchedVariationFields = "id,parent_id,status,sku,regular_price,manage_stock,stock_quantity,backorders"
