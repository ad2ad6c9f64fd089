package medusa

import (
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A write is one call of Publish under way.
type write struct {
	a       *Adapter
	shop    shop
	ref     shopadapter.Ref
	product shopadapter.Product
	held    *product // without an ID: not made yet

	stamp.Merge
	note     note
	fields   input // to write of the product itself
	options  []wantedOption
	variants []wantedVariant
	fresh    map[string]bool   // variant ids that this call made
	refused  variants.Refused  // by variant id
	sold     map[string]string // variant id -> the shop's id
	clash    error             // a variant has the SKU of another product: the merchant mends that, and the product is not put on sale before
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order of its steps.
func (a *Adapter) Publish(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) (shopadapter.Listing, error) {
	s, err := a.shop(ctx, ref.Asked)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	own, err := a.find(ctx, ref, wholeFields)
	switch {
	case err != nil:
		return shopadapter.Listing{}, err
	case len(own) == 0 && ref.Listing != "":
		return shopadapter.Listing{}, shopadapter.ErrGone
	case len(own) == 0:
		own = make([]product, 1)
	case ref.OnSale && !own[0].onSale(s.channel):
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	w := &write{
		a: a, shop: s, ref: ref, product: p, held: &own[0], Merge: stamp.NewMerge(ref, changed), fields: input{},
		fresh: map[string]bool{}, refused: variants.Refused{}, sold: map[string]string{},
	}
	w.note, _ = w.held.note()
	w.note.Version, w.note.ID = noteVersion, string(ref.Publication)
	if w.Own, w.Unsure = !w.note.complete(), w.note.Pending; w.Own {
		w.Changed = shopadapter.AllFields
	}
	err = step.Run(ctx, w.planVariants, w.planProduct, w.create, w.writeVariants, w.writeTranslations, w.finish)
	for _, stray := range own[1:] {
		if err == nil {
			err = a.deleteProduct(ctx, stray.ID)
		}
	}
	return shopadapter.Listing{
		ID: shopadapter.ListingID(w.held.ID), URL: a.storefront.Page(w.held.Handle), Variants: w.sold, Refused: w.refused, Kept: w.Kept(),
	}, err
}

// planProduct says what to write of the product itself. The note is brought to what the shop holds afterwards.
func (w *write) planProduct(ctx context.Context) error {
	held, p := w.held, w.product
	w.planText(&w.note.textNote, shopadapter.FieldTitle, held.Translation, shopadapter.Translation{Title: p.Title, Description: p.Description}, w.fields)
	images, list := []string{}, []image{}
	for _, address := range p.Images {
		if !slices.Contains(images, address) {
			images, list = append(images, address), append(list, image{address})
		}
	}
	if w.decides(shopadapter.FieldImages, stamp.HashList(held.shown()), stamp.HashList(images), &w.note.Images) {
		w.fields["images"], w.fields["thumbnail"] = list, nil
		if len(images) > 0 {
			w.fields["thumbnail"] = images[0]
		}
	}
	handle := categoryHandle(p.Category)
	if w.decides(shopadapter.FieldCategory, stamp.HashList(held.categories()), stamp.HashList(handle), &w.note.Category) {
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

// decides is the merge's decision. While a write is pending the shop may still hold what it held before.
func (w *write) decides(group shopadapter.Fields, held, want stamp.Hash, last *stamp.Written) bool {
	write := w.Decide(group, held, want, last)
	if write {
		last.Instead(held)
	}
	return write
}

// shown are the addresses of a product's pictures, the thumbnail first; it is not always among the others.
func (p *product) shown() []string {
	var list []string
	for _, i := range p.Images {
		list = append(list, i.URL)
	}
	if p.Thumbnail != "" && (len(list) == 0 || list[0] != p.Thumbnail) {
		list = append([]string{p.Thumbnail}, list...)
	}
	return list
}

// create makes the draft where there is none, with the options that its variants will need.
func (w *write) create(ctx context.Context) error {
	if w.held.ID != "" {
		return nil
	}
	options := []input{}
	for _, o := range w.options {
		options = append(options, o.input())
	}
	w.note.Options = w.optionTitles()
	whole := input{
		"title": w.product.Title, "handle": handle(w.product.Title, w.ref.Publication), "external_id": stamp.Key(w.ref.Publication), "status": draft,
		"shipping_profile_id": w.shop.profile, "options": options, "metadata": w.marks(),
	}
	maps.Copy(whole, w.fields)
	made, err := w.a.post(ctx, "create product", "products", query{"fields": wholeFields}, whole)
	if taken(err, "handle") {
		// A creation of the same product is under way, or came through without its answer: the next call finds it.
		return shopadapter.Retry("the product is there already: %w", err)
	}
	if err == nil {
		w.held = &made.Product
		w.readBack() // finish writes the stamp
		w.fields = input{}
	}
	return err
}

// announce writes the stamp alone, ahead of a step that is not part of the product. Until finish it says that a write is pending.
func (w *write) announce(ctx context.Context) error {
	w.note.Pending = true
	if w.held.Metadata.mark() == stamp.Encode(w.note) {
		return nil
	}
	return w.update(ctx, nil)
}

// finish writes what differs of the product itself, and puts it on sale.
func (w *write) finish(ctx context.Context) error {
	if w.held.Status != published {
		if w.clash != nil {
			return w.clash
		}
		w.fields["status"] = published
	}
	w.note.Product, w.note.Pending, w.note.Options = w.held.ID, false, w.optionTitles()
	w.note.certain()
	if len(w.fields) > 0 || !w.marked() {
		if err := w.update(ctx, w.fields); err != nil {
			return err
		}
	}
	if w.readBack() {
		if err := w.update(ctx, nil); err != nil {
			return err
		}
	}
	return w.clash
}

// readBack notes how the shop holds the texts just written, and reports whether the stamp has to be written once more. A Medusa with hooks of its owner's
// may store another text than the one sent.
func (w *write) readBack() bool {
	_, title := w.fields["title"]
	_, description := w.fields["description"]
	rewritten := title && w.note.Title.ReadBack(stamp.HashText(w.held.Title))
	return description && w.note.Description.ReadBack(stamp.HashText(w.held.Description)) || rewritten
}

// update writes fields of the product together with the stamp that speaks of them.
func (w *write) update(ctx context.Context, fields input) error {
	whole := input{"metadata": w.marks()}
	maps.Copy(whole, fields)
	got, err := w.a.post(ctx, "update product", "products/"+w.held.ID, query{"fields": briefFields + ",title,description"}, whole)
	if err == nil {
		now := got.Product
		w.held.Status, w.held.Metadata, w.held.Handle, w.held.Translation = now.Status, now.Metadata, now.Handle, now.Translation
	}
	return err
}
