package woocommerce

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// Unpublish makes the product a draft, or deletes it for good: one in the trash would go on holding
// its SKU. What does not carry the publication's stamp is left alone. What was the merchant's
// before it was taken over is never deleted, but given back, as the note tells.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	p, err := a.find(ctx, ref)
	if err != nil || p.ID == 0 {
		return "", err
	}
	w := &write{
		Write: &skeleton.Write[variation.Held]{Ref: ref}, a: a, view: p, written: rest.Stamp(p.Meta),
	}
	switch {
	case how == shopadapter.Delete && readStamp(w.written).Adopted:
		return w.giveBack(ctx)
	case how == shopadapter.Delete:
		return "", a.Remove(ctx, int64(p.ID))
	}
	return "", w.hide(ctx)
}

// hide takes the product out of sale.
func (w *write) hide(ctx context.Context) error {
	if w.view.Status != "publish" && w.view.Status != "future" {
		return nil
	}
	s := readStamp(w.written)
	if s.ID == "" { // the stamp was deleted, and a person asked for the product
		s = newStamp(w.Ref.Publication)
		s.Done = true
		s.allMerchants()
	}
	if err := w.put(ctx, map[string]any{"status": "draft"}, s, time.Time{}); err != nil {
		return err
	}
	if w.view.Status == "publish" {
		return shopadapter.Retry("the shop does not take the product out of sale")
	}
	return nil
}

// giveBack takes a product that was the merchant's out of sale and leaves nothing of ours on it:
// the variations that were added go, and the stamp comes off everything. The product's stamp comes
// off last: an interrupted call finds the product by it.
func (w *write) giveBack(ctx context.Context) (note string, err error) {
	if err := w.hide(ctx); err != nil {
		return "", err
	}
	if w.view.Type == "variable" {
		if err := w.readVariations(ctx); err != nil {
			return "", err
		}
		w.state.ID = int64(w.view.ID)
		var added variation.Plan
		var merchants []int64
		for _, s := range w.Surplus {
			if s.Added {
				added.Delete = append(added.Delete, s.ID)
			} else {
				merchants = append(merchants, s.ID)
			}
		}
		for batch := range added.Batches() {
			if _, err := w.batch(ctx, batch); err != nil {
				return "", err
			}
		}
		if err := w.each(ctx, merchants, map[string]any{"meta_data": noStamp()}); err != nil {
			return "", err
		}
	}
	got, err := w.a.Write(ctx, rest.KindWrite, int64(w.view.ID), map[string]any{"meta_data": noStamp()})
	switch {
	case rest.Gone(err):
	case err != nil:
		return "", err
	case rest.Stamp(got.Meta) != "":
		return "", shopadapter.Retry("the shop does not take the stamp off product %d", w.view.ID)
	}
	return fmt.Sprintf(
		"product #%d was your own before it was taken over: it was made a draft in place of being deleted, and our "+
			"mark is off",
		w.view.ID,
	), nil
}

// noStamp takes our metadata off.
func noStamp() []map[string]any {
	return []map[string]any{{"key": rest.StampKey, "value": nil}, {"key": rest.NoteKey, "value": nil}}
}
