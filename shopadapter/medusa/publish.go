package medusa

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A write is one call of Publish. After a call that broke off the next one finds what was made by its marks.
type write struct {
	kit.Merge
	a    *Adapter
	ref  shopadapter.Ref
	p    shopadapter.Product // with the shop's prices
	shop shop

	held       *product // no ID: not made yet
	note       note     // the shop's, then the one to leave
	complete   bool     // before this call
	staysDraft bool

	fields input    // to write
	told   metadata // to write

	options []kit.Axis  // in the merchant's words
	choices []kit.Known // names after this write
	planned []kit.Planned
	wanted  []kit.Wanted[variant]
	surplus []*variant // ours, not wanted or unfit
	refused kit.Refused
	fresh   map[string]bool // made by this call
	unclear error           // why options and variants must stay, or nil
	clash   error           // for the merchant to mend; keeps a draft off sale
}

// Publish is [shopadapter.Adapter].
func (a *Adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	w := &write{
		Merge: kit.NewMerge(ref, changed), a: a, ref: ref, p: p, held: &product{}, fields: input{}, refused: kit.Refused{},
	}
	if err := w.find(ctx); err != nil {
		return shopadapter.Listing{}, err
	}
	onSale := w.onSale()
	if err := ref.Drift(w.held.ID != "", onSale); err != nil {
		return shopadapter.Listing{}, err
	}
	w.staysDraft = p.Draft && !onSale
	var err error
	if !p.Figures {
		err = w.publish(ctx)
	} else if err = w.restock(ctx); errors.Is(err, shopadapter.ErrWhole) {
		return shopadapter.Listing{}, err
	}
	l := a.listing(w.held)
	l.Variants, l.Refused, l.Kept, l.Draft = w.made(), w.refused, w.Kept(), w.staysDraft
	return l, err
}

func (w *write) onSale() bool { return w.held.onSale(w.shop.channel) }

func (w *write) find(ctx context.Context) (err error) {
	if w.shop, err = w.a.shop.Get(ctx, w.ref.Asked); err != nil {
		return err
	}
	w.p = w.shop.prices.Product(w.p)
	all, err := w.a.find(ctx, w.ref, wholeFields)
	if err != nil {
		return err
	}
	switch len(all) {
	case 0:
	case 1:
		w.held = all[0]
	default: // a late creation with an older title: equal titles give equal handles
		return shopadapter.Block("the products %s and %s are both this publication's: delete the one that you do not "+
			"want, then retry", all[0].ID, all[1].ID)
	}
	w.note, _ = w.held.note()
	damaged := w.held.ID != "" && w.note.Version != noteVersion
	w.note.Version, w.note.ID = noteVersion, string(w.ref.Publication)
	w.complete, w.choices = w.note.complete(), w.note.Choices
	w.Unsure = true // translations follow the note, so the shop may hold an earlier one
	if w.Own = !w.complete && !damaged; !w.complete {
		w.Changed = shopadapter.AllFields
	}
	return nil
}

func (w *write) publish(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		w.plan, w.planProduct, w.create, w.vary, w.translate, w.sell,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return w.clash
}

// restock writes figures alone, or returns ErrWhole: it is off sale, was never complete, or has other variants.
func (w *write) restock(ctx context.Context) error {
	w.Changed &= shopadapter.FieldPrice | shopadapter.FieldStock
	if !w.complete || !w.onSale() || w.ref.Reset != shopadapter.NoFields || w.plan(ctx) != nil ||
		len(w.refused)+len(w.surplus) > 0 || kit.Unmade(w.wanted) {
		return shopadapter.ErrWhole
	}
	if err := w.send(ctx, "update", false); err != nil {
		return err
	}
	return w.stock(ctx)
}

