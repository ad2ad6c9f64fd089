package medusa

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
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
	held    *product  // without an ID: not made yet
	strays  []product // drafts of the same publication that late creations left

	stamp.Merge
	note     note
	fields   input // to write of the product itself
	options  []variants.Choice
	planned  []variants.Planned
	variants variants.List[variant]
	fresh    map[string]bool  // variant ids that this call made
	refused  variants.Refused // by variant id
	unclear  error            // why options and variants stay as they are in the shop
	// a variant has the SKU of another product: the merchant mends that, and the product is not put
	// on sale before
	clash error
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order
// of its steps.
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
	err = step.Run(ctx, w.planVariants, w.planProduct, w.create, w.writeVariants, w.writeTranslations, w.finish)
	for _, stray := range w.strays {
		if err == nil {
			err = a.deleteProduct(ctx, stray.ID)
		}
	}
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
	s, err := a.shop.Get(ctx, ref.Asked)
	if err != nil {
		return nil, err
	}
	own, err := a.find(ctx, ref, rest.Fields[product]())
	if err == nil {
		err = ref.Drift(len(own) > 0, len(own) > 0 && own[0].onSale(s.channel))
	}
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		own = make([]product, 1)
	}
	w := &write{
		a: a, shop: s, ref: ref, product: s.prices.Product(p), held: &own[0], strays: own[1:], Merge: stamp.NewMerge(ref, changed),
		fresh: map[string]bool{}, refused: variants.Refused{},
	}
	w.note, _ = w.held.note()
	w.note.Version, w.note.ID = noteVersion, string(ref.Publication)
	if w.Own, w.Unsure, w.Ahead = !w.note.complete(), w.note.Pending, true; w.Own {
		w.Changed = shopadapter.AllFields
	}
	return w, nil
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	return shopadapter.Listing{
		ID: shopadapter.ListingID(
			w.held.ID,
		), URL: w.a.storefront.Page(w.held.Handle), Variants: w.sold(), Refused: w.refused, Kept: w.Kept(),
	}
}

// planProduct says what to write of the product itself. The note is brought to what the shop holds
// afterwards.
func (w *write) planProduct(ctx context.Context) error {
	held, p := w.held, w.product
	w.fields = w.DecideText(
		shopadapter.FieldTitle,
		held.Translation,
		shopadapter.Translation{Title: p.Title, Description: p.Description},
		&w.note.Text,
	)
	images := p.Pictures()
	if w.Decide(shopadapter.FieldImages, stamp.HashList(held.shown()), stamp.HashList(images), &w.note.Images) {
		shown := each.Of(images, func(address string) image { return image{address} })
		if w.fields["images"], w.fields["thumbnail"] = shown, nil; len(images) > 0 {
			w.fields["thumbnail"] = images[0]
		}
	}
	handle := categoryHandle(p.Category)
	if w.Decide(
		shopadapter.FieldCategory,
		stamp.HashList(held.categories()),
		stamp.HashList(handle),
		&w.note.Category,
	) {
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

// shown are the addresses of a product's pictures, the thumbnail first; it is not always among the
// others.
func (p *product) shown() []string {
	return each.Led(p.Thumbnail, each.Of(p.Images, func(i image) string { return i.URL }))
}

// create makes the draft where there is none, with the options that its variants will need.
func (w *write) create(ctx context.Context) error {
	if w.held.ID != "" {
		return nil
	}
	w.note.Options = variants.Names(w.options)
	marks, _ := w.marks()
	whole := input{
		"title": w.product.Title, "handle": w.handle(), "external_id": stamp.Key(w.ref.Publication), "status": draft,
		"shipping_profile_id": w.shop.profile, "options": optionInputs(w.options), "metadata": marks,
	}
	maps.Copy(whole, w.fields)
	made, err := w.a.api.Post(ctx, "create product", "products", query{"fields": rest.Fields[product]()}, whole)
	if taken(err, "handle") {
		// A creation of the same product is under way, or came through without its answer: the next
		// call finds it.
		return shopadapter.Retry("the product is there already: %w", err)
	}
	if err == nil {
		w.held = &made.Product
		w.note.ReadBack(w.fields, w.held.Translation) // finish writes the stamp
		w.fields = input{}
	}
	return err
}

// handle is the last part of the product's address: 60 characters of its title, and a digest of the
// publication, with which no two products share one.
func (w *write) handle() string {
	return strings.TrimPrefix(slug.ASCII(w.product.Title, 60)+"-"+stamp.Digest(string(w.ref.Publication), 5), "-")
}

// announce writes the stamp alone, ahead of a step that is not part of the product. Until finish it
// says that a write is pending.
func (w *write) announce(ctx context.Context) error {
	w.note.Pending = true
	if _, differ := w.marks(); !differ {
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
	w.note.Product, w.note.Pending = w.held.ID, false
	if w.unclear == nil {
		w.note.Options = variants.Names(w.options)
	}
	w.note.certain()
	if _, differ := w.marks(); differ || len(w.fields) > 0 {
		if err := w.update(ctx, w.fields); err != nil {
			return err
		}
	}
	// A Medusa with hooks of its owner's may store another text than the one sent.
	if w.note.ReadBack(w.fields, w.held.Translation) {
		if err := w.update(ctx, nil); err != nil {
			return err
		}
	}
	return w.clash
}

// update writes fields of the product together with the stamp that speaks of them.
func (w *write) update(ctx context.Context, fields input) error {
	marks, _ := w.marks()
	whole := input{"metadata": marks}
	maps.Copy(whole, fields)
	got, err := w.a.api.Post(ctx, "update product", "products/"+w.held.ID, query{"fields": rest.Fields[texts]()}, whole)
	if err == nil {
		w.held.texts = got.Product.texts
	}
	return err
}

// Unpublish makes the product a draft, or deletes it together with its variants, options,
// quantities and translations.
func (a *Adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	own, err := a.find(ctx, ref, rest.Fields[brief]())
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.deleteProduct(ctx, p.ID)
		case p.Status != draft:
			err = a.withhold(ctx, p.ID)
		}
	}
	return err
}

// withhold takes a product out of sale. The stamp stays as it is.
func (a *Adapter) withhold(ctx context.Context, id string) error {
	_, err := a.api.Post(ctx, "withhold product", "products/"+id, query{"fields": "id"}, input{"status": draft})
	return err
}

// deleteProduct deletes the translations first: Medusa would keep them, and after the product
// nothing leads to them.
func (a *Adapter) deleteProduct(ctx context.Context, id string) error {
	held, err := a.translationsOf(ctx, id)
	if err != nil {
		return err
	}
	if ids := each.Of(held, func(t translation) string { return t.ID }); len(ids) > 0 {
		if _, err := a.api.Post(ctx, "delete translations", "translations/batch", nil, input{"delete": ids}); err != nil {
			return err
		}
	}
	return a.api.Delete(ctx, "delete product", "products/"+id)
}
