package vendure

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A write is one call of Publish. A call may end after any request; the next one finds what was made by its marks and
// writes what differs. The note stays true meanwhile: after create only sell writes what it describes.
type write struct {
	kit.Merge
	a    *Adapter
	ref  shopadapter.Ref
	p    shopadapter.Product // with the shop's prices
	key  string
	view view

	held       *product // in the shop; nil until it is made
	note       note     // to write
	strays     []string // drafts of late creations
	complete   bool     // before this call
	staysDraft bool

	rows    []kit.Row
	texts   []input           // to write
	names   map[string]string // of the product after this call, by language
	fields  input             // to write, besides texts
	missing []shopadapter.Picture

	planned  []kit.Planned
	wanted   []kit.Wanted[variant]
	surplus  []*variant // ours, not wanted
	refused  kit.Refused
	prices   map[string]int64 // by variant id, in minor units
	groups   []wantedGroup
	unneeded []optionGroup             // ours, not wanted
	foreign  string                    // code of somebody else's group on the product
	fillable map[string]customField    // for details, by their name
	details  map[string]map[string]any // custom fields in the shop, by its variant id
}

// Publish is [shopadapter.Adapter].
func (a *Adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	w := &write{
		Merge: kit.NewMerge(ref, changed), a: a, ref: ref, p: p, key: kit.Key(ref.Publication),
		names: map[string]string{}, fields: input{}, prices: map[string]int64{}, refused: kit.Refused{},
	}
	if err := w.find(ctx); err != nil {
		return shopadapter.Listing{}, err
	}
	onSale := w.held != nil && w.held.Enabled
	if err := ref.Drift(w.held != nil, onSale); err != nil {
		return shopadapter.Listing{}, err
	}
	w.staysDraft = p.Draft && !onSale
	var err error
	if !p.Figures {
		err = w.publish(ctx)
	} else if err = w.restock(ctx); errors.Is(err, shopadapter.ErrWhole) {
		return shopadapter.Listing{}, err
	}
	return w.listing(), err
}

func (w *write) find(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var products []*product
	var err error
	if w.view, products, err = w.a.read(ctx, readDocument, w.ref, input{"declared": !w.p.Figures}); err != nil {
		return err
	}
	if err := w.a.expect(w.view.Channel); err != nil {
		return err
	}
	c := w.view.Channel
	w.rows = kit.Rows(w.p, c.Language, slices.Sorted(slices.Values(c.Languages)))
	w.fillable = detailFields(w.view.Global.ServerConfig.Declared)
	i, strays := kit.Pick(w.ref, kit.Each(products, (*product).candidate))
	if w.strays = strays; i < 0 {
		w.Own = true
	} else {
		w.held = products[i]
		w.note = w.held.note()
		// One that lost its key is written whole, with the merchant's known edits.
		w.complete = w.note.complete() && w.held.key() != ""
		w.Own = !w.note.complete() && w.note.Version == noteVersion && w.held.key() != ""
	}
	w.note.Version, w.note.ID = noteVersion, string(w.ref.Publication)
	if w.note.Text == nil {
		w.note.Text = map[string]kit.Text{}
	}
	if !w.complete {
		w.Changed = shopadapter.AllFields
	}
	return nil
}

func (w *write) publish(ctx context.Context) error {
	if err := w.plan(); err != nil {
		return err
	}
	if err := w.fits(); err != nil {
		return err
	}
	if w.held == nil {
		if err := w.create(ctx); err != nil {
			return err
		}
	}
	w.planText()
	for _, step := range []func(context.Context) error{w.readDetails, w.vary, w.pictures, w.sell} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if !w.held.Enabled && !w.staysDraft {
		return shopadapter.Retry("the shop did not put the product on sale")
	}
	for _, stray := range w.strays {
		if err := w.a.remove(ctx, stray); err != nil {
			return err
		}
	}
	return nil
}

// restock writes figures alone. It returns ErrWhole if the product is off sale, was never complete, has a stray
// draft or other variants than the figures.
func (w *write) restock(ctx context.Context) error {
	w.Changed &= shopadapter.FieldPrice | shopadapter.FieldStock
	if w.held == nil || !w.complete || !w.held.Enabled || len(w.strays) > 0 || w.ref.Reset != shopadapter.NoFields {
		return shopadapter.ErrWhole
	}
	if err := w.plan(); kit.Rejected(err) {
		return shopadapter.ErrWhole
	} else if err != nil {
		return err
	}
	if len(w.refused)+len(w.surplus) > 0 || kit.Unmade(w.wanted) {
		return shopadapter.ErrWhole
	}
	return w.change(ctx, false)
}

