package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// A write is one call of Publish under way.
type write struct {
	a           *Adapter
	shop        *shop
	have        *product // as the shop holds it, nil until it is made
	publication shopadapter.PublicationID
	product     shopadapter.Product

	changed shopadapter.Fields // groups to write, those the merchant gives back among them
	reset   shopadapter.Fields
	kept    shopadapter.Fields
	refused map[string]string // by variant id

	stamp     stamp  // as it is to be
	stored    string // as the shop holds it
	confirmed bool   // the last call read back what it wrote
	settled   bool   // this call did

	words struct{ title, description, category bool } // what to write of the product itself
	lists bool                                        // whether to write options and variants
	plan  variantPlan

	images  bool      // whether to write the pictures
	uploads bool      // whether new ones are among them
	sent    []picture // those that were written
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order of its steps.
func (a *Adapter) Publish(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) (shopadapter.Listing, error) {
	s, err := a.knowShop(ctx)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	have, err := a.look(ctx, s, ref.Publication)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if have == nil && ref.Listing != "" {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	w := a.newWrite(s, have, ref, p, changed)
	err = w.run(ctx)
	return w.listing(changed), err
}

func (a *Adapter) newWrite(s *shop, have *product, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) *write {
	reset := ref.Reset & shopadapter.TextFields
	w := &write{
		a: a, shop: s, have: have, publication: ref.Publication, product: p,
		changed: changed | reset, reset: reset, refused: map[string]string{}, stamp: have.stamp(),
	}
	w.confirmed = len(ref.State) > 0 && string(ref.State) == w.stamp.digest()
	if !w.stamp.Done {
		w.changed = shopadapter.AllFields
	}
	return w
}

func (w *write) run(ctx context.Context) error {
	foreignImages := w.adoptImages()
	w.stored = w.stamp.encode()
	w.stamp.Version, w.stamp.ID = stampVersion, string(w.publication)
	if err := w.planVariants(); err != nil {
		return err
	}
	w.planWords()
	w.planTranslations()
	w.planImages(ctx, foreignImages)
	if err := w.put(ctx); err != nil {
		return err
	}
	if err := w.finish(ctx); err != nil {
		return err
	}
	w.settled = true
	return nil
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing(asked shopadapter.Fields) shopadapter.Listing {
	l := shopadapter.Listing{Refused: w.refused, Kept: w.kept & (asked | w.reset) & shopadapter.TextFields}
	if w.have == nil {
		return l
	}
	l.ID = shopadapter.ListingID(w.have.ID)
	l.URL = w.a.address(w.have)
	l.Variants = w.plan.ids()
	if w.settled {
		l.State = []byte(w.stamp.digest())
	}
	return l
}
