package woocommerce

import (
	"context"
	"errors"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// lookFields is what a Restock reads of a product: whether it is there, whose it is, whether it is
// on sale, and its variations.
const lookFields = "id,parent_id,type,status,permalink,variations,meta_data"

// Restock looks at the product and writes price and stock to the variations that the State names.
// The quick write of Publish does without the look. Restock does not, since a listing that the
// merchant took away is to be left as it is.
//
// A State that is lost or in doubt takes the whole product: only Publish knows the SKUs and options
// by which variations are told apart.
func (a *adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	prices, err := a.prices.Get(ctx, false)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	w := &write{a: a, ref: ref, Merge: stamp.NewMerge(ref, changed&variation.Figures)}
	w.state, w.known = readState(ref)
	if ref.Listing == "" || ref.Reset != shopadapter.NoFields || !w.known || !w.state.certain() ||
		!w.wantFigures(prices.Figures(variants)) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	err = w.restock(ctx)
	if errors.Is(err, shopadapter.ErrWhole) {
		return shopadapter.Listing{}, err
	}
	return w.listing(), err
}

// wantFigures makes the figures what is wanted, and tells whether they are those of the variants
// that the State names, all of them.
func (w *write) wantFigures(variants []shopadapter.Figures) bool {
	w.from = shopadapter.Product{ID: w.ref.Publication}
	w.want = desired{
		Set: variation.Set{Publication: w.ref.Publication}, variable: w.state.Variable, refused: map[string]string{},
	}
	named := map[string]bool{}
	for _, f := range variants {
		v := f.On(shopadapter.Variant{ID: f.ID})
		if named[v.ID] || !decimal.MatchString(v.Price) {
			return false
		}
		named[v.ID] = true
		w.from.Variants = append(w.from.Variants, v)
		w.want.Variants = append(w.want.Variants, variation.Of(v))
	}
	return len(w.want.Variants) > 0 && (w.want.variable || len(w.want.Variants) == 1) && w.sameVariants()
}

// restock does the work. Where it ends with an error other than ErrWhole, the State says that the
// next call has to look.
func (w *write) restock(ctx context.Context) error {
	w.state.Done = false
	if err := w.look(ctx); err != nil {
		return err
	}
	if w.Changed != shopadapter.NoFields {
		restock := w.restockSimple
		if w.want.variable {
			restock = w.restockVariations
		}
		if err := restock(ctx); err != nil {
			return err
		}
	}
	w.state.Done = true
	return nil
}

// look finds out whether the shop still holds what the State says. A product that is not there at
// all is for Publish to look for, by SKUs that figures do not tell. One in the trash keeps its
// SKUs, so that no other has them.
func (w *write) look(ctx context.Context) error {
	p, err := w.a.Product(ctx, w.state.ID, lookFields)
	switch {
	case err != nil:
		return err
	case !w.a.owned(p, w.ref.Publication):
		return shopadapter.ErrWhole
	case p.Status == "trash":
		return shopadapter.ErrGone
	}
	w.take(p)
	switch {
	case w.view.Status != "publish" && w.ref.OnSale:
		return shopadapter.ErrHidden
	case w.view.Status != "publish" || !w.stamp.Done || !w.holdsWanted():
		return shopadapter.ErrWhole
	}
	return nil
}

// holdsWanted tells whether the product that was read has a place for each variant. A variation
// that the State does not name is the merchant's own.
func (w *write) holdsWanted() bool {
	if !w.want.variable {
		return w.view.Type == "simple" && w.stamp.Variant == words.EncodeID(w.want.Variants[0].ID)
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
	return w.view.Type == "variable"
}

func (w *write) restockSimple(ctx context.Context) error {
	done, err := w.quickSimple(ctx)
	if err == nil && !done {
		return w.changedMeanwhile()
	}
	return err
}

func (w *write) restockVariations(ctx context.Context) error {
	p := w.plan(w.want.Known(w.state.Variants), false)
	w.state = w.state.clone()
	sure, err := w.carryOut(ctx, p)
	switch {
	case err != nil:
		return err
	case !sure:
		return w.changedMeanwhile()
	}
	return w.accepted(ctx)
}

// changedMeanwhile is the error of figures that may have been written in part. It is not ErrWhole,
// which says that nothing was.
func (w *write) changedMeanwhile() error {
	return shopadapter.Retry("product %d was changed in the shop while its figures were written", w.state.ID)
}
