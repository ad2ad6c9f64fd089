package skeleton

import (
	"cmp"
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A Shop is what the API of one shop can do to one product, during one call. V is a variant as the
// shop answers it. Capabilities that not every shop has are the interfaces below: Varying,
// Stocking, Renamer, Picturing and Translating.
type Shop[V any] interface {
	// Find reads the publication's product, whole, and its stamp. Of several it chooses the one
	// that Pick names. A product that does not carry the publication's stamp is never found.
	Find(ctx context.Context) (Found[V], error)

	// Offers brings the prices of Write.Product to the form that the shop accepts, and names
	// the options of the product, in their order. offer is the value that a variant has for each of
	// them, or the reason why the shop cannot sell it. An error refuses the product.
	Offers(ctx context.Context) (names []string, offer Offer, err error)

	// Key is the mark that a variant in the shop carries: the id of the supplier's, as it is or as
	// stamp.Key writes it; "" on one of the merchant's own. ID is the shop's id of it.
	Key(held *V) string
	ID(held *V) string
	// Fits reports whether the shop's variant can become the supplier's; where structural is false,
	// whether its price and stock can. One that does not fit is deleted, and another is made.
	Fits(held *V, wanted Planned, structural bool) bool

	// Draft decides with the Merge what to write of the product itself. It makes the product where
	// there is none: out of sale, with the stamp in the same request. A shop that accepts a product
	// whole, variants and pictures included, writes all of it here.
	Draft(ctx context.Context) error
	// Change writes what differs of the variants that the shop has: prices and stock, and where the
	// structure may change (structural) also names, SKUs and options. It is all that a
	// product of figures writes.
	Change(ctx context.Context, structural bool) error
	// Sell writes what is decided of the product itself, in one request with the complete stamp,
	// and puts the product on sale, but where Write.StaysDraft. After it no request for a picture is
	// made.
	Sell(ctx context.Context) error
	// Remove deletes a draft that a late creation left beside the product.
	Remove(ctx context.Context, id string) error

	// OnSale reports whether the product is on sale, as the shop answered last.
	OnSale() bool
	// Listing is the product's id, address and state, as far as they are known; the zero Listing
	// where there is no product.
	Listing() shopadapter.Listing
}

// Varying is a shop that accepts variants in requests of their own. Where one request can delete,
// change and make variants, Change sends it, and Delete and Make do nothing. Where one request can
// write the options and take the product out of sale, WriteOptions sends it, and Withhold does
// nothing.
type Varying[V any] interface {
	// PlanOptions compares the options of the product with Write.Options, and writes nothing. An
	// error says what stands in the way: an option that the merchant added, say.
	PlanOptions() (Rework, error)
	// Withhold takes the product out of sale. The stamp stays as it is.
	Withhold(ctx context.Context) error
	// Delete deletes variants of ours that are not wanted, or do not fit.
	Delete(ctx context.Context, surplus []*V) error
	// WriteOptions brings the options of the product to Write.Options.
	WriteOptions(ctx context.Context) error
	// Make makes the variants that are not there, each with its mark in the same request, and
	// assigns what the shop has made, by Write.Take or to Wanted.Held.
	Make(ctx context.Context) error
}

// Stocking is a shop that accepts quantities in requests of their own, once the variants are made.
type Stocking interface {
	Stock(ctx context.Context) error
}

// Picturing is a shop in which pictures are loaded ahead of the request that shows them. Pictures
// has half a minute; a picture that fails or comes late is named in Write.Missing, and is no error.
type Picturing interface {
	Pictures(ctx context.Context) error
}

// Translating is a shop that keeps the texts of other languages outside the product.
type Translating interface {
	Translate(ctx context.Context) error
}

// Found is what Find tells of the product. The zero Found says that there is none.
type Found[V any] struct {
	ID       string
	Called   string   // what the merchant knows it by, where that is not the ID
	Complete bool     // the stamp says that the product was complete once
	Damaged  bool     // the hashes of the stamp cannot be read: the texts count as the merchant's
	Pending  bool     // the stamp says that a write has begun of which the outcome is not known
	Variants []V      // as the shop has them, those of the merchant's own included
	Strays   []string // ids of drafts of the same publication that late creations left
}

// Unstamped is the error of Find where the product that ref points to is the publication's, as far as
// ref tells, and somebody deleted its stamp. Nothing is written to it until a person asks for it
// (Ref.Revive). called is what the merchant knows the product by.
func Unstamped(ref shopadapter.Ref, called string) error {
	return shopadapter.Block("product %s is its listing, and the mark of pubsync was deleted from it, so it is left as "+
		"it is: `pubsync retry %s` takes it back", called, ref.Publication)
}

// A Write is what the skeleton and the shop share during one call.
type Write[V any] struct {
	stamp.Merge
	Ref     shopadapter.Ref
	Clean   func(string) string // removes secrets from what the shop says; nil: it says none
	Product shopadapter.Product // as wanted
	Figures bool                // Product.Figures: nothing but figures is known, and written
	// StaysDraft says that the product is to be complete and not on sale: Product.Draft asks for it,
	// and it was not on sale before
	StaysDraft bool

	Found    Found[V]
	Options  []Choice // in the words that the merchant has given to them
	Matches  []Match  // what Options are in a shop that is a Renamer; where that is Unclear, as the supplier has them
	Planned  []Planned
	Variants List[V]
	Surplus  []*V // ours in the shop that are not wanted, or do not fit

	Refused Refused
	Missing []shopadapter.Picture // pictures that the listing does not show
	// Unclear is why options and variants stay as they are in the shop; nil: they may change.
	// Prices and stock are written all the same.
	Unclear error
	// Clash is what the merchant has to mend. A product that is not on sale stays so until then.
	Clash error
}

func newWrite[V any](ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) *Write[V] {
	return &Write[V]{Ref: ref, Product: p, Merge: stamp.NewMerge(ref, changed), Refused: Refused{}}
}

// Publish is an adapter's Publish in the order of the package's comment, or of a product of figures
// that of restock. open makes the Shop of
// this call around the Write.
func Publish[V any, S Shop[V]](
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
	open func(*Write[V]) S,
) (shopadapter.Listing, error) {
	if p.Figures {
		return restock(ctx, ref, p, changed, open)
	}
	w := newWrite[V](ref, p, changed)
	var shop Shop[V] = open(w)
	if err := w.find(ctx, shop); err != nil {
		return shopadapter.Listing{}, err
	}
	err := w.publish(ctx, shop)
	return w.listing(shop), err
}

// find reads what the shop has. The error says so where somebody deleted or hid it there.
func (w *Write[V]) find(ctx context.Context, shop Shop[V]) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.Found, err = shop.Find(ctx); err != nil {
		return err
	}
	w.Own, w.Unsure = !w.Found.Complete && !w.Found.Damaged, w.Found.Pending
	if !w.Found.Complete {
		w.Changed = shopadapter.AllFields
	}
	onSale := w.Found.ID != "" && shop.OnSale()
	w.StaysDraft = w.Product.Draft && !onSale
	return w.Ref.Drift(w.Found.ID != "", onSale)
}

