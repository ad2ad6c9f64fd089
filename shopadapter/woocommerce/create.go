package woocommerce

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// create begins the product, as a draft, on what an interrupted creation left where there is such a
// thing. A creation of the past whose answer was lost comes to light here: by its stamp among the
// shop's youngest products, or since the shop refuses the SKU a second time. Where the publication
// has a product, or takes one over, the error is errAgain.
func (w *write) create(ctx context.Context) error {
	if w.a.adopting {
		if found, err := w.findToAdopt(ctx); found || err != nil {
			return cmp.Or(err, errAgain)
		}
	}
	body, s, err := w.beginning(ctx)
	if err != nil {
		return err
	}
	left, err := w.leftover(ctx)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		at := max(slices.IndexFunc(left, w.finished), 0)
		first := left[at]
		if err := w.discardAll(ctx, left, first.ID); err != nil {
			return err
		}
		if w.finished(first) {
			w.use(first)
			return errAgain
		}
		return w.reclaim(ctx, first, body, s)
	}
	w.a.leftovers.begin(w.slugEnd(), w.want.slug)
	made, err := w.a.Write(ctx, rest.KindWrite, 0, body)
	if err == nil && made.ID > 0 || err != nil && !rest.Uncertain(err) {
		w.a.leftovers.end(w.slugEnd())
	}
	switch r := rest.Refused(err); {
	case rest.HasCode(err, rest.CodeSKU) && r.Resource > 0:
		return cmp.Or(w.claimedBy(ctx, w.sku(), r.Resource), errAgain)
	case rest.HasCode(err, rest.CodeSKU, rest.CodeNotCreated):
		return cmp.Or(w.claimedBySomething(ctx, w.sku(), r), errAgain)
	case err != nil:
		return err
	case made.ID <= 0:
		return shopadapter.Retry("the shop made a product and did not say which")
	}
	w.begun(made, s)
	w.fresh = true
	return nil
}

// begun goes on with a product that was just written whole, but for its variations and pictures.
func (w *write) begun(p rest.Product, s productStamp) {
	w.use(p)
	if w.written == "" { // not shown, but sent: a shop that shows no metadata is found out by the next look, not here
		w.stamp, w.written = s, stamp.Encode(s)
	}
	w.readBack(shopadapter.TextFields)
	w.a.leftovers.made(words.EncodeID(string(w.Ref.Publication)), int64(p.ID))
}

// beginning is what a product begins as, and its stamp.
func (w *write) beginning(ctx context.Context) (map[string]any, productStamp, error) {
	category, err := w.categorize(ctx, true)
	if err != nil {
		return nil, productStamp{}, err
	}
	s := newStamp(w.Ref.Publication)
	s.Title.Hash, s.Description.Hash = words.HashTitle(w.want.title), words.HashDescription(w.want.description)
	body := map[string]any{
		"name": w.want.title, "description": w.want.description, "slug": w.want.slug, "sku": w.sku(), "type": "simple",
		"status": "draft",
	}
	if category > 0 {
		body["categories"] = []map[string]any{{"id": category}}
		s.Category.Hash = w.a.categories.Hash([]rest.Placement{{ID: rest.Number(category)}})
	}
	if w.want.variable {
		body["type"], body["attributes"] = "variable", w.set().Attributes(variation.AttributesOf(w.view), w.Planned)
	} else {
		s.Variant = words.EncodeID(w.Planned[0].ID)
		maps.Copy(body, variation.FiguresOf(w.Planned[0].Variant, variation.Figures))
	}
	body["meta_data"] = []map[string]any{{"key": rest.StampKey, "value": stamp.Encode(s)}}
	return body, s, nil
}

// readBack has the stamp speak of the texts just written as the shop holds them, and reports
// whether that makes a difference. Of categories and pictures the stamp does not know what was
// sent: what the shop did not accept of them is sent again.
func (w *write) readBack(groups shopadapter.Fields) (differs bool) {
	held := w.heldTexts()
	for group, last := range w.stamp.texts() {
		switch {
		case !groups.Has(group) || last.Exact == held[group].Exact:
			continue
		case group == shopadapter.FieldTitle, group == shopadapter.FieldDescription:
			last.ReadBack(held[group])
		case group == shopadapter.FieldCategory:
			w.a.categories.Forget() // the category that was asked for is no more
			fallthrough
		default:
			last.Hash = held[group]
		}
		differs = true
	}
	return differs
}

// discard deletes a product of ours that was never finished.
func (w *write) discard(ctx context.Context) error {
	if w.stamp.Done || w.stamp.Adopted || w.view.ID == 0 {
		return nil
	}
	return w.a.Remove(ctx, int64(w.view.ID))
}
