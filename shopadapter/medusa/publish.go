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
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A write is one call of Publish under way.
type write struct {
	*skeleton.Write[variant]
	a      *Adapter
	shop   shop
	held   *product // without an ID: not made yet
	note   note
	fields input                       // to write of the product itself
	sizes  input                       // likewise, in each request with the stamp
	told   map[string]string           // likewise, of its metadata
	plan   skeleton.OptionPlan[option] // of the options
	fresh  map[string]bool             // variant ids that this call made
}

var _ interface {
	skeleton.Shop[variant]
	skeleton.Varying[variant]
	skeleton.Stocking
	skeleton.Renamer
	skeleton.Translating
} = (*write)(nil)

func (a *Adapter) open(w *skeleton.Write[variant]) *write {
	w.Ahead, w.Clean = true, a.api.Clean
	return &write{Write: w, a: a, held: &product{}, fresh: map[string]bool{}}
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

// Find reads what Medusa has of the publication.
func (w *write) Find(ctx context.Context) (found skeleton.Found[variant], err error) {
	if w.shop, err = w.a.shop.Get(ctx, w.Ref.Asked); err != nil {
		return found, err
	}
	all, err := w.a.find(ctx, w.Ref, rest.Fields[product]())
	if own, strays := skeleton.Pick(w.Ref, all, (*product).candidate); own != nil {
		w.held, found.Strays = own, strays
	}
	w.note, _ = w.held.note()
	found.Damaged = w.held.ID != "" && w.note.Version != noteVersion
	w.note.Version, w.note.ID = noteVersion, string(w.Ref.Publication)
	found.ID, found.Complete, found.Pending = w.held.ID, w.note.Complete(), w.note.Pending
	found.Variants = w.held.Variants
	return found, err
}

// OnSale reports whether customers can buy the product.
func (w *write) OnSale() bool { return w.held.onSale(w.shop.channel) }

// Listing is what is known of the product.
func (w *write) Listing() shopadapter.Listing {
	return shopadapter.Listing{ID: shopadapter.ListingID(w.held.ID), URL: w.a.storefront.Page(w.held.Handle)}
}

// Draft says what to write of the product itself, and makes it where there is none, with the options
// that its variants will need.
func (w *write) Draft(ctx context.Context) error {
	if err := w.planProduct(ctx); err != nil || w.held.ID != "" {
		return err
	}
	return w.create(ctx)
}

// planProduct says what to write of the product itself. The note is brought to what the shop holds
// afterwards.
func (w *write) planProduct(ctx context.Context) error {
	held, p := w.held, w.Product
	w.fields = w.DecideText(
		shopadapter.FieldTitle,
		held.Translation,
		shopadapter.Translation{Title: p.Title, Description: p.Description},
		&w.note.Text,
	)
	w.planProductDetails()
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

func (w *write) create(ctx context.Context) error {
	w.note.Options = skeleton.Names(w.Options)
	marks, _ := w.marks()
	whole := input{
		"title": w.Product.Title, "handle": w.handle(), "external_id": stamp.Key(w.Ref.Publication), "status": draft,
		"shipping_profile_id": w.shop.profile, "options": optionInputs(w.Options), "metadata": marks,
	}
	maps.Copy(whole, w.fields)
	maps.Copy(whole, w.sizes)
	made, err := w.a.api.Post(ctx, "create product", "products", query{"fields": rest.Fields[product]()}, whole)
	if taken(err, "handle") {
		// A creation of the same product is under way, or came through without its answer: the next
		// call finds it.
		return shopadapter.Retry("the product is there already: %w", err)
	}
	if err == nil {
		w.held = &made.Product
		w.note.ReadBack(w.fields, w.held.Translation) // Sell writes the stamp
		w.fields, w.sizes = input{}, nil
	}
	return err
}

// handle is the last part of the product's address: 60 characters of its title, and a digest of the
// publication, with which no two products share one.
func (w *write) handle() string {
	return strings.TrimPrefix(slug.ASCII(w.Product.Title, 60)+"-"+stamp.Digest(string(w.Ref.Publication), 5), "-")
}

// announce writes the stamp alone, ahead of a step that is not part of the product. Until Sell it
// says that a write is pending.
func (w *write) announce(ctx context.Context) error {
	w.note.Pending = true
	if _, differ := w.marks(); !differ {
		return nil
	}
	return w.update(ctx, nil)
}

// Sell writes what differs of the product itself, and puts it on sale.
func (w *write) Sell(ctx context.Context) error {
	if w.held.Status != published && !w.StaysDraft {
		w.fields["status"] = published
	}
	w.note.Product, w.note.Pending = w.held.ID, false
	if w.Unclear == nil {
		w.note.Options = skeleton.Names(w.Options)
	}
	w.note.certain()
	if _, differ := w.marks(); differ || len(w.fields)+len(w.sizes) > 0 {
		if err := w.update(ctx, w.fields); err != nil {
			return err
		}
	}
	// A Medusa with hooks of its owner's may store another text than the one sent.
	if w.note.ReadBack(w.fields, w.held.Translation) {
		return w.update(ctx, nil)
	}
	return nil
}

// update writes fields of the product together with the stamp that speaks of them.
func (w *write) update(ctx context.Context, fields input) error {
	marks, _ := w.marks()
	whole := input{"metadata": marks}
	maps.Copy(whole, fields)
	maps.Copy(whole, w.sizes)
	got, err := w.a.api.Post(ctx, "update product", "products/"+w.held.ID, query{"fields": rest.Fields[texts]()}, whole)
	if err == nil {
		w.held.texts, w.sizes = got.Product.texts, nil
	}
	return err
}

// Unpublish makes the product a draft, or deletes it together with its variants, options,
// quantities and translations.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	return "", a.unpublish(ctx, ref, how)
}

func (a *Adapter) unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	own, err := a.find(ctx, ref, rest.Fields[brief]())
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.remove(ctx, p.ID)
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

// Remove deletes a draft that a late creation left.
func (w *write) Remove(ctx context.Context, id string) error { return w.a.remove(ctx, id) }

// remove deletes the translations first: Medusa would keep them, and after the product
// nothing leads to them.
func (a *Adapter) remove(ctx context.Context, id string) error {
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
