package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A write is one call of Publish under way.
type write struct {
	*skeleton.Write[variant]
	a    *Adapter
	shop *shop
	have *product // as the shop holds it, nil until it is made

	stamp     productStamp // as it is to be
	stored    string       // as the shop holds it
	confirmed bool         // this call read back what it wrote

	words      struct{ title, description, category bool } // what to write of the product itself
	brand      bool                                        // likewise
	tags       []string                                    // all tags to write; nil: they stay
	details    map[string]map[string]string                // to write, by the supplier's id of a variant
	closely    bool                                        // the details of have are known
	translated []input                                     // translations to write

	// options and variants are written as the supplier has them; otherwise they stay, and prices
	// and stock alone are written
	whole    bool
	lists    bool // whether to write options and variants at all
	foreign  []*variant
	unmarked bool              // the variants in the shop carry no marks
	keys     map[string]string // see Key
	choices  []skeleton.Known  // what options and values are called once this call has ended well

	images        bool // whether to write the pictures
	uploads       bool // whether new ones are among them
	foreignImages bool // the merchant has changed them
	sent          []picture
	leftOut       map[string]error // addresses that are not given to the shop, and why
	askedAgain    bool             // refused pictures are tried once more
}

var _ interface {
	skeleton.Shop[variant]
	skeleton.Renamer
	skeleton.Picturing
	skeleton.Translating
} = (*write)(nil)

func (a *Adapter) open(w *skeleton.Write[variant]) *write {
	w.Clean = a.scrub
	return &write{Write: w, a: a, leftOut: map[string]error{}}
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

// Find reads the product by the publication's key. What was written last is certain where the
// caller remembers the digest of the stamp.
func (w *write) Find(ctx context.Context) (found skeleton.Found[variant], err error) {
	if w.shop, err = w.a.knowShop(ctx); err != nil {
		return found, err
	}
	if w.Figures {
		w.have, err = w.a.readFigures(ctx, w.shop, w.Ref, len(w.Product.Variants))
	} else {
		w.closely = len(w.Ref.State) == 0 || w.Changed.Any(shopadapter.FieldVariants|shopadapter.FieldDetails)
		w.have, err = w.a.readProduct(ctx, w.shop, w.Ref, w.closely)
		if err == nil && w.have != nil && !w.closely && !w.have.stamp().Done { // all of it will be written
			w.closely = true
			w.have, err = w.a.readProduct(ctx, w.shop, w.Ref, w.closely)
		}
	}
	w.stamp = w.have.stamp()
	found.Complete = w.stamp.Done
	last, _ := readState(w.Ref)
	found.Pending = last == "" || last != w.stamp.digest()
	w.unmarked, w.choices = w.stamp.Unmarked, w.stamp.Choices
	if w.have != nil {
		found.ID, found.Called, found.Variants = w.have.ID, number(w.have.ID), w.have.Variants.Nodes
		found.Damaged = w.stamp.Version != stampVersion
		w.foreignImages = !w.Figures && w.adoptImages()
		w.stored = stamp.Encode(w.stamp)
	}
	w.stamp.Head = stamp.Head{Version: stampVersion, ID: string(w.Ref.Publication)}
	return found, err
}

// OnSale reports whether customers can buy the product in the sales channel.
func (w *write) OnSale() bool { return w.have != nil && w.have.onSale() }

// Listing is what is known of the product.
func (w *write) Listing() shopadapter.Listing {
	if w.have == nil {
		return shopadapter.Listing{}
	}
	l := shopadapter.Listing{ID: shopadapter.ListingID(w.have.ID), URL: w.a.address(w.have)}
	switch {
	case w.Figures:
		l.State = w.Ref.State // of the stamp, which is as it was
	case w.confirmed:
		l.State = writeState(w.stamp, w.have.ID)
	default:
		w.Missing = nil // whether the shop shows them is not known
	}
	return l
}

// Draft plans the whole product and writes it: productSet takes texts, variants and pictures at
// once.
func (w *write) Draft(ctx context.Context) error {
	if err := w.planVariants(); err != nil {
		return err
	}
	w.planWords()
	w.planBrand()
	w.planTags()
	w.planDetails()
	w.planTranslations()
	if err := w.planImages(ctx); err != nil {
		return err
	}
	if w.Clash != nil && len(w.Variants) == 0 {
		return w.Clash
	}
	return w.put(ctx)
}

// Remove has nothing to do: the key is unique in the store, so no second product has it.
func (w *write) Remove(context.Context, string) error { return nil }