func (w *Write[V]) publish(ctx context.Context, shop Shop[V]) error {
	if err := w.plan(ctx, shop); err != nil {
		return err
	}
	if err := shop.Draft(ctx); err != nil {
		return err
	}
	if varying, ok := shop.(Varying[V]); ok {
		if err := w.vary(ctx, shop, varying); err != nil {
			return err
		}
	}
	if s, ok := shop.(Picturing); ok {
		if err := s.Pictures(ctx); err != nil {
			return err
		}
	}
	if s, ok := shop.(Translating); ok {
		if err := s.Translate(ctx); err != nil {
			return err
		}
	}
	if w.Clash != nil && !shop.OnSale() {
		return w.Clash
	}
	if err := shop.Sell(ctx); err != nil {
		return err
	}
	if !shop.OnSale() && !w.StaysDraft {
		return shopadapter.Retry("the shop did not put the product on sale")
	}
	for _, stray := range w.Found.Strays {
		if err := shop.Remove(ctx, stray); err != nil {
			return err
		}
	}
	return w.Clash
}

// plan says which variants the shop shall have, with which options. One that cannot be is refused.
func (w *Write[V]) plan(ctx context.Context, shop Shop[V]) error {
	names, offer, err := shop.Offers(ctx)
	if err != nil {
		return err
	}
	w.Planned = plan(w.Product, w.Refused, offer)
	w.Options = choices(names, w.Planned)
	if len(w.Planned) == 0 {
		return w.Refused.None(w.Product)
	}
	if renamer, ok := shop.(Renamer); ok && !w.Figures {
		if err := w.follow(ctx, renamer); err != nil {
			return err
		}
	}
	w.match(shop, w.Changed.Has(shopadapter.FieldVariants))
	return nil
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *Write[V]) listing(shop Shop[V]) shopadapter.Listing {
	l := shop.Listing()
	l.Refused, l.Kept, l.Missing, l.Draft = w.Refused, w.Kept(), w.Missing, w.StaysDraft
	if l.Variants == nil {
		l.Variants = shopadapter.Made(w.Variants.Made(shop.ID))
	}
	return l
}