func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{
		Variants: w.made(), Refused: w.refused, Kept: w.Kept(), Missing: w.missing, Draft: w.staysDraft,
	}
	if w.held != nil {
		l.ID, l.State = shopadapter.ListingID(w.held.ID), []byte(w.held.ID)
		l.URL = w.a.url(w.held.Translations, w.view.Channel.Language)
	}
	return l
}

// create makes the draft and its note in one request.
func (w *write) create(ctx context.Context) error {
	first := w.rows[0]
	texts := shopadapter.Translation{Title: first.Title, Description: first.Description}
	w.note.Text[first.Locale] = kit.WrittenText(texts)
	var answer struct{ CreateProduct product }
	err := w.a.call(ctx, createProductDocument, input{"input": input{
		"enabled": false,
		"translations": []input{{
			"languageCode": first.Locale, "name": first.Title, "description": first.Description,
			"slug": slugFor(first.Title, w.key),
		}},
		"customFields": input{"pubsyncId": w.key, "pubsyncStamp": kit.Encode(w.note)},
	}}, &answer)
	if err != nil {
		return err
	}
	w.held = &answer.CreateProduct
	if held := rowIn(w.held.Translations, first.Locale); held != nil {
		w.note.Text[first.Locale] = kit.WrittenText(held.texts())
	}
	return nil
}

// sell writes the product's fields and the complete note, and puts it on sale.
func (w *write) sell(ctx context.Context) error {
	if len(w.texts) > 0 {
		w.fields["translations"] = w.texts
	}
	if err := w.planFacets(ctx); err != nil {
		return err
	}
	w.note.Product = kit.ProductID(w.held.ID)
	if !w.held.Enabled && !w.staysDraft {
		w.fields["enabled"] = true
	}
	if have := w.held.CustomFields.PubsyncStamp; len(w.fields) == 0 && w.held.key() != "" && have != nil &&
		*have == kit.Encode(w.note) {
		return nil
	}
	if err := w.update(ctx, w.fields); err != nil {
		return err
	}
	return w.readBack(ctx)
}

// update writes fields with their note in one request.
func (w *write) update(ctx context.Context, fields input) error {
	encoded := kit.Encode(w.note)
	own, change := input{"pubsyncStamp": encoded}, input{"id": w.held.ID}
	if w.held.key() == "" {
		own["pubsyncId"] = w.key
	}
	maps.Copy(change, fields)
	change["customFields"] = own
	var answer struct{ UpdateProduct product }
	if err := w.a.call(ctx, updateProductDocument, input{"input": change}, &answer); err != nil {
		return err
	}
	w.held.CustomFields = customFields{&w.key, &encoded}
	w.held.Enabled, w.held.Translations = answer.UpdateProduct.Enabled, answer.UpdateProduct.Translations
	return nil
}

func (w *write) made() []shopadapter.ListedVariant {
	return kit.Made(w.wanted, func(v *variant) string { return v.ID })
}

// Unpublish disables the product, or deletes it with its option groups. Pictures stay in the asset library.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (said string, err error) {
	_, products, err := a.read(ctx, findDocument, ref, input{})
	if err != nil {
		return "", err
	}
	key := kit.Key(ref.Publication)
	for _, p := range products {
		if how == shopadapter.Delete {
			err = a.remove(ctx, p.ID)
		} else if p.Enabled {
			err = goneIsDone(a.disable(ctx, p, key))
		}
		if err != nil {
			return "", err
		}
	}
	if how != shopadapter.Delete {
		return "", nil
	}
	// Vendure keeps the option groups when it deletes the product. Groups in use by another product stay.
	var codes []string
	for i := range maxGroups {
		codes = append(codes, groupCode(key, i))
	}
	found, err := a.findGroups(ctx, codes)
	if err != nil {
		return "", err
	}
	for _, g := range found {
		if err := a.deleteGroup(ctx, g.ID); err != nil {
			return "", err
		}
	}
	return "", nil
}

// disable takes a product off sale, leaves the note alone and restores a lost key.
func (a *Adapter) disable(ctx context.Context, p *product, key string) error {
	change := input{"id": p.ID, "enabled": false}
	if p.key() == "" {
		change["customFields"] = input{"pubsyncId": key}
	}
	return a.call(ctx, updateProductDocument, input{"input": change}, nil)
}

func (a *Adapter) remove(ctx context.Context, id string) error {
	var answer struct {
		DeleteProduct struct{ Result, Message string }
	}
	if err := goneIsDone(a.call(ctx, deleteProductDocument, input{"id": id}, &answer)); err != nil {
		return err
	}
	if said := answer.DeleteProduct; said.Result == "NOT_DELETED" {
		return shopadapter.Block("the shop does not delete the product %s: %s", id, a.wire.Clean(said.Message))
	}
	return nil
}
