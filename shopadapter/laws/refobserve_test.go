package laws_test

import (
	"context"
	"errors"
	"html"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// List reads all products in one request, and leaves out what is not asked for.
func (a *refAdapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		found, err := a.watched(ctx, what)
		if err != nil {
			if a.sabotage != observesNothing && a.sabotage != looksEmpty {
				yield(shopadapter.Listed{}, err)
			}
			return
		}
		for _, p := range found {
			if a.sabotage == observesOneByOne {
				if err := a.call(ctx, http.MethodGet, "/products/"+p.ID, nil, &p); err != nil {
					yield(shopadapter.Listed{}, err)
					return
				}
			}
			if a.sabotage == stampsObserved {
				_ = a.patch(ctx, &p, map[string]any{"meta": map[string]string{"looked": "at"}})
			}
			if !yield(a.observed(p), nil) {
				return
			}
		}
	}
}

// watched is the products that an observation asks for.
func (a *refAdapter) watched(ctx context.Context, what shopadapter.Query) (wanted []refProduct, err error) {
	if a.sabotage == observesByHint && what.Refs != nil {
		for _, ref := range what.Refs {
			var p refProduct
			err := a.call(ctx, http.MethodGet, "/products/"+url.PathEscape(string(ref.Listing)), nil, &p)
			if errors.Is(err, errNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			p.Meta = map[string]string{"key": string(ref.Publication)}
			wanted = append(wanted, p)
		}
		return wanted, nil
	}
	var found []refProduct
	if err := a.call(ctx, http.MethodGet, "/products", nil, &found); err != nil {
		return nil, err
	}
	if a.sabotage == noneIsAll && len(what.Refs) == 0 || a.sabotage == ignoresRefs {
		what.Refs = nil
	}
	for _, p := range found {
		key := p.Meta["key"]
		if key == "" && a.sabotage == observesForeign {
			key = "observed-foreign-" + p.ID
			p.Meta = map[string]string{"key": key}
		}
		switch {
		case key == "" && a.sabotage == listsForeign:
		case key == "" || !what.Wants(shopadapter.PublicationID(key)),
			!p.OnSale && (a.sabotage == observesOnSale || a.sabotage == listsOnSaleOnly):
			continue
		}
		wanted = append(wanted, p)
	}
	return wanted, nil
}

func (a *refAdapter) observed(p refProduct) shopadapter.Listed {
	o := shopadapter.Listed{
		Ref: shopadapter.Ref{
			Publication: shopadapter.PublicationID(p.Meta["key"]), Listing: shopadapter.ListingID(p.ID),
		},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(p.ID), URL: "https://shop.example.com/" + p.ID, OnSale: p.OnSale,
			Variants: []shopadapter.ListedVariant{}, Images: len(p.Pictures), Compared: shopadapter.TextFields,
		},
	}
	if a.sabotage == observesMemory && a.wrote[o.Ref.Listing] != nil {
		p.Variants = a.wrote[o.Ref.Listing]
	}
	for i, v := range p.Variants {
		w := shopadapter.ListedVariant{
			ShopID: v.ID, SKU: v.SKU, Price: a.prices.Shown(v.Price), Quantity: v.Quantity, Backorders: v.Backorders,
			OnSale: !v.Off,
		}
		switch {
		case a.sabotage == observesShown && v.Offer != "":
			w.Price = v.Offer
		case a.sabotage == observesLowered && v.Offer != "":
			w.Price, w.CompareAt = v.Offer, v.Offer
		case a.sabotage == observesCents:
			w.Price, _, _ = strings.Cut(v.Price, ".")
		case a.sabotage == numbersVariants:
			w.ShopID = strconv.Itoa(i + 1)
		case a.sabotage == countsNothing:
			w.Quantity = 0
		case a.sabotage == offIsOnSale:
			w.OnSale = true
		case a.sabotage == offIsGone && v.Off:
			continue
		}
		o.Variants = append(o.Variants, w)
	}
	if a.sabotage == seesNoPictures {
		o.Images = 0
	}
	o.Edited = a.editedOf(p)
	return o
}

// editedOf is the texts that are not as the stamp says.
func (a *refAdapter) editedOf(p refProduct) (edited shopadapter.Fields) {
	stamp := readStamp(p.Meta["stamp"])
	for _, group := range textGroups() {
		if stamp[group] != p.hash(group) {
			edited |= group
		}
	}
	switch {
	case a.sabotage == seesNoEdit:
		return shopadapter.NoFields
	case a.sabotage == oneEditIsAll && edited != 0:
		return shopadapter.TextFields
	case a.sabotage == escapedIsEdited && p.Title != html.EscapeString(p.Title):
		return edited | shopadapter.FieldTitle
	}
	return edited
}

// memorise keeps what was written, for the saboteur that observes it.
func (a *refAdapter) memorise(l shopadapter.Listing, p shopadapter.Product) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrote == nil {
		a.wrote = map[shopadapter.ListingID][]refVariant{}
	}
	var variants []refVariant
	for _, v := range p.Variants {
		variants = append(variants, refVariant{
			ID: l.ShopIDs()[v.ID], SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
		})
	}
	a.wrote[l.ID] = variants
}
