package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	axes "github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A write is one call of Publish under way.
type write struct {
	a           *Adapter
	shop        *shop
	have        *product // as the shop holds it, nil until it is made
	publication shopadapter.PublicationID
	product     shopadapter.Product

	stamp.Merge
	refused map[string]string // by variant id

	stamp     productStamp // as it is to be
	stored    string       // as the shop holds it
	confirmed bool         // this call read back what it wrote

	words struct{ title, description, category bool } // what to write of the product itself
	// what options and values are called once this call has ended well
	choices []axes.Known
	unclear error // why they stay as they are in the shop
	frozen  bool  // and they should not
	lists   bool  // whether to write options and variants
	plan    variantPlan

	delivery []input // metafields of shipping and returns to write

	images  bool      // whether to write the pictures
	uploads bool      // whether new ones are among them
	sent    []picture // those that were written

	leftOut    map[string]string // addresses that cannot be asked of the shop, and why
	silent     map[string]string // addresses that did not answer when they were tried, and how
	askedAgain bool              // refused pictures are tried once more
	missing    []shopadapter.Picture
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order
// of its steps. The first one also asks for the shop's schema, so that no product is begun that
// this version of the API cannot finish.
func (a *Adapter) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	s, err := a.knowShop(ctx, a.checkSchema)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	have, err := a.readProduct(ctx, s, ref.Publication)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if err := ref.Drift(have != nil, have != nil && have.onSale()); err != nil {
		return shopadapter.Listing{}, err
	}
	prices, err := a.prices.Get(ctx, false)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	w := a.newWrite(s, have, ref, prices.Product(p), changed)
	err = w.run(ctx)
	return w.listing(), err
}

func (a *Adapter) newWrite(
	s *shop,
	have *product,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) *write {
	w := &write{
		a: a, shop: s, have: have, publication: ref.Publication, product: p, Merge: stamp.NewMerge(ref, changed),
		refused: map[string]string{}, stamp: have.stamp(), leftOut: map[string]string{}, silent: map[string]string{},
	}
	w.Unsure = len(ref.State) == 0 || string(ref.State) != w.stamp.digest()
	if !w.stamp.Done {
		w.Changed = shopadapter.AllFields
	}
	return w
}

func (w *write) run(ctx context.Context) error {
	foreignImages := w.adoptImages()
	w.stored = stamp.Encode(w.stamp)
	w.stamp.Head = stamp.Head{Version: stampVersion, ID: string(w.publication)}
	if err := w.planVariants(); err != nil {
		return err
	}
	w.planWords()
	w.planTranslations()
	w.planDelivery()
	if err := w.planImages(ctx, foreignImages); err != nil {
		return err
	}
	if w.frozen && len(w.plan.offers) == 0 {
		return w.unclear
	}
	if err := w.put(ctx); err != nil {
		return err
	}
	if w.unclear == nil {
		w.stamp.Choices = w.choices
	}
	if err := w.finish(ctx); err != nil {
		return err
	}
	w.confirmed = true
	if w.frozen {
		return w.unclear
	}
	return nil
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Refused: w.refused, Kept: w.Kept()}
	if w.have == nil {
		return l
	}
	l.ID = shopadapter.ListingID(w.have.ID)
	l.URL = w.a.address(w.have)
	l.Variants = w.plan.ids()
	if w.confirmed {
		l.State = []byte(w.stamp.digest())
		l.Missing = w.missing
	}
	return l
}
