package woocommerce

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// listed ranges over the shop's products that carry a note of ours, whosever it is; copies and what
// is in the trash are not among them.
func (a *adapter) listed(ctx context.Context) iter.Seq2[product, error] {
	return kit.Pages(perPage, func(p product) number { return p.ID },
		func(skip, size int) (page []product, length int, err error) {
			some, err := a.productPage(ctx, asking("offset", strconv.Itoa(skip), "per_page", strconv.Itoa(size)))
			return ours(some), len(some), err
		})
}

// productPage is one page of products, in the order of their ids.
func (a *adapter) productPage(ctx context.Context, query url.Values) ([]product, error) {
	for name, value := range map[string]string{
		"orderby": "id", "order": "asc", "context": "edit", "_fields": productFields, "include_meta": noteKey,
	} {
		query.Set(name, value)
	}
	if query.Get("offset") == "0" {
		query.Del("offset")
	}
	var some list[product]
	err := a.call(ctx, http.MethodGet, "/products", query, nil, &some)
	return some, err
}

func ours(all []product) (some []product) {
	for _, p := range all {
		if noteOf(p).ID != "" && p.Status != "trash" {
			some = append(some, p)
		}
	}
	return some
}

// List is [shopadapter.Adapter]. Of 1,000 products of three variants it makes 44 requests.
func (a *adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		var all []product
		var err error
		if what.Refs == nil {
			for p, failed := range a.listed(ctx) {
				if err = failed; err != nil {
					break
				}
				all = append(all, p)
			}
		} else {
			all, err = a.some(ctx, what.Refs)
		}
		var seen []shopadapter.Listed
		if err == nil {
			seen, err = a.observed(ctx, originals(all))
		}
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		for _, one := range seen {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (a *adapter) some(ctx context.Context, refs []shopadapter.Ref) (all []product, err error) {
	var ids []string
	of := map[string]shopadapter.PublicationID{}
	for _, ref := range refs {
		if id := listingNumber(ref.Listing); id > 0 {
			ids = append(ids, idText(number(id)))
			of[idText(number(id))] = ref.Publication
		}
	}
	slices.Sort(ids)
	err = kit.Runs(slices.Compact(ids), perPage, func(run []string) error {
		some, err := a.productPage(ctx, asking("include", strings.Join(run, ","), "per_page", strconv.Itoa(perPage)))
		for _, p := range ours(some) {
			if publication, asked := of[idText(p.ID)]; asked && owned(p, publication) {
				all = append(all, p)
			}
		}
		return err
	})
	return all, err
}

// originals is one product a publication: of several, the one that the note names.
func originals(all []product) (list []product) {
	best := map[string]int{}
	var order []string
	for i, p := range all {
		n := noteOf(p)
		j, twice := best[n.ID]
		if !twice || n.Product != "" && noteOf(all[j]).Product == "" {
			best[n.ID] = i
		}
		if !twice {
			order = append(order, n.ID)
		}
	}
	for _, id := range order {
		list = append(list, all[best[id]])
	}
	return list
}

// observed is what stands in the shop of products, with their variations.
func (a *adapter) observed(ctx context.Context, all []product) (seen []shopadapter.Listed, err error) {
	shop, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, err
	}
	prices, begun := shop.prices, time.Now()
	var ids []number
	owner := map[number]int{}
	for i, p := range all {
		one, err := a.observe(ctx, p, prices, begun)
		if err != nil {
			return nil, err
		}
		seen = append(seen, one)
		if p.Type != "variable" {
			continue
		}
		for _, id := range p.Variations {
			if _, known := owner[id]; !known {
				owner[id] = i
				ids = append(ids, id)
			}
		}
	}
	err = kit.Runs(ids, perPage, func(run []number) error {
		var asked []string
		for _, id := range run {
			asked = append(asked, idText(id))
		}
		var some list[variation]
		err := a.get(ctx, "/variations", &some, "include", strings.Join(asked, ","), "per_page", strconv.Itoa(perPage),
			"orderby", "id", "order", "asc", "context", "edit", "_fields",
			"id,parent_id,status,sku,regular_price,manage_stock,stock_quantity,backorders")
		for _, v := range some {
			i, known := owner[v.ID]
			if !known || v.Parent != all[i].ID {
				continue
			}
			delete(owner, v.ID) // each once
			one := observedVariant(v.figures, prices)
			if sameSKU(one.SKU, string(all[i].SKU)) {
				one.SKU = "" // it shows that of its product
			}
			one.OnSale = v.Status == "publish"
			seen[i].Variants = append(seen[i].Variants, one)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return seen, a.untold(ctx, seen)
}

// untold marks the stock as untold where the shop counts none: stock management is switched off.
func (a *adapter) untold(ctx context.Context, seen []shopadapter.Listed) error {
	if !slices.ContainsFunc(seen, func(one shopadapter.Listed) bool {
		return slices.ContainsFunc(one.Variants, func(v shopadapter.ListedVariant) bool { return v.Uncounted })
	}) {
		return nil
	}
	products, _, err := a.settings(ctx, "products")
	for i := range seen {
		if products["woocommerce_manage_stock"] == "no" {
			seen[i].Untold = shopadapter.FieldStock
		}
	}
	return err
}

// observe is what stands in the shop of one product, but for its variations.
func (a *adapter) observe(
	ctx context.Context, p product, prices shopadapter.Prices, begun time.Time,
) (one shopadapter.Listed, err error) {
	n := noteOf(p)
	id, err := url.QueryUnescape(n.ID)
	if err != nil {
		return one, nil //nolint:nilerr // a note that the adapter did not write names no publication
	}
	one = shopadapter.Listed{
		Ref: shopadapter.Ref{
			Publication: shopadapter.PublicationID(id), Listing: shopadapter.ListingID(idText(p.ID)),
		},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(idText(p.ID)), OnSale: p.onSale(), Variants: []shopadapter.ListedVariant{},
			Images: len(p.Images),
		},
	}
	if one.OnSale {
		one.URL = string(p.Link)
	}
	if p.Type == "simple" {
		v := observedVariant(p.figures, prices)
		if v.OnSale = true; sameSKU(v.SKU, keySKU(one.Ref.Publication)) {
			v.SKU = "" // ours, of a variant without one
		}
		one.Variants = append(one.Variants, v)
	}
	if !n.Done {
		return one, nil
	}
	var c kit.Comparison
	c.Compare(shopadapter.FieldTitle, hashTitle(string(p.Name)), n.Title)
	c.Compare(shopadapter.FieldDescription, hashDescription(string(p.Content)), n.Description)
	c.Compare(shopadapter.FieldImages, kit.HashList(marksOfImages(p.Images, n.Pictures)), n.Images)
	c.Compare(shopadapter.FieldCategory, hashCategories(p.Categories), n.Category)
	brand := heldBrands(p)
	if n.Details[brandName] != "" {
		c.Compared |= shopadapter.FieldBrand
		if !n.Details.Holds(brandName, brand) {
			c.Edited |= shopadapter.FieldBrand
		}
	}
	if c.Edited.Has(shopadapter.FieldCategory) && hashCategories(p.Categories).Exact == "" {
		if deleted, err := a.categories.deleted(ctx, n.Category, begun); err != nil {
			return one, err
		} else if deleted {
			one.Outdated |= shopadapter.FieldCategory
		}
	}
	if c.Edited.Has(shopadapter.FieldBrand) && brand == "" {
		if deleted, err := a.brandDeleted(ctx, n.Details, begun); err != nil {
			return one, err
		} else if deleted {
			one.Outdated |= shopadapter.FieldBrand
		}
	}
	one.Compared, one.Edited = c.Compared, c.Edited&^one.Outdated
	return one, nil
}

func observedVariant(f figures, prices shopadapter.Prices) shopadapter.ListedVariant {
	return shopadapter.ListedVariant{
		ShopID: idText(f.ID), SKU: string(f.SKU), Price: prices.Shown(string(f.Price)), Quantity: int(f.Quantity),
		Uncounted: f.Managed != "true", Backorders: f.Backorders == "yes" || f.Backorders == "notify",
	}
}
