package woocommerce

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// mostRounds bounds how often the variations are read again because the shop holds something else
// than was thought.
const mostRounds = 4

// sync brings the variations in line; where structural is false, their prices and stock alone.
func (w *write) sync(ctx context.Context, structural bool) error {
	for range mostRounds {
		p := w.plan(!structural)
		if p.Chooses() {
			if err := w.offerFirst(ctx); err != nil {
				return err
			}
		}
		sure, err := w.carryOut(ctx, p)
		if err != nil {
			return err
		}
		made := slices.ContainsFunc(p.Create, func(o variation.Op) bool { return w.lastWritten(o).ID > 0 })
		// Where a request of the past may still have been at work, the additions are looked at once
		// more for doubles.
		if sure && (w.fresh || w.turned || w.trust || !made) {
			return w.accepted(ctx)
		}
		if err := w.readVariations(ctx); err != nil {
			return err
		}
		if !structural && (w.Variants.Incomplete() || len(w.Surplus) > 0) {
			if w.Unclear == nil {
				structural, w.Changed = true, w.Changed|shopadapter.FieldVariants
			}
			w.Clash = w.Unclear
		}
	}
	return shopadapter.Retry("the variations of product %d keep changing in the shop", w.view.ID)
}

// lastWritten is what was written last to the variation that an operation is about.
func (w *write) lastWritten(o variation.Op) (s variation.Written) {
	for _, v := range w.Variants {
		if v.ID == o.Wanted.ID && !v.Unmade() {
			s = v.Held.Written
		}
	}
	return s
}

// wrote records what an operation has left.
func (w *write) wrote(o variation.Op, s variation.Written) {
	for i := range w.Variants {
		if v := &w.Variants[i]; v.ID == o.Wanted.ID {
			v.Held = &variation.Held{Written: s, Key: v.ID}
		}
	}
}

// accepted ends the work on the variations: with an error where the shop refuses every one, and
// otherwise by taking out of sale those it has and refuses to change.
func (w *write) accepted(ctx context.Context) error {
	var hide variation.Plan
	accepted := 0
	for _, v := range w.Variants {
		switch {
		case w.Refused[v.ID] == "":
			accepted++
		case !v.Unmade() && v.Held.Form != "" && !v.Held.SwitchedOff():
			hide.Update = append(hide.Update, w.set().Withheld(v, w.stamp.Adopted))
		}
	}
	if accepted == 0 {
		return w.Refused.None(w.Product)
	}
	for batch := range hide.Batches() {
		got, err := w.batch(ctx, batch)
		if err != nil {
			return err
		}
		for i, o := range batch.Update {
			if got.Update[i].Error == nil {
				w.wrote(o, o.After)
			}
		}
	}
	return nil
}

// carryOut makes the requests of a plan. sure is false where an answer shows that the plan was made
// from a wrong picture.
func (w *write) carryOut(ctx context.Context, p variation.Plan) (sure bool, err error) {
	if err := w.each(ctx, p.Clear, map[string]any{"sku": ""}); err != nil {
		return false, err
	}
	if err := w.each(ctx, p.Release, map[string]any{"status": "private", "meta_data": noStamp()}); err != nil {
		return false, err
	}
	sure = true
	for batch := range p.Batches() {
		got, err := w.batch(ctx, batch)
		if rest.Gone(err) || rest.HasCode(err, rest.CodeNoVariation) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		items, ops := slices.Concat(got.Create, got.Update), slices.Concat(batch.Create, batch.Update)
		if err := w.withoutEANs(ctx, ops, items); err != nil {
			return false, err
		}
		for i, o := range ops {
			fine, err := w.outcome(ctx, o, items[i])
			if err != nil {
				return false, err
			}
			sure = sure && fine
		}
		shown, err := w.putOnSale(ctx, slices.Concat(batch.Create, batch.Update))
		if err != nil {
			return false, err
		}
		sure = sure && shown
		for _, item := range got.Delete {
			if item.Error != nil && item.Error.Code != rest.CodeNoVariation {
				return false, shopadapter.Retry("the shop does not delete a variation: %s", w.a.RefusalOf(*item.Error, 0).Message)
			}
		}
	}
	return sure, nil
}

