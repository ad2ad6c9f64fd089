package myshop

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A write is one call of Publish. The toy shop takes a product whole, under an id of ours. A shop that chooses
// ids itself is searched for the key first, and given a draft that carries key and note: kit.Pick tells what a
// creation left whose answer was lost. Where yours takes variants in requests of their own, they go between the
// draft and the request that sells.
type write struct {
	kit.Merge
	p       shopadapter.Product
	held    *product // as the shop answered last; without an ID: not made yet
	note    note
	refused kit.Refused
	wanted  []kit.Wanted[variant]
	surplus []*variant     // ours in the shop that are not wanted
	send    map[string]any // what differs
}

// Publish makes the shop's product equal to p and puts it on sale. Where the figures of p alone are
// known, it writes price and stock and nothing else.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	held, err := a.find(ctx, ref.Publication)
	if err == nil {
		err = ref.Drift(held.ID != "", held.OnSale)
	}
	if err != nil {
		return shopadapter.Listing{}, err
	}
	w := &write{
		Merge: kit.NewMerge(ref, changed), p: p, held: held, note: held.note(), refused: kit.Refused{},
		send: map[string]any{},
	}
	complete := w.note.Product != ""
	if w.Own = held.ID == ""; !complete {
		w.Changed = shopadapter.AllFields
	}
	key := kit.Key(ref.Publication)
	w.note.Note = kit.Note{Version: noteVersion, ID: string(ref.Publication), Product: kit.ProductID(key)}
	w.plan()
	if p.Figures && (!complete || !held.OnSale || len(w.refused)+len(w.surplus) > 0 || kit.Unmade(w.wanted) ||
		ref.Reset != shopadapter.NoFields) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	if err = w.refused.None(p); len(w.wanted) > 0 {
		err = w.write(ctx, a, path(key))
	}
	listed := a.listed(w.held, w.note)
	return shopadapter.Listing{
		ID: listed.ID, URL: listed.URL, Variants: listed.Variants, Refused: w.refused, Kept: w.Kept(),
	}, err
}

// write writes what differs, with the note that speaks of it in the same request, and puts the product on
// sale: a call whose answer was lost finds what it made.
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

// plan says which variants the shop shall have. Refuse here what your shop cannot sell, and bring
// prices to the form in which it takes them.
func (w *write) plan() {
	planned := kit.Fit(w.p, w.refused, func(v shopadapter.Variant) ([]string, string) {
		switch {
		case v.Price == "0.00":
			return nil, "nothing is free in the toy shop"
		case w.p.Figures:
			return []string{v.ID}, ""
		}
		return kit.Chosen(v, w.p.Options)
	})
	key := func(held *variant) string { return held.Reference }
	fits := func(*variant, kit.Planned) bool { return true } // each can become any other
	w.wanted, w.surplus = kit.Match(planned, w.held.Variants, key, fits)
}

// planTexts decides which texts to write: one that the merchant edited stays. The toy shop shows
// pictures from where they are; one that takes them in is given them first, see kit.Library.
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

// variants are all that the product is to have. The toy shop deletes those that the list leaves out, so the
// merchant's own are in it.
func (w *write) variants() (list []variant) {
	structural := len(w.surplus) > 0 || kit.Unmade(w.wanted) || w.Changed.Has(shopadapter.FieldVariants)
	for _, v := range w.wanted {
		next, changed := variant{Reference: v.ID}, shopadapter.AllFields
		if v.Held != nil {
			next, changed = *v.Held, w.Changed
		}
		if structural && !w.p.Figures {
			next.SKU, next.Options = v.SKU, map[string]string{}
			for i, name := range w.p.Options {
				next.Options[name] = v.Values[i]
			}
		}
		if changed.Has(shopadapter.FieldPrice) {
			next.Price = v.Price
		}
		if changed.Has(shopadapter.FieldStock) {
			next.Stock, next.Backorders = v.Quantity, v.Backorders
		}
		list = append(list, next)
	}
	for _, own := range w.held.Variants {
		if own.Reference == "" {
			list = append(list, own)
		}
	}
	return list
}
