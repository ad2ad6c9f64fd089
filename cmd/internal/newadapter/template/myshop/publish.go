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

// A variant is one in the shop's API. Its reference is the marketplace's id.
type variant struct {
	ID, Reference, SKU, Price string
	Options                   map[string]string
	Stock                     int
	Backorders                bool
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
			ID: v.Reference, ShopID: v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Stock, Backorders: v.Backorders, OnSale: true,
		}
	})
	ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: id}
	return shopadapter.Listed{Ref: ref, Listing: l}
}

// A write is one call of Publish. The toy shop takes a product whole, under an id of ours; the README tells of a
// shop that chooses ids. If yours takes variants separately, send them between the draft and the request that sells.
type write struct {
	kit.Merge
	p      shopadapter.Product
	held   *product // as the shop answered last; without an ID: not made yet
	note   note
	wanted []kit.Wanted[variant]
	send   map[string]any // what differs
}

// Publish makes the shop's product equal to p and puts it on sale. If only the figures of p are known, it writes
// price and stock alone.
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
	w := &write{Merge: kit.NewMerge(ref, changed), p: p, held: held, note: held.note(), send: map[string]any{}}
	if w.Own = held.ID == ""; w.note.Product == "" { // it was never complete
		w.Changed = shopadapter.AllFields
	}
	key := kit.Key(ref.Publication)
	w.note.Note = kit.Note{Version: noteVersion, ID: string(ref.Publication), Product: kit.ProductID(key)}
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
	w.wanted = wanted
	if p.Figures && (!held.OnSale || len(refused)+len(surplus) > 0 || kit.Unmade(wanted) ||
		ref.Reset != shopadapter.NoFields) {
		return listing, shopadapter.ErrWhole
	}
	if err = refused.None(p); len(wanted) > 0 {
		err = w.write(ctx, a, path(key))
	}
	l := a.listed(w.held)
	return shopadapter.Listing{ID: l.ID, URL: l.URL, Variants: l.Variants, Refused: refused, Kept: w.Kept()}, err
}

// write sends what differs, with the note about it in the same request, and puts the product on sale. So a call
// whose answer was lost finds what it made.
func (w *write) write(ctx context.Context, a *adapter, path string) error {
	if !w.p.Figures {
		w.planTexts()
	}
	if list := w.variants(); kit.Encode(list) != kit.Encode(w.held.Variants) {
		w.send["variants"] = list
	}
	if !w.held.OnSale {
		w.send["onSale"] = true
	}
	if encoded := kit.Encode(w.note); encoded != w.held.Note {
		w.send["note"] = encoded
	}
	if len(w.send) == 0 {
		return nil
	}
	var made product
	if err := a.call(ctx, http.MethodPut, path, w.send, &made); err != nil {
		return err
	}
	if made.ID == "" || !made.OnSale {
		return shopadapter.Retry("the shop did not put the product on sale")
	}
	w.held = &made
	return nil
}

// planTexts decides which texts to write: a text that the merchant edited stays. The toy shop shows pictures from
// where they are. A shop that stores pictures gets them first, see kit.Library.
func (w *write) planTexts() {
	want := shopadapter.Translation{Title: w.p.Title, Description: w.p.Description}
	w.send = w.DecideText(shopadapter.FieldTitle, w.held.Translation, want, &w.note.Text)
	category, images := w.p.Category.Label(), w.p.Pictures()
	if w.Decide(shopadapter.FieldCategory, kit.HashText(w.held.Category), kit.HashText(category), &w.note.Category) {
		w.send["category"] = category
	}
	if w.Decide(shopadapter.FieldImages, kit.HashList(w.held.Images), kit.HashList(images), &w.note.Images) {
		w.send["images"] = images
	}
}

// variants returns all variants that the product is to have. The toy shop deletes those that the list leaves out,
// so the merchant's own are in it.
func (w *write) variants() []variant {
	list := slices.DeleteFunc(slices.Clone(w.held.Variants), func(v variant) bool { return v.Reference != "" })
	for i, v := range w.wanted {
		next, changed := variant{Reference: v.ID}, shopadapter.AllFields
		if v.Held != nil {
			next, changed = *v.Held, w.Changed
		}
		if changed.Has(shopadapter.FieldVariants) {
			next.SKU, next.Options = v.SKU, map[string]string{}
			for j, name := range w.p.Options {
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
