package vendure

import (
	"context"
	"maps"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A write is one call of Publish under way.
type write struct {
	*skeleton.Write[variant]
	a    *Adapter
	view view
	held *product // as the shop holds it, nil until it is made
	key  string

	stamp   productStamp
	rows    []row
	texts   []input           // to write of the rows
	fields  input             // to write of the product itself, beside its texts
	names   map[string]string // by language, the product's name as the shop holds it after the call
	groups  []wantedGroup
	surplus []optionGroup             // groups of ours that are no longer wanted
	foreign string                    // code of an option group that somebody else put on the product
	prices  map[string]int64          // by variant id, in minor units
	details map[string]map[string]any // by Vendure's id of a variant, the custom fields that it holds
}

var _ interface {
	skeleton.Shop[variant]
	skeleton.Varying[variant]
	skeleton.Picturing
} = (*write)(nil)

func (a *Adapter) open(w *skeleton.Write[variant]) *write {
	w.Clean = a.scrub
	return &write{
		Write: w, a: a, key: stamp.Key(w.Ref.Publication), fields: input{},
		names: map[string]string{}, prices: map[string]int64{},
	}
}

// Publish makes the product equal to p and puts it on sale, in the order of package skeleton.
func (a *Adapter) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	return skeleton.Publish(ctx, ref, p, changed, a.open)
}

// Find reads what the shop has of the publication, and the channel.
func (w *write) Find(ctx context.Context) (found skeleton.Found[variant], err error) {
	declared := map[string]any{"declared": !w.Figures}
	if w.view, err = w.a.read(ctx, readDocument, w.Ref, declared); err != nil {
		return found, err
	}
	if err := w.a.expect(w.view.channel); err != nil {
		return found, err
	}
	w.rows, w.stamp = rows(w.Product, w.view.channel), newStamp(w.Ref.Publication)
	if w.held, found.Strays = skeleton.Pick(w.Ref, w.view.products, (*product).candidate); w.held != nil {
		s := w.held.stamp()
		found.ID, found.Complete, found.Damaged = w.held.ID, s.Complete(), s.Version != stampVersion
		found.Variants = w.held.Variants
		if w.held.key() == "" { // to be written whole, with the merchant's edits as far as they are known
			found.Complete, found.Damaged = false, true
		}
		if s.Head = w.stamp.Head; s.Text == nil {
			s.Text = w.stamp.Text
		}
		w.stamp = s
	}
	return found, nil
}

// OnSale reports whether the product is enabled.
func (w *write) OnSale() bool { return w.held != nil && w.held.Enabled }

// Listing is what is known of the product.
func (w *write) Listing() shopadapter.Listing {
	if w.held == nil {
		return shopadapter.Listing{}
	}
	return shopadapter.Listing{
		ID:    shopadapter.ListingID(w.held.ID),
		URL:   w.a.storefront.Page(slugOf(w.held.Translations, w.view.channel.Language)),
		State: stateOf(w.held.ID),
	}
}

// Draft makes the product where there is none, and says which texts to write.
func (w *write) Draft(ctx context.Context) error {
	if err := w.fits(); err != nil {
		return err
	}
	if w.held == nil {
		if err := w.create(ctx); err != nil {
			return err
		}
	}
	if w.stamp.Missing {
		w.Changed |= shopadapter.FieldImages
	}
	w.texts = w.planText(w.held.Translations)
	return w.readDetails(ctx)
}

// create makes the draft: the default language and the stamp, in one call.
func (w *write) create(ctx context.Context) error {
	first := w.rows[0]
	w.stamp.wrote(first.language, first.name, first.description)
	var answer struct {
		CreateProduct product `json:"createProduct"`
	}
	err := w.a.call(ctx, createProductDocument, map[string]any{"input": input{
		"enabled": false,
		"translations": []input{{
			"languageCode": first.language, "name": first.name, "description": first.description,
			"slug": slugFor(first.name, w.key),
		}},
		"customFields": input{"pubsyncId": w.key, "pubsyncStamp": stamp.Encode(w.stamp)},
	}}, &answer)
	if err != nil {
		return step.Within("create product", err)
	}
	w.held = &answer.CreateProduct
	if held := rowIn(answer.CreateProduct.Translations, first.language); held != nil {
		w.stamp.wrote(first.language, held.Name, held.Description)
	}
	return nil
}

