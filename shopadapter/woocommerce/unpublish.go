package woocommerce

import (
	"context"
	"fmt"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Unpublish makes the product a draft, or deletes it. One that was taken over is given back in place
// of being deleted.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	w := &write{a: a, ref: ref, refused: kit.Refused{}}
	w.state, _ = readState(ref)
	if err := w.find(ctx); err != nil {
		return "", err
	}
	if w.held.ID == 0 && ref.Listing == "" {
		if _, _, err := w.search(ctx); err != nil {
			return "", err
		}
	}
	if w.held.ID == 0 { // of a product with a SKU of the supplier's the note alone tells
		for p, err := range a.listed(ctx) {
			if err != nil {
				return "", err
			}
			if owned(p, ref.Publication) {
				w.hold(p)
				break
			}
		}
	}
	switch {
	case w.held.ID == 0:
		return "", nil
	case how == shopadapter.Delete && !w.note.Adopted:
		return "", a.remove(ctx, w.held.ID)
	case w.held.Status == "publish" || w.held.Status == "future":
		if err := w.put(ctx, map[string]any{"status": "draft"}); err != nil {
			return "", err
		}
		if w.held.Status == "publish" {
			return "", shopadapter.Retry("the shop does not take the product out of sale")
		}
	}
	if how == shopadapter.Delete {
		return w.giveBack(ctx)
	}
	return "", nil
}

// giveBack takes our notes off a product that was taken over, and leaves it the variations that it
// had.
func (w *write) giveBack(ctx context.Context) (said string, err error) {
	if w.held.Type == "variable" {
		if err := w.readVariations(ctx); err != nil {
			return "", err
		}
		var ops []op
		for _, v := range w.variations {
			switch {
			case v.key == "":
			case v.added:
				ops = append(ops, op{place: -1, id: v.ID})
			default:
				ops = append(ops, op{place: -1, id: v.ID, body: map[string]any{"meta_data": noMarks()}})
			}
		}
		if _, err := w.send(ctx, ops); err != nil {
			return "", err
		}
	}
	got, err := w.a.writeProduct(ctx, http.MethodPut, productPath(w.held.ID), map[string]any{
		"meta_data": []any{metaOf(noteKey, nil)},
	})
	switch {
	case gone(err):
	case err != nil:
		return "", err
	case got.meta(noteKey) != "":
		return "", shopadapter.Retry("the shop does not take the mark off product %d", w.held.ID)
	}
	return fmt.Sprintf("product #%d was your own before it was taken over: it was made a draft in place of being "+
		"deleted, and our mark is off", w.held.ID), nil
}
