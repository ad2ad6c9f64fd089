package vendure

import (
	"context"
	"maps"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A write is one call of Publish under way.
type write struct {
	a       *Adapter
	view    view
	key     string
	product shopadapter.Product

	stamp.Merge
	stamp    productStamp
	rows     []row
	names    map[string]string // by language, the product's name as the shop holds it after the call
	groups   []wantedGroup
	foreign  string // code of an option group that somebody else put on the product
	variants variants.List[variant]
	prices   map[string]int64 // by variant id, in minor units
	refused  variants.Refused
	made     map[string]string // variant id -> the shop's id
	missing  []shopadapter.Picture
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order
// of its steps and for what is written.
func (a *Adapter) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	w, err := a.begin(ctx, ref, p, changed)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	err = w.run(ctx, ref)
	return w.listing(), err
}

// begin reads what the shop has of the publication. The error says so where somebody deleted or hid
// it there.
func (a *Adapter) begin(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (*write, error) {
	view, err := a.readProduct(ctx, ref)
	if err != nil {
		return nil, err
	}
	if err := ref.Drift(view.product != nil, view.product != nil && view.product.Enabled); err != nil {
		return nil, err
	}
	prices, err := a.pricesIn(view.channel, view.precision)
	if err != nil {
		return nil, err
	}
	return &write{
		a: a, view: view, key: stamp.Key(ref.Publication), product: prices.Product(p), Merge: stamp.NewMerge(ref, changed),
		refused: variants.Refused{}, made: map[string]string{}, names: map[string]string{}, prices: map[string]int64{},
		rows: rows(p, view.channel),
	}, nil
}

func (w *write) run(ctx context.Context, ref shopadapter.Ref) error {
	if n := len(w.product.Options); n > maxGroups {
		return shopadapter.Reject("the product has %d options, and no more than %d are possible", n, maxGroups)
	}
	w.planVariants()
	if len(w.variants) == 0 {
		return w.refused.None(w.product)
	}
	if err := w.fits(); err != nil {
		return err
	}
	if w.view.product == nil {
		if err := w.create(ctx, ref.Publication); err != nil {
			return err
		}
	} else {
		w.stamp = readStamp(w.view.product.CustomFields.PubsyncStamp)
		if w.stamp.Head = newStamp(ref.Publication).Head; w.stamp.Text == nil {
			w.stamp.Text = map[string]textStamp{}
		}
	}
	if !w.stamp.complete() {
		w.Changed = shopadapter.AllFields
	}
	if w.stamp.Missing {
		w.Changed |= shopadapter.FieldImages
	}
	texts := w.planText(w.view.product.Translations)
	if err := w.writeVariants(ctx); err != nil {
		return err
	}
	if err := w.finish(ctx, texts); err != nil {
		return err
	}
	for _, id := range w.view.strays {
		if err := w.a.deleteProduct(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// create makes the draft: the default language and the stamp, in one call.
func (w *write) create(ctx context.Context, id shopadapter.PublicationID) error {
	first := w.rows[0]
	w.stamp = newStamp(id)
	w.stamp.wrote(first.language, first.name, first.description)
	var answer struct {
		CreateProduct product `json:"createProduct"`
	}
	err := w.a.call(ctx, createProductDocument, map[string]any{"input": input{
		"enabled": false,
		"translations": []input{{
			"languageCode": first.language, "name": first.name, "description": first.description, "slug": slugFor(first.name, w.key),
		}},
		"customFields": input{"pubsyncId": w.key, "pubsyncStamp": stamp.Encode(w.stamp)},
	}}, &answer)
	if err != nil {
		return step.Within("create product", err)
	}
	w.view.product = &answer.CreateProduct
	if held := rowIn(answer.CreateProduct.Translations, first.language); held != nil {
		w.stamp.wrote(first.language, held.Name, held.Description)
	}
	return nil
}

// finish writes what the product itself holds, and puts it on sale. A text that does not fit beside
// the others gets a call of its own, whose stamp knows of it and of nothing later.
func (w *write) finish(ctx context.Context, texts []input) error {
	before := readStamp(w.view.product.CustomFields.PubsyncStamp)
	runs := parts(texts, len(texts)+1)
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
	fields := input{}
	if len(runs) == 1 {
		fields["translations"] = runs[0]
	}
	if err := w.planImages(ctx, fields); err != nil {
		return err
	}
	if err := w.planCategory(ctx, fields); err != nil {
		return err
	}
	w.planDelivery(fields)
	w.stamp.Product = w.view.product.ID
	if !w.view.product.Enabled {
		fields["enabled"] = true
	}
	if have := w.view.product.CustomFields.PubsyncStamp; len(fields) == 0 && have != nil &&
		*have == stamp.Encode(w.stamp) {
		return nil
	}
	if err := w.update(ctx, fields, w.stamp); err != nil {
		return err
	}
	return w.readBack(ctx, texts)
}

// readBack looks at how the shop holds the texts just written. A shop with a plugin that rewrites
// text reads back something else than was sent. The stamp has to know that form: otherwise it would
// be taken for the merchant's edit.
func (w *write) readBack(ctx context.Context, texts []input) error {
	changed := false
	for _, text := range texts {
		language, _ := text["languageCode"].(string)
		held := rowIn(w.view.product.Translations, language)
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
	change := input{"id": w.view.product.ID}
	maps.Copy(change, fields)
	own := input{"pubsyncStamp": stamp.Encode(s)}
	if others, ok := fields[custom].(input); ok {
		maps.Copy(own, others)
	}
	change[custom] = own
	var answer struct {
		UpdateProduct struct {
			Enabled      bool          `json:"enabled"`
			Translations []translation `json:"translations"`
			Assets       []node        `json:"assets"`
		} `json:"updateProduct"`
	}
	if err := w.a.call(ctx, updateProductDocument, map[string]any{"input": change}, &answer); err != nil {
		return step.Within("update product", err)
	}
	encoded := stamp.Encode(s)
	w.view.product.CustomFields.PubsyncStamp = &encoded
	w.view.product.Enabled = answer.UpdateProduct.Enabled
	w.view.product.Translations = answer.UpdateProduct.Translations
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

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Variants: w.made, Refused: w.refused, Kept: w.Kept(), Missing: w.missing}
	if p := w.view.product; p != nil {
		l.ID = shopadapter.ListingID(p.ID)
		l.URL = w.a.storefront.Page(slugOf(p.Translations, w.view.channel.Language))
	}
	return l
}