// Sell writes what the product itself holds, and puts it on sale. A text that does not fit beside
// the others gets a call of its own, whose stamp knows of it and of nothing later.
func (w *write) Sell(ctx context.Context) error {
	before, fields := w.held.stamp(), w.fields
	runs := parts(w.texts, len(w.texts)+1)
	for len(runs) > 1 {
		if before.Text == nil {
			before.Text = map[string]textStamp{}
		}
		for _, text := range runs[0] {
			language, _ := text["languageCode"].(string)
			before.Text[language] = w.stamp.Text[language]
		}
		before.Head = w.stamp.Head
		if err := w.update(ctx, input{"translations": runs[0]}, before); err != nil {
			return err
		}
		runs = runs[1:]
	}
	if len(runs) == 1 {
		fields["translations"] = runs[0]
	}
	if err := w.planFacets(ctx, fields); err != nil {
		return err
	}
	w.stamp.Product = w.held.ID
	if !w.held.Enabled && !w.StaysDraft {
		fields["enabled"] = true
	}
	if have := w.held.CustomFields.PubsyncStamp; len(fields) == 0 && w.held.key() != "" && have != nil &&
		*have == stamp.Encode(w.stamp) {
		return nil
	}
	if err := w.update(ctx, fields, w.stamp); err != nil {
		return err
	}
	return w.readBack(ctx)
}

// readBack looks at how the shop holds the texts just written. A shop with a plugin that rewrites
// text reads back something else than was sent. The stamp has to know that form: otherwise it would
// be taken for the merchant's edit.
func (w *write) readBack(ctx context.Context) error {
	changed := false
	for _, text := range w.texts {
		language, _ := text["languageCode"].(string)
		held := rowIn(w.held.Translations, language)
		if held == nil {
			continue
		}
		known := w.stamp.Text[language]
		if _, ok := text["name"]; ok && known.Name.ReadBack(stamp.HashText(held.Name)) {
			changed = true
		}
		if _, ok := text["description"]; ok && known.Description.ReadBack(stamp.HashText(held.Description)) {
			changed = true
		}
		w.stamp.Text[language] = known
	}
	if !changed {
		return nil
	}
	return w.update(ctx, input{}, w.stamp)
}

// update writes fields of the product together with the stamp that speaks of them.
func (w *write) update(ctx context.Context, fields input, s productStamp) error {
	change := input{"id": w.held.ID}
	maps.Copy(change, fields)
	own := input{"pubsyncStamp": stamp.Encode(s)}
	if w.held.key() == "" {
		own["pubsyncId"] = w.key
	}
	if others, ok := fields[custom].(input); ok {
		maps.Copy(own, others)
	}
	change[custom] = own
	var answer struct {
		UpdateProduct struct {
			Enabled      bool          `json:"enabled"`
			Translations []translation `json:"translations"`
			Assets       []node        `json:"assets"`
			FacetValues  []facetValue  `json:"facetValues"`
		} `json:"updateProduct"`
	}
	if err := w.a.call(ctx, updateProductDocument, map[string]any{"input": change}, &answer); err != nil {
		return step.Within("update product", err)
	}
	encoded := stamp.Encode(s)
	w.held.CustomFields = customFields{&w.key, &encoded}
	w.held.Enabled, w.held.FacetValues = answer.UpdateProduct.Enabled, answer.UpdateProduct.FacetValues
	w.held.Translations = answer.UpdateProduct.Translations
	return nil
}

// fits refuses a product whose text no request can hold, before anything is made of it.
func (w *write) fits() error {
	for _, r := range w.rows {
		if n := size(r.name) + size(r.description) + size(slugFor(r.name, w.key)); n > maxRequest-2_000 {
			return shopadapter.Reject(
				"the text in language %s is too long for Vendure: %d KB, and one request may hold 100 KB",
				r.language,
				n/1000,
			)
		}
	}
	return nil
}

// Remove deletes a draft that a late creation left.
func (w *write) Remove(ctx context.Context, id string) error { return w.a.remove(ctx, id) }
