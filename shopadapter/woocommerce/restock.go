package woocommerce

import (
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// lookFields is what a write of figures reads of a product: whether it is there, whose it is, whether it is
// on sale, and its variations.
const lookFields = "id,parent_id,type,status,permalink,catalog_visibility,post_password,variations,meta_data"

// look reads of the product what a write of figures has to know, and those are written to the
// variations that the State names. The quick write of a whole product does without the look. This
// does not, since a listing that the merchant took away is to be left as it is. A State that is lost
// or in doubt takes the whole product: only that has the SKUs and options by which variations are
// told apart.
// One that is not there at all is for the whole
// product to look for, by SKUs that figures do not tell. One in the trash keeps its SKUs, so that no other
// has them.
func (w *write) look(ctx context.Context) error {
	if w.Ref.Listing == "" || w.Ref.Reset != shopadapter.NoFields || w.Ref.Revive ||
		!w.known || !w.state.certain() || !w.tells() {
		return shopadapter.ErrWhole
	}
	p, err := w.a.Product(ctx, w.state.ID, lookFields)
	switch {
	case err != nil:
		return err
	case !w.a.owned(p, w.Ref.Publication):
		return shopadapter.ErrWhole
	case p.Status == "trash":
		return nil
	}
	w.use(p)
	return nil
}

// tells reports whether the State names the variants of the figures, and no other. Without a look
// it spares one that would end in ErrWhole.
func (w *write) tells() bool {
	left := maps.Clone(w.state.Variants)
	for _, v := range w.Product.Variants {
		if last, named := left[v.ID]; !named || !w.writable(last) || !decimal.MatchString(v.Price) {
			return false
		}
		delete(left, v.ID)
	}
	return len(left) == 0
}

// shows reports whether the product that was read has a variation, or is itself the variant.
func (w *write) shows(held *variation.Held, v skeleton.Planned) bool {
	if string(w.view.Type) != w.kind() {
		return false
	}
	if !w.want.variable {
		return w.stamp.Variant == words.EncodeID(v.ID)
	}
	return slices.Contains(w.view.Variations, rest.Number(held.ID))
}

// restock writes the figures. Where it fails, the State says that the next call has to look.
func (w *write) restock(ctx context.Context) (err error) {
	sure := true
	switch {
	case w.Changed == shopadapter.NoFields:
	case w.want.variable:
		if sure, err = w.carryOut(ctx, w.plan(true)); err == nil && sure {
			err = w.accepted(ctx)
		}
	default:
		sure, err = w.changeItself(ctx)
	}
	if err == nil && !sure {
		// Figures may have been written in part. ErrWhole would say that none was.
		err = shopadapter.Retry("product %d was changed in the shop while its figures were written", w.state.ID)
	}
	w.state.Done = err == nil
	return err
}
