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
			return a.productPage(ctx, asking("per_page", strconv.Itoa(size), "offset", strconv.Itoa(skip)))
		})
}

// productPage is what is ours of one page of products, in the order of their ids, and how many the
// page holds.
func (a *adapter) productPage(ctx context.Context, query url.Values) (page []product, length int, err error) {
	for name, value := range map[string]string{
		"orderby": "id", "order": "asc", "context": "edit", "_fields": productFields, "include_meta": noteKey,
	} {
		query.Set(name, value)
	}
	var some list[product]
	err = a.call(ctx, http.MethodGet, "/products", query, nil, &some)
	length = len(some)
	return slices.DeleteFunc(some, func(p product) bool { return noteOf(p).ID == "" || p.Status == "trash" }), length, err
}

// List is [shopadapter.Adapter]. Of 1,000 products of three variants it makes 44 requests.
func (a *adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		var all []product
		var err error
		if what.Refs != nil {
			all, err = a.some(ctx, what.Refs)
		} else {
			for p, failed := range a.listed(ctx) {
				if err = failed; err == nil {
					all = append(all, p)
				}
			}
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
	of := map[number]shopadapter.PublicationID{}
	for _, ref := range refs {
		if id := number(listingNumber(ref.Listing)); id > 0 {
			ids = append(ids, idText(id))
			of[id] = ref.Publication
		}
	}
	slices.Sort(ids)
	err = kit.Runs(slices.Compact(ids), perPage, func(run []string) error {
		some, _, err := a.productPage(ctx, asking("include", strings.Join(run, ","), "per_page", strconv.Itoa(perPage)))
		for _, p := range some {
			if publication, asked := of[p.ID]; asked && owned(p, publication) {
				all = append(all, p)
			}
		}
		return err
	})
	return all, err
}

// originals is one product a publication: of several, the one that the note names, else the oldest.
func originals(all []product) (list []product) {
	at := map[string]int{}
	for _, p := range all {
		n := noteOf(p)
		switch i, twice := at[n.ID]; {
		case !twice:
			at[n.ID] = len(list)
			list = append(list, p)
		case n.Product != "" && noteOf(list[i]).Product == "":
			list[i] = p
		}
	}
	return list
}

// observed is what stands in the shop of products, with their variations.
func (a *adapter) observed(ctx context.Context, all []product) (seen []shopadapter.Listed, err error) {
	shop, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	var ids []string
	owner := map[number]int{} // of the variations that are not seen yet
	for i, p := range all {
		one, err := a.observe(ctx, p, shop, begun)
		if err != nil {
			return nil, err
		}
		seen = append(seen, one)
		for _, id := range p.Variations {
			if _, known := owner[id]; p.Type == "variable" && !known {
				owner[id] = i
				ids = append(ids, idText(id))
			}
		}
	}
	err = kit.Runs(ids, perPage, func(run []string) error {
		var some list[figures]
		err := a.get(ctx, "/variations", &some, "include", strings.Join(run, ","), "per_page", strconv.Itoa(perPage),
			"orderby", "id", "order", "asc", "context", "edit", "_fields", figureFields)
		for _, v := range some {
			i, known := owner[v.ID]
			if !known || v.Parent != all[i].ID {
				continue
			}
			delete(owner, v.ID)
			// a variation without a SKU shows that of its product
			observe(&seen[i], v, v.Status == "publish", string(all[i].SKU), shop)
		}
		return err
	})
	return seen, err
}

func (a *adapter) observe(
	ctx context.Context, p product, shop shopSettings, begun time.Time,
) (one shopadapter.Listed, err error) {
	n := noteOf(p)
	id, err := url.QueryUnescape(n.ID)
	if err != nil {
		return one, nil //nolint:nilerr // a note that the adapter did not write names no publication
	}
	listing := shopadapter.ListingID(idText(p.ID))
	one.Ref = shopadapter.Ref{Publication: shopadapter.PublicationID(id), Listing: listing}
	one.Listing = shopadapter.Listing{
		ID: listing, OnSale: p.onSale(), Variants: []shopadapter.ListedVariant{}, Images: len(p.Images),
	}
	if one.OnSale {
		one.URL = string(p.Link)
	}
	if p.Type == "simple" {
		observe(&one, p.figures, true, keySKU(one.Ref.Publication), shop)
	}
	if !n.finished() {
		return one, nil
	}
	var c kit.Comparison
	for group, held := range p.texts(n.Pictures) {
		c.Compare(group, held, *n.texts()[group])
	}
	brand := heldBrands(p)
	if n.Details[brandName] != "" {
		c.CompareValues(shopadapter.FieldBrand, map[string]string{brandName: brand}, n.Details)
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

// observe adds a variant as it stands. A SKU that stands for none of its own is left out.
func observe(one *shopadapter.Listed, f figures, onSale bool, none string, shop shopSettings) {
	v := shopadapter.ListedVariant{
		ShopID: idText(f.ID), SKU: string(f.SKU), Price: shop.prices.Shown(string(f.Price)), Quantity: int(f.Quantity),
		Uncounted: f.Managed != "true", Backorders: f.Backorders == "yes" || f.Backorders == "notify", OnSale: onSale,
	}
	if sameSKU(v.SKU, none) {
		v.SKU = ""
	}
	if v.Uncounted && shop.uncounted {
		one.Untold = shopadapter.FieldStock
	}
	one.Variants = append(one.Variants, v)
}
