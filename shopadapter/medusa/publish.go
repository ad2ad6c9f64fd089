package medusa

import (
	"context"
	"maps"
	"net/http"
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
	held    *product // nil: not made yet

	merge    stamp.Merge
	note     note
	options  []wantedOption
	variants []wantedVariant
	fresh    map[string]bool // variant ids that this call made
	refused  variants.Refused
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
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if len(own) == 0 && ref.Listing != "" {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	if len(own) > 0 && ref.OnSale && !own[0].onSale(s.channel) {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	w := &write{
		a: a, shop: s, ref: ref, product: p, merge: stamp.NewMerge(ref, changed),
		fresh: map[string]bool{}, refused: variants.Refused{}, sold: map[string]string{},
	}
	if len(own) > 0 {
		w.held = &own[0]
		w.note, _ = w.held.note()
	}
	err = w.run(ctx)
	for _, stray := range own[min(1, len(own)):] {
		if err == nil {
			err = a.deleteProduct(ctx, stray.ID)
		}
	}
	return w.listing(), err
}

func (w *write) run(ctx context.Context) error {
	w.note.Version, w.note.ID = noteVersion, string(w.ref.Publication)
	w.merge.Own, w.merge.Unsure = !w.note.complete(), w.note.Pending
	if w.merge.Own {
		w.merge.Changed = shopadapter.AllFields
	}
	w.planVariants()
	if len(w.variants) == 0 {
		return w.refused.None(w.product)
	}
	fields, err := w.planProduct(ctx)
	if err != nil {
		return err
	}
	if w.held == nil {
		if err := w.create(ctx, fields); err != nil {
			return err
		}
		fields = input{}
	}
	if err := w.writeVariants(ctx); err != nil {
		return err
	}
	if err := w.writeTranslations(ctx); err != nil {
		return err
	}
	if w.clash != nil && w.held.Status != published {
		return w.clash
	}
	if err := w.finish(ctx, fields); err != nil {
		return err
	}
	return w.clash
}

// planProduct is what to write of the product itself. The note is brought to what the shop holds afterwards.
func (w *write) planProduct(ctx context.Context) (input, error) {
	fields, held, p := input{}, w.held, w.product
	if held == nil {
		held = &product{}
	}
	if w.decides(shopadapter.FieldTitle, stamp.HashText(held.Title), stamp.HashText(p.Title), &w.note.Title) {
		fields["title"] = p.Title
	}
	if w.decides(shopadapter.FieldDescription, stamp.HashText(held.Description), stamp.HashText(p.Description), &w.note.Description) {
		fields["description"] = p.Description
	}
	images := unique(p.Images)
	if w.decides(shopadapter.FieldImages, stamp.HashList(held.shown()), stamp.HashList(images), &w.note.Images) {
		list, first := []image{}, any(nil)
		for _, address := range images {
			list = append(list, image{address})
		}
		if len(images) > 0 {
			first = images[0]
		}
		fields["images"], fields["thumbnail"] = list, first
	}
	handle := categoryHandle(p.Category)
	if w.decides(shopadapter.FieldCategory, stamp.HashList(held.categories()), stamp.HashList(handle), &w.note.Category) {
		list := []id{}
		for _, h := range handle {
			found, err := w.a.category(ctx, h, p.Category)
			if err != nil {
				return nil, err
			}
			list = append(list, id{found})
		}
		fields["categories"] = list
	}
	if !slices.Contains(held.Channels, id{w.shop.channel}) {
		fields["sales_channels"] = append(slices.Clone(held.Channels), id{w.shop.channel})
	}
	return fields, nil
}

// decides is the merge's decision. While a write is pending the shop may still hold what it held before.
func (w *write) decides(group shopadapter.Fields, held, want stamp.Hash, last *stamp.Written) bool {
	if !w.merge.Decide(group, held, want, last) {
		return false
	}
	last.Instead(held)
	return true
}

// announce writes the stamp alone, ahead of a step that is not part of the product. Until finish it says that a write is pending.
func (w *write) announce(ctx context.Context) error {
	w.note.Pending = true
	if w.held.Metadata.mark() == stamp.Encode(w.note) {
		return nil
	}
	return w.update(ctx, input{})
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

func unique(addresses []string) []string {
	var list []string
	for _, address := range addresses {
		if !slices.Contains(list, address) {
			list = append(list, address)
		}
	}
	return list
}

// create makes the draft, with the options that its variants will need.
func (w *write) create(ctx context.Context, fields input) error {
	options := []input{}
	for _, o := range w.options {
		options = append(options, o.input())
	}
	w.note.Options = w.optionTitles()
	whole := input{
		"title": w.product.Title, "handle": handle(w.product.Title, w.ref.Publication), "external_id": stamp.Key(w.ref.Publication), "status": draft,
		"shipping_profile_id": w.shop.profile, "options": options, "metadata": metadata{mark: stamp.Encode(w.note)},
	}
	maps.Copy(whole, fields)
	var answer struct {
		Product product `json:"product"`
	}
	err := w.a.call(ctx, http.MethodPost, "products", query{"fields": wholeFields}, whole, &answer)
	if taken(err, "handle") {
		// A creation of the same product is under way, or came through without its answer: the next call finds it.
		return shopadapter.Retry("the product is there already: %w", err)
	}
	if err != nil {
		return step.Within("create product", err)
	}
	w.held = &answer.Product
	w.readBack(whole) // finish writes the stamp
	return nil
}

// finish writes what differs of the product itself, and puts it on sale.
func (w *write) finish(ctx context.Context, fields input) error {
	w.note.Product, w.note.Pending, w.note.Options = w.held.ID, false, w.optionTitles()
	w.note.certain()
	if w.held.Status != published {
		fields["status"] = published
	}
	if len(fields) == 0 && w.held.Metadata.mark() == stamp.Encode(w.note) {
		return nil
	}
	if err := w.update(ctx, fields); err != nil {
		return err
	}
	if w.readBack(fields) {
		return w.update(ctx, input{})
	}
	return nil
}

// readBack notes how the shop holds the texts just written, and reports whether the stamp has to be written once more. A Medusa with hooks of its owner's
// may store another text than the one sent.
func (w *write) readBack(fields input) bool {
	_, title := fields["title"]
	_, description := fields["description"]
	rewritten := title && w.note.Title.ReadBack(stamp.HashText(w.held.Title))
	return description && w.note.Description.ReadBack(stamp.HashText(w.held.Description)) || rewritten
}

// update writes fields of the product together with the stamp that speaks of them.
func (w *write) update(ctx context.Context, fields input) error {
	whole := input{"metadata": metadata{mark: stamp.Encode(w.note)}}
	maps.Copy(whole, fields)
	var answer struct {
		Product product `json:"product"`
	}
	q := query{"fields": briefFields + ",title,description"}
	if err := w.a.call(ctx, http.MethodPost, "products/"+w.held.ID, q, whole, &answer); err != nil {
		return step.Within("update product", err)
	}
	w.held.Status, w.held.Metadata = answer.Product.Status, answer.Product.Metadata
	w.held.Title, w.held.Description, w.held.Handle = answer.Product.Title, answer.Product.Description, answer.Product.Handle
	return nil
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Variants: w.sold, Refused: w.refused, Kept: w.merge.Kept()}
	if w.held != nil {
		l.ID, l.URL = shopadapter.ListingID(w.held.ID), w.a.storefront.Page(w.held.Handle)
	}
	return l
}
