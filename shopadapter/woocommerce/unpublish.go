package woocommerce

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// Unpublish makes the product a draft, or deletes it for good: one in the trash would go on holding its SKU. What does not carry the publication's
// stamp is left alone.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := a.find(ctx, ref)
	switch {
	case err != nil || p.ID == 0:
		return err
	case how == shopadapter.Delete:
		return a.remove(ctx, int64(p.ID))
	case p.Status != "publish" && p.Status != "future":
		return nil
	}
	w := &write{a: a, ref: ref, view: p, written: marked(p.Meta)}
	if err := w.put(ctx, map[string]any{"status": "draft"}, readStamp(w.written), false); err != nil {
		return err
	}
	if w.view.Status == "publish" {
		return shopadapter.Retry("the shop does not take the product out of sale")
	}
	return nil
}

// find is the product of a publication, with whatever is known of it: the hint, the SKUs, and in the end a look at everything there is. The zero
// product is none.
func (a *adapter) find(ctx context.Context, ref shopadapter.Ref) (product, error) {
	p, err := a.byHint(ctx, ref)
	if err != nil || p.ID != 0 {
		return p, err
	}
	if p, err = a.bySKU(ctx, ref.Publication, []string{keySKU(ref.Publication)}, ""); err != nil || p.ID != 0 {
		return p, err
	}
	stamped, err := a.stamped(ctx)
	return stamped[encodeID(string(ref.Publication))], err
}