func (w *write) planProduct(ctx context.Context) error {
	held, p := w.held, w.p
	want := shopadapter.Translation{Title: p.Title, Description: p.Description}
	w.fields = w.DecideText(shopadapter.FieldTitle, held.Translation, want, &w.note.Text)
	w.planSizes()
	images := p.Pictures()
	if w.Decide(shopadapter.FieldImages, kit.HashList(held.shown()), kit.HashList(images), &w.note.Images) {
		shown := kit.Each(images, func(address string) input { return input{"url": address} })
		if w.fields["images"], w.fields["thumbnail"] = shown, nil; len(images) > 0 {
			w.fields["thumbnail"] = images[0]
		}
	}
	handle := categoryHandle(p.Category)
	if w.Decide(shopadapter.FieldCategory, kit.HashList(held.categories()), kit.HashList(handle), &w.note.Category) {
		w.a.categories.Lock()
		defer w.a.categories.Unlock()
		list := []id{}
		for _, h := range handle {
			found, err := w.a.category(ctx, h, p.Category)
			if err != nil {
				return err
			}
			list = append(list, id{found})
		}
		w.fields["categories"] = list
	}
	if !slices.Contains(held.Channels, id{w.shop.channel}) {
		w.fields["sales_channels"] = append(slices.Clone(held.Channels), id{w.shop.channel})
	}
	return nil
}

// create makes the draft with options and note in one request. The handle's digest makes it unique.
func (w *write) create(ctx context.Context) error {
	if w.held.ID != "" {
		return nil
	}
	handle := slug.ASCII(w.p.Title, 60) + "-" + kit.Digest(string(w.ref.Publication), 5)
	whole := input{
		"title": w.p.Title, "handle": strings.TrimPrefix(handle, "-"), "external_id": kit.Key(w.ref.Publication),
		"status": draft, "shipping_profile_id": w.shop.profile, "options": optionInputs(w.options), "metadata": w.marks(),
	}
	maps.Copy(whole, w.fields)
	made, err := w.a.post(ctx, "create product", "products", wholeFields, whole)
	if taken(err, "handle") { // a creation is under way, or its answer was lost
		return shopadapter.Retry("the product is there already: %w", err)
	}
	if err == nil {
		w.held = &made.Product
		w.note.ReadBack(w.fields, w.held.Translation) // sell writes the note
		w.fields, w.told = input{}, nil
	}
	return err
}

func (w *write) marks() metadata {
	marks := metadata{mark: kit.Encode(w.note)}
	maps.Copy(marks, w.told)
	return marks
}

func (w *write) sell(ctx context.Context) error {
	if w.clash != nil && !w.onSale() {
		return w.clash
	}
	if w.held.Status != published && !w.staysDraft {
		w.fields["status"] = published
	}
	w.note.Product, w.note.Choices = kit.ProductID(w.held.ID), w.choices
	err := w.put(ctx)
	if err == nil && !w.onSale() && !w.staysDraft {
		err = shopadapter.Retry("the shop did not put the product on sale")
	}
	return err
}

// put writes the product's changes with their note. An owner's hooks may alter a text: the note then says so.
func (w *write) put(ctx context.Context) error {
	sent, marks := w.fields, w.marks()
	if len(sent)+len(w.told) == 0 && marks[mark] == w.held.Metadata.text(mark) {
		return nil
	}
	sent["metadata"], w.fields, w.told = marks, input{}, nil
	if err := w.update(ctx, sent); err != nil || !w.note.ReadBack(sent, w.held.Translation) {
		return err
	}
	return w.update(ctx, input{"metadata": w.marks()})
}

func (w *write) update(ctx context.Context, fields input) error {
	got, err := w.a.post(ctx, "update product", "products/"+w.held.ID, textFields, fields)
	if err == nil {
		got.Product.Options, got.Product.Variants = w.held.Options, w.held.Variants
		w.held = &got.Product
	}
	return err
}

// Unpublish makes the product a draft, or deletes it with its variants, options, quantities and translations.
func (a *Adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	own, err := a.find(ctx, ref, briefFields)
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.remove(ctx, p.ID)
		case p.Status != draft:
			err = a.withhold(ctx, p.ID)
		}
	}
	return "", err
}

// withhold takes a product off sale, and leaves its note alone.
func (a *Adapter) withhold(ctx context.Context, id string) error {
	_, err := a.post(ctx, "withhold product", "products/"+id, "id", input{"status": draft})
	return err
}

// remove deletes translations first: Medusa would keep them, and without the product they cannot be found.
func (a *Adapter) remove(ctx context.Context, id string) error {
	held, err := a.translationsOf(ctx, id)
	if ids := kit.Each(held, func(t translation) string { return t.ID }); err == nil && len(ids) > 0 {
		_, err = a.post(ctx, "delete translations", "translations/batch", "", input{"delete": ids})
	}
	if err != nil {
		return err
	}
	return a.call(ctx, "delete product", http.MethodDelete, "products/"+id, nil, nil, &answer{})
}
