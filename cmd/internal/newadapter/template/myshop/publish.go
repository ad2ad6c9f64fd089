package myshop

import (
	"context"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A product is one in the shop's API. Its maker chooses the id.
type product struct {
	ID, Category, Note      string
	shopadapter.Translation // title and description
	Images                  []string
	Variants                []variant
	OnSale                  bool
}

// A variant is one in the shop's API. Its reference is the marketplace's id; the merchant's own have none.
type variant struct {
	Reference, SKU, Price string
	Options               map[string]string
	Stock                 int
	Backorders            bool
}

// A note is what the shop keeps with the product where no merchant edits it: whose the product is, and the texts
// written last.
type note struct {
	kit.Note
	kit.Text
	Category kit.Written `json:"category"`
	Images   kit.Written `json:"images"`
}

// noteVersion counts the rules by which texts are hashed. Of a note of another version only the owner counts.
const noteVersion = 1

func (p *product) note() note { return kit.ReadNote[note](p.Note, noteVersion) }

// find returns the product of a publication, without an ID if there is none. kit.Key makes an id that every shop
// finds again, whatever it trims or folds.
func (a *adapter) find(ctx context.Context, id shopadapter.PublicationID) (*product, error) {
	p := &product{}
	err := a.call(ctx, http.MethodGet, path(kit.Key(id)), nil, p)
	if err == nil && p.ID != "" && !p.note().Owns(string(id), p.ID) {
		err = shopadapter.Block("the product %s has lost its note: delete it, and it is made anew", p.ID)
	}
	return p, err
}

// listed returns a product as it stands in the shop. The note tells which texts the merchant edited.
func (a *adapter) listed(p *product) shopadapter.Listed {
	n, texts, id := p.note(), kit.Comparison{}, shopadapter.ListingID(p.ID)
	texts.CompareText(shopadapter.FieldTitle, p.Translation, n.Text)
	texts.Compare(shopadapter.FieldCategory, kit.HashText(p.Category), n.Category)
	texts.Compare(shopadapter.FieldImages, kit.HashList(p.Images), n.Images)
	l := shopadapter.Listing{
		ID: id, URL: a.base + "/p/" + p.ID, OnSale: p.OnSale, Images: len(p.Images), Compared: texts.Compared,
		Edited: texts.Edited,
	}
	l.Variants = kit.Each(p.Variants, func(v variant) shopadapter.ListedVariant {
		return shopadapter.ListedVariant{
			ID: v.Reference, ShopID: v.Reference, SKU: v.SKU,
			Price: v.Price, Quantity: v.Stock, Backorders: v.Backorders,
			OnSale: true,
		}
	})
	ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: id}
	return shopadapter.Listed{Ref: ref, Listing: l}
}

// Publish makes the shop's product equal to p and puts it on sale. If only the figures of p are known, it writes
// price and stock alone. The toy shop takes a product whole, with the note about it in the same request, so that a
// call whose answer was lost finds what it made. The README tells of a shop that chooses ids. If yours takes
// variants separately, send them between a draft and the request that sells.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (listing shopadapter.Listing, err error) {
	held, err := a.find(ctx, ref.Publication)
	if err == nil {
		err = ref.Drift(held.ID != "", held.OnSale)
	}
	if err != nil {
		return listing, err
	}
	merge := kit.NewMerge(ref, changed)
	if merge.Own = held.ID == ""; merge.Own {
		merge.Changed = shopadapter.AllFields
	}
	refused := kit.Refused{}
	planned := kit.Fit(p, refused, func(v shopadapter.Variant) (values []string, why string) {
		switch { // refuse here what your shop cannot sell
		case v.Price == "0.00":
			return nil, "nothing is free in the toy shop"
		case p.Figures:
			return []string{v.ID}, ""
		}
		return kit.Chosen(v, p.Options)
	})
	fits := func(*variant, kit.Planned) bool { return true } // each can become any other
	wanted, surplus := kit.Match(planned, held.Variants, func(v *variant) string { return v.Reference }, fits)
	if p.Figures && (!held.OnSale || len(refused)+len(surplus) > 0 || kit.Unmade(wanted) ||
		ref.Reset != shopadapter.NoFields) {
		return listing, shopadapter.ErrWhole
	}
	if len(wanted) == 0 {
		return listing, refused.None(p)
	}
	key := kit.Key(ref.Publication)
	next, n := *held, held.note()
	n.Note = kit.Note{Version: noteVersion, ID: string(ref.Publication), Product: kit.ProductID(key)}
	if !p.Figures {
		next.take(p, &merge, &n)
	}
	next.Variants = variants(p, merge.Changed, held.Variants, wanted)
	next.ID, next.OnSale, next.Note = key, true, kit.Encode(n)
	if kit.Encode(next) != kit.Encode(*held) {
		if err := a.call(ctx, http.MethodPut, path(key), next, nil); err != nil {
			return listing, err
		}
	}
	l := a.listed(&next)
	return shopadapter.Listing{ID: l.ID, URL: l.URL, Variants: l.Variants, Refused: refused, Kept: merge.Kept()}, nil
}

// take changes the texts that are to be written: one that the merchant edited stays. The toy shop shows pictures from
// where they are. A shop that stores pictures gets them first, see kit.Library.
func (p *product) take(want shopadapter.Product, merge *kit.Merge, n *note) {
	texts := shopadapter.Translation{Title: want.Title, Description: want.Description}
	write := merge.DecideText(shopadapter.FieldTitle, p.Translation, texts, &n.Text)
	if write["title"] != nil {
		p.Title = texts.Title
	}
	if write["description"] != nil {
		p.Description = texts.Description
	}
	category, images := want.Category.Label(), want.Pictures()
	if merge.Decide(shopadapter.FieldCategory, kit.HashText(p.Category), kit.HashText(category), &n.Category) {
		p.Category = category
	}
	if merge.Decide(shopadapter.FieldImages, kit.HashList(p.Images), kit.HashList(images), &n.Images) {
		p.Images = images
	}
}

// variants returns all variants that the product is to have, also the merchant's own.
func variants(
	p shopadapter.Product, changed shopadapter.Fields, held []variant, wanted []kit.Wanted[variant],
) []variant {
	list := slices.DeleteFunc(slices.Clone(held), func(v variant) bool { return v.Reference != "" })
	for i, v := range wanted {
		next, changed := variant{Reference: v.ID}, changed
		if v.Held != nil {
			next = *v.Held
		} else {
			changed = shopadapter.AllFields
		}
		if changed.Has(shopadapter.FieldVariants) {
			next.SKU, next.Options = v.SKU, map[string]string{}
			for j, name := range p.Options {
				next.Options[name] = v.Values[j]
			}
		}
		if changed.Has(shopadapter.FieldPrice) {
			next.Price = v.Price
		}
		if changed.Has(shopadapter.FieldStock) {
			next.Stock, next.Backorders = v.Quantity, v.Backorders
		}
		list = slices.Insert(list, i, next)
	}
	return list
}