// A Rework says what changing the options does to the variants that a product has.
type Rework int

// The three kinds of rework.
const (
	Nothing Rework = iota // the variants can be bought all the while
	Gap                   // for a while a variant lacks an option: the product is out of sale meanwhile
	Replace               // each variant is to be another
)

// vary brings options and variants to what is wanted. The order is such that no two variants have
// one choice or one SKU at a time, and that a product with a gap is out of sale.
func (w *Write[V]) vary(ctx context.Context, shop Shop[V], varying Varying[V]) error {
	w.match(shop, w.Changed.Has(shopadapter.FieldVariants))
	structural := w.Changed.Has(shopadapter.FieldVariants) || len(w.Surplus) > 0 || w.Variants.Incomplete()
	if structural && w.Unclear != nil {
		structural, w.Clash = false, w.Unclear
		w.match(shop, false)
	}
	if structural {
		if err := w.restructure(ctx, shop, varying); err != nil {
			return err
		}
	}
	if err := shop.Change(ctx, structural); err != nil {
		return err
	}
	if structural && w.Variants.Incomplete() {
		if err := varying.Make(ctx); err != nil {
			return err
		}
	}
	if s, ok := shop.(Stocking); ok {
		if err := s.Stock(ctx); err != nil {
			return err
		}
	}
	if len(w.Variants.Made(shop.ID)) == 0 {
		return cmp.Or(w.Clash, w.Refused.None(w.Product))
	}
	return nil
}

// restructure changes the options and deletes the variants that stand in the way. A product that is
// left without a variant meanwhile, or with one that lacks an option, is taken out of sale.
func (w *Write[V]) restructure(ctx context.Context, shop Shop[V], varying Varying[V]) error {
	rework, err := varying.PlanOptions()
	if err != nil {
		return err
	}
	if rework == Replace {
		w.matchBy(shop, func(*V, Planned) bool { return false })
	}
	if shop.OnSale() && (rework == Gap || len(w.Variants.Made(shop.ID)) == 0) {
		if err := varying.Withhold(ctx); err != nil {
			return err
		}
	}
	if len(w.Surplus) > 0 {
		if err := varying.Delete(ctx, w.Surplus); err != nil {
			return err
		}
	}
	return varying.WriteOptions(ctx)
}

// match gives each planned variant what the shop has of it. Our other variants there are surplus.
func (w *Write[V]) match(shop Shop[V], structural bool) {
	w.matchBy(shop, func(held *V, wanted Planned) bool { return shop.Fits(held, wanted, structural) })
}

func (w *Write[V]) matchBy(shop Shop[V], fits func(*V, Planned) bool) {
	w.Variants, w.Surplus = match(w.Planned, w.Found.Variants, shop.Key, fits)
}

// Take makes these the product's variants: a shop has made some, and shows them all.
func (w *Write[V]) Take(shop Shop[V], held []V) {
	w.Found.Variants = held
	w.match(shop, false)
}
