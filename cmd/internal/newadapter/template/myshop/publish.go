package myshop

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A write is one call of Publish. A call may end behind any of its requests: the next one finds the
// product by its key, and writes what differs. The toy shop takes a product whole. Where yours takes
// variants in requests of their own, they go between the draft and the request that sells.
type write struct {
	kit.Merge
	a       *adapter
	p       shopadapter.Product
	held    *product // as the shop answered last; without an ID: not made yet
	note    note
	refused kit.Refused
	wanted  []kit.Wanted[variant]
	surplus []*variant // ours in the shop that are not wanted
	send    map[string]any
}

// Publish makes the shop's product equal to p and puts it on sale. Where the figures of p alone are
// known, it writes price and stock and nothing else.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	w := &write{
		Merge: kit.NewMerge(ref, changed), a: a, p: p, held: &product{}, refused: kit.Refused{}, send: map[string]any{},
	}
	found, err := a.find(ctx, ref.Publication)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	var candidates []kit.Candidate
	for _, p := range found {
		n := p.note()
		candidates = append(candidates, kit.Candidate{
			ID: p.ID, Complete: n.Product != "", Untouched: !p.OnSale && n.Holds(p.texts()),
		})
	}
	i, strays := kit.Pick(ref, candidates)
	if i >= 0 {
		w.held, w.note = found[i], found[i].note()
	}
	if err := ref.Drift(i >= 0, w.held.OnSale); err != nil {
		return shopadapter.Listing{}, err
	}
	complete := w.note.Product != ""
	if w.Own = !complete && (i < 0 || w.note.Version == noteVersion); !complete {
		w.Changed = shopadapter.AllFields
	}
	w.note.Version, w.note.ID = noteVersion, string(ref.Publication)
	w.plan()
	if p.Figures && (!complete || !w.held.OnSale || len(strays)+len(w.refused)+len(w.surplus) > 0 ||
		kit.Unmade(w.wanted) || ref.Reset != shopadapter.NoFields) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	if err = w.refused.None(p); len(w.wanted) > 0 {
		err = w.write(ctx)
	}
	for _, stray := range strays { // drafts of late creations
		if err == nil {
			err = a.call(ctx, http.MethodDelete, path(stray), nil, nil)
		}
	}
	return w.listing(), err
}

// write makes the product where there is none: out of sale, with the key and the note in the same
// request, so that a call whose answer was lost finds what it made. It writes what differs, with the
// note that speaks of it, and puts the product on sale.
func (w *write) write(ctx context.Context) error {
	if !w.p.Figures {
		w.planTexts()
	}
	w.planVariants()
	if w.held.ID == "" {
		w.send["title"], w.send["key"], w.send["note"] = w.p.Title, kit.Key(w.p.ID), kit.Encode(w.note)
		if err := w.put(ctx, http.MethodPost, "/api/products"); err != nil {
			return err
		}
	}
	if !w.held.OnSale {
		w.send["onSale"] = true
	}
	w.note.Product = kit.ProductID(w.held.ID)
	if encoded := kit.Encode(w.note); encoded != w.held.Note {
		w.send["note"] = encoded
	}
	if len(w.send) > 0 {
		if err := w.put(ctx, http.MethodPatch, path(w.held.ID)); err != nil {
			return err
		}
	}
	if !w.held.OnSale {
		return shopadapter.Retry("the shop did not put the product on sale")
	}
	return nil
}

func (w *write) put(ctx context.Context, method, path string) error {
	var made product
	if err := w.a.call(ctx, method, path, w.send, &made); err != nil {
		return err
	}
	if made.ID == "" {
		return shopadapter.Retry("the shop answered without a product")
	}
	w.held, w.send = &made, map[string]any{}
	return nil
}

// planTexts decides which texts to write: one that the merchant edited stays. The toy shop shows
// pictures from where they are; one that takes them in is given them first, see kit.Library.
func (w *write) planTexts() {
	title, held := shopadapter.FieldTitle, w.held
	w.send = w.DecideText(title, held.texts(), shopadapter.Translation{
		Title: w.p.Title, Description: w.p.Description,
	}, &w.note.Text)
	category, images := w.p.Category.Label(), w.p.Pictures()
	if w.Decide(shopadapter.FieldCategory, kit.HashText(held.Category), kit.HashText(category), &w.note.Category) {
		w.send["category"] = category
	}
	if w.Decide(shopadapter.FieldImages, kit.HashList(held.Images), kit.HashList(images), &w.note.Images) {
		w.send["images"] = images
	}
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	made := map[string]string{}
	for _, v := range w.held.Variants {
		if v.Reference != "" {
			made[v.Reference] = v.ID
		}
	}
	return shopadapter.Listing{
		ID: shopadapter.ListingID(w.held.ID), URL: w.a.page(w.held), Variants: shopadapter.Made(made),
		Refused: w.refused, Kept: w.Kept(),
	}
}

// Unpublish takes the product out of sale, or deletes it.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (said string, err error) {
	own, err := a.find(ctx, ref.Publication)
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.call(ctx, http.MethodDelete, path(p.ID), nil, nil)
		case p.OnSale:
			err = a.call(ctx, http.MethodPatch, path(p.ID), map[string]any{"onSale": false}, nil)
		}
	}
	return "", err
}
