package woocommerce

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A write is one call of Publish under way.
type write struct {
	a    *adapter
	ref  shopadapter.Ref
	from shopadapter.Product
	want desired

	asked   shopadapter.Fields // as the caller says
	changed shopadapter.Fields // what is written: more, where the product is not complete
	reset   shopadapter.Fields
	kept    shopadapter.Fields

	state   state
	known   bool // the state came from the caller: it speaks of the time before this call
	view    product
	stamp   stamp
	written string // the stamp as the shop holds it
	fresh   bool   // this call made the product: nothing is on it that is not in view
	odd     string // the address of a variation just written: not what it is while its product is on sale
	turned  bool   // this call made one of several variants of one of a single one
	raised  bool   // this call took it out of the trash
}

// Publish makes the product equal to p and puts it on sale. See the package's comment for the order of its steps.
func (a *adapter) Publish(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	p.ID = ref.Publication
	w := &write{a: a, ref: ref, from: p, want: desire(p), asked: changed, reset: ref.Reset & shopadapter.TextFields}
	w.changed = changed | w.reset
	w.state, w.known = readState(ref)
	if len(w.want.variants) == 0 {
		return shopadapter.Listing{Refused: w.want.refused}, w.want.noVariant(p)
	}
	err := w.run(ctx)
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
	err := w.update(ctx)
	var other *elsewhere
	if errors.As(err, &other) {
		// The listing that was made before the hint was lost shows up under another SKU. It goes on, and the one just begun goes.
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
	w.state.Done, w.state.Doubt, w.state.Uploads = true, 0, false
	return nil
}

// take makes a product that was read, or answered, the one that is worked on.
func (w *write) take(p product) {
	if w.state.ID != int64(p.ID) {
		w.state = state{Version: stateVersion, Key: w.state.Key, ID: int64(p.ID), Doubt: w.state.Doubt, Uploads: w.state.Uploads}
		w.known = false
	}
	w.fresh = false
	w.hold(p)
	w.stamp = readStamp(w.written)
	pictures := maps.Clone(w.stamp.Pictures)
	if pictures == nil {
		pictures = map[string]int64{}
	}
	maps.Copy(pictures, w.state.Pictures)
	w.state.Pictures = pictures
}

// hold notes what the shop answered of the product.
func (w *write) hold(p product) {
	w.view, w.written = p, marked(p.Meta)
	w.state.Variable = p.Type == "variable"
	if p.Status == "publish" {
		w.state.Link = string(p.Link)
	}
}

// trusted tells whether the variations that the state knows are the ones that the shop holds.
func (w *write) trusted() bool {
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
func (w *write) update(ctx context.Context) error {
	if !w.stamp.Done {
		w.changed = shopadapter.AllFields
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
	} else {
		w.planFigures(put)
	}
	return w.finish(ctx, put)
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Refused: w.want.refused, Kept: w.kept & (w.asked | w.reset), Variants: map[string]string{}}
	if w.state.ID == 0 || w.ref.Listing == "" && w.view.ID == 0 {
		return l
	}
	l.ID = shopadapter.ListingID(strconv.FormatInt(w.state.ID, 10))
	l.URL = w.state.Link
	l.State = w.state.encode()
	for id, s := range w.state.Variants {
		if w.want.refused[id] == "" {
			l.Variants[id] = strconv.FormatInt(s.ID, 10)
		}
	}
	return l
}

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
