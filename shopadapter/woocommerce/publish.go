package woocommerce

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/category"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// A write is one call of Publish under way.
type write struct {
	a    *adapter
	ref  shopadapter.Ref
	from shopadapter.Product
	want desired

	stamp.Merge
	unclear  error            // why match does not say it: no attribute is written then
	category *category.Chosen // nil: this call did not look for it
	album    *picture.Album   // nil: the pictures are not written, or are the merchant's
	waited   time.Duration    // for pictures of an earlier call
	// the last call ended with a request for pictures that was not answered: a second one does not
	// keep the product off sale
	repeated bool

	state   state
	known   bool // the state came from the caller: it speaks of the time before this call
	view    rest.Product
	stamp   productStamp
	written string         // the stamp as the shop holds it
	unheard []productStamp // of writes without an answer since then
	fresh   bool           // this call made the product: nothing is on it that is not in view
	odd     string         // the address of a variation just written: not what it is while its product is on sale
	turned  bool           // this call made one of several variants of one of a single one
	raised  bool           // this call took it out of the trash
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order
// of its steps.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	prices, err := a.prices.Get(ctx, false)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	p = prices.Product(p)
	p.ID = ref.Publication
	w := &write{a: a, ref: ref, from: p, want: desire(p), Merge: stamp.NewMerge(ref, changed)}
	w.state, w.known = readState(ref)
	w.Unsure = !w.known || !w.state.certain() || w.state.Cut
	if len(w.want.Variants) == 0 {
		return shopadapter.Listing{Refused: w.want.refused}, w.want.noVariant(p)
	}
	err = w.run(ctx)
	return w.listing(), err
}

// run does the work. Its errors are in the form that the caller shows.
func (w *write) run(ctx context.Context) error {
	if done, err := w.quick(ctx); done || err != nil {
		return err
	}
	w.state.Done = false
	if err := w.locate(ctx); err != nil {
		return err
	}
	if w.ref.OnSale && !w.fresh && !w.raised && w.view.ID != 0 && w.view.Status != "publish" {
		return shopadapter.ErrHidden
	}
	err := w.update(ctx)
	var theirs *adoptable
	if errors.As(err, &theirs) {
		err = w.adoptInstead(ctx, theirs)
	}
	var other *elsewhere
	if errors.As(err, &other) {
		// The listing that was made before the hint was lost shows up under another SKU. It goes
		// on, and the one just begun goes.
		if err := w.discard(ctx); err != nil {
			return err
		}
		w.take(other.product)
		err = w.update(ctx)
		if errors.As(err, &other) {
			err = shopadapter.Retry("products %d and %d both carry the stamp of this publication", w.view.ID, other.product.ID)
		}
	}
	if err != nil {
		return err
	}
	w.state.Delivery = w.stamp.Delivery
	if w.state.Done = true; w.album == nil || !w.album.InDoubt() {
		w.state.Doubt, w.state.Uploads = 0, false
	}
	return nil
}

// take makes a product that was read, or answered, the one that is worked on.
func (w *write) take(p rest.Product) {
	if w.state.ID != int64(p.ID) {
		w.state = state{
			Version: stateVersion, Key: w.state.Key, ID: int64(p.ID), Doubt: w.state.Doubt, Uploads: w.state.Uploads,
		}
		w.known = false
	}
	w.fresh = false
	w.hold(p)
	w.stamp = readStamp(w.written)
	w.state.OneByOne = w.state.OneByOne || !w.known && w.stamp.OneByOne
	w.Own = w.stamp.ID != "" && !w.stamp.Done && !w.stamp.Adopted
	pictures := maps.Clone(w.stamp.Pictures)
	if pictures == nil {
		pictures = map[string]int64{}
	}
	maps.Copy(pictures, w.state.Pictures)
	w.state.Pictures = pictures
}

// hold records what the shop answered of the product.
func (w *write) hold(p rest.Product) {
	w.view, w.written, w.unheard = p, rest.Stamp(p.Meta), nil
	w.state.Variable = p.Type == "variable"
	said := readStamp(w.written)
	w.state.Cut = w.state.Cut && !said.speaksOf(w.heldTexts())
	if p.Status == "publish" {
		w.state.Link = string(p.Link)
	}
}

// trusted tells whether the variations that the state knows are the ones that the shop holds. A
// call that the caller did not see the end of may have written something else since. Figures are
// then written to all of them; for SKUs and options, and after a call that failed too, they are
// read.
func (w *write) trusted() bool {
	if !w.ref.OnSale && w.stamp.Done && (w.Unsure || w.Changed.Has(shopadapter.FieldVariants)) {
		return false
	}
	if !w.known || w.state.Doubt != 0 || w.raised || len(w.view.Variations) != len(w.state.Variants) {
		return false
	}
	there := make(map[int64]bool, len(w.view.Variations))
	for _, id := range w.view.Variations {
		there[int64(id)] = true
	}
	for _, s := range w.state.Variants {
		if !there[s.ID] {
			return false
		}
	}
	return true
}

// update brings the product that was found or begun in line.
func (w *write) update(ctx context.Context) (err error) {
	if !w.stamp.Done {
		w.Changed = shopadapter.AllFields
	}
	if err := w.awaitUploads(ctx); err != nil {
		return err
	}
	if w.odd != "" && w.view.Status == "publish" && !w.shown(w.odd) {
		w.state.Prefix = beforeQuery(w.odd) // it is on sale all the same
	}
	put := map[string]any{}
	if !w.fresh {
		w.planTexts(put)
		if err := w.planCategory(ctx, put); err != nil {
			return err
		}
		if err := w.follow(ctx); err != nil {
			return err
		}
		if err := w.shape(ctx); err != nil {
			return err
		}
	}
	if w.want.variable {
		if err := w.syncVariations(ctx); err != nil {
			return err
		}
		w.planAttributes(put)
		w.stamp.Variant = ""
		defer w.rememberChoices(&err)
	} else {
		w.planFigures(put)
		if err := w.prepare(ctx, put); err != nil {
			return err
		}
	}
	w.planDelivery(put)
	return w.finish(ctx, put)
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Refused: w.want.refused, Kept: w.Kept(), Variants: map[string]string{}}
	if w.state.ID == 0 || w.ref.Listing == "" && (w.view.ID == 0 || w.written == "") {
		// one that does not carry the stamp yet is not to be pointed at: it would pass for one that
		// somebody deleted
		return l
	}
	l.ID = shopadapter.ListingID(strconv.FormatInt(w.state.ID, 10))
	l.URL = w.state.Link
	l.Missing = w.missingPictures()
	if w.category != nil {
		w.state.Category = w.category
	}
	l.State = w.state.encode()
	for id, s := range w.state.Variants {
		if w.want.refused[id] == "" {
			l.Variants[id] = strconv.FormatInt(s.ID, 10)
		}
	}
	return l
}