// putOnSale puts variations on sale that were made private because their product is on sale. shown
// is false where the shop refuses one: it is looked at again.
func (w *write) putOnSale(ctx context.Context, written []variation.Op) (shown bool, err error) {
	var p variation.Plan
	if len(w.Matches) == 0 {
		return true, nil // figures alone were written
	}
	for _, o := range written {
		if show, ok := w.set().Shown(o, w.lastWritten(o)); ok {
			p.Update = append(p.Update, show)
		}
	}
	shown = true
	for batch := range p.Batches() {
		got, err := w.batch(ctx, batch)
		if err != nil {
			return false, err
		}
		for i, o := range batch.Update {
			if got.Update[i].Error != nil {
				shown = false
				continue
			}
			w.wrote(o, o.After)
		}
	}
	return shown, nil
}

// each writes the same to several variations. One that is gone is no error.
func (w *write) each(ctx context.Context, ids []int64, fields map[string]any) error {
	var p variation.Plan
	for _, id := range ids {
		body := maps.Clone(fields)
		body["id"] = id
		p.Update = append(p.Update, variation.Op{ID: id, Body: body})
	}
	for batch := range p.Batches() {
		if _, err := w.batch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// outcome records how one operation ended. fine is false where the variations have to be read
// again.
func (w *write) outcome(ctx context.Context, o variation.Op, item rest.BatchItem) (fine bool, err error) {
	if item.Error == nil {
		if item.ID <= 0 || o.ID > 0 && int64(item.ID) != o.ID {
			w.state.unanswered(false)
			return false, shopadapter.Retry("the shop answered a batch with something else than was asked for")
		}
		s := o.After
		s.ID = int64(item.ID)
		w.wrote(o, s)
		delete(w.Refused, o.Wanted.ID)
		w.learnPrefix(string(item.Link))
		return true, nil
	}
	r := w.a.RefusalOf(*item.Error, int(item.Error.Data.Status))
	switch {
	case r.Code == rest.CodeNoVariation, r.Code == rest.CodeNotCreated:
		return false, nil
	case r.Status >= http.StatusInternalServerError || r.Code == "":
		return false, shopadapter.Retry("the shop could not write a variation: %s", r.Message)
	case r.Code == rest.CodeSKU && r.Resource > 0:
		return w.skuTaken(ctx, o, r)
	}
	w.Refused[o.Wanted.ID] = r.Message
	return true, nil
}

// learnPrefix records what the address of a variation begins with, where it is not that of the
// product.
func (w *write) learnPrefix(link string) {
	if w.view.Status == "publish" && w.state.Prefix == "" && !w.shown(link) {
		w.state.Prefix = beforeQuery(link)
	}
}

// skuTaken judges a variation whose SKU stands elsewhere in the shop.
func (w *write) skuTaken(ctx context.Context, o variation.Op, r *rest.Refusal) (fine bool, err error) {
	owner, hit, err := w.a.owner(ctx, r.Resource)
	switch {
	case err != nil:
		return false, err
	case owner.ID == 0, owner.ID == w.view.ID && hit.ID != owner.ID:
		return false, nil // one of our own, of which the picture was wrong
	case w.a.owned(owner, w.Ref.Publication) && owner.ID != w.view.ID && !w.stamp.Done:
		return false, &elsewhere{owner}
	}
	blocked := w.foreign(owner, o.Wanted.SKU)
	if !w.stamp.Done {
		if w.a.adopting && !w.stamp.Adopted {
			return false, &adoptable{owner, hit, o.Wanted.SKU}
		}
		return false, blocked
	}
	w.Refused[o.Wanted.ID] = blocked.Message
	return true, nil
}

// batch makes one request of a plan.
func (w *write) batch(ctx context.Context, p variation.Plan) (rest.BatchAnswer, error) {
	got, err := p.Send(ctx, w.a.Client, w.state.ID)
	if err != nil && rest.Uncertain(err) {
		w.state.unanswered(false)
	}
	return got, err
}

// plan compares what is wanted with what is held. figures: nothing but price and stock is written.
func (w *write) plan(figures bool) variation.Plan {
	return w.set().Plan(w.Variants, w.Surplus, variation.Situation{
		Changed: w.Changed, Figures: figures, Listed: w.listed, Unsure: w.Unsure, Left: w.Ref.OnSale,
		Written: w.odd != "", Adopted: w.stamp.Adopted, Live: w.view.Status == "publish",
		Revive: w.Ref.Revive,
	})
}

func (w *write) set() *variation.Set {
	last := map[int64]variation.Written{}
	for _, one := range w.state.Variants {
		last[one.ID] = one
	}
	set := &variation.Set{
		Publication: w.Ref.Publication, Match: w.Matches, Last: last, Details: w.variationSizes,
	}
	if w.Ref.Revive {
		set.Unstamped = map[int64]string{}
		for id, one := range w.state.Variants {
			set.Unstamped[one.ID] = id
		}
	}
	return set
}
