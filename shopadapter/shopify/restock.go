package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Restock writes prices and stock of the variants that the product has. Texts, pictures and stamp
// are neither read nor written. The whole product is needed where the shop's stamp is not the one
// of ref.State, and where Publish would write more than these figures.
func (a *Adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	s, err := a.knowShop(ctx, a.checkSchema)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	have, err := a.readFigures(ctx, s, ref.Publication, len(variants))
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if err := ref.Drift(have != nil, have != nil && have.onSale()); err != nil {
		return shopadapter.Listing{}, err
	}
	if have == nil || !have.onSale() || ref.Reset != shopadapter.NoFields {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	prices, err := a.prices.Get(ctx, false)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	variants = prices.Figures(variants)
	w := a.newWrite(
		s,
		have,
		ref,
		shopadapter.Product{ID: ref.Publication},
		changed&(shopadapter.FieldPrice|shopadapter.FieldStock),
	)
	if w.Unsure || !w.planFigures(variants) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	err = w.putFigures(ctx)
	if err != nil && shopadapter.Explain(err).Kind == shopadapter.Rejected {
		return shopadapter.Listing{}, shopadapter.ErrWhole // Publish leaves out what the shop refuses
	}
	return w.restocked(ref), err
}

// planFigures finds the variant of each of the figures by its mark. ok is false where the marked
// variants are not exactly these, and where Publish would refuse one. A variant without a mark is
// the merchant's.
func (w *write) planFigures(figures []shopadapter.Figures) (ok bool) {
	byMark := make(map[string]shopadapter.Figures, len(figures))
	for _, f := range figures {
		if !amount.MatchString(f.Price) {
			return false
		}
		byMark[stamp.Key(f.ID)] = f
	}
	if len(byMark) != len(figures) || len(figures) == 0 {
		return false
	}
	for i := range w.have.Variants.Nodes {
		v := &w.have.Variants.Nodes[i]
		if v.Mark == nil {
			continue
		}
		f, ours := byMark[v.Mark.Value]
		if !ours {
			return false
		}
		delete(byMark, v.Mark.Value)
		w.plan.offers = append(w.plan.offers, &offer{shown: v, variant: f.On(shopadapter.Variant{ID: f.ID})})
	}
	w.lists = w.Changed != shopadapter.NoFields
	return len(byMark) == 0
}

// putFigures writes what is planned, and nothing where the shop refuses some of it.
func (w *write) putFigures(ctx context.Context) error {
	if !w.lists {
		return nil
	}
	set, _ := w.setInput()
	var answer writeAnswer
	if err := w.a.call(ctx, w.request(nil, set, 0), &answer); err != nil {
		return step.Within("write figures", err)
	}
	made, faults, err := w.a.outcome(ctx, answer.Set)
	if err != nil {
		return err
	}
	for _, e := range faults {
		if err := w.a.standing(e); err != nil {
			return err
		}
	}
	switch {
	case len(faults) > 0:
		return step.Within("write figures", w.a.refusal(faults[0]))
	case made == nil:
		return shopadapter.Retry("the shop's answer lacks the product")
	}
	return nil
}

// restocked is the listing after a Restock, however it ended: the stamp, and with it the state, is
// as it was.
func (w *write) restocked(ref shopadapter.Ref) shopadapter.Listing {
	l := w.listing()
	l.State = ref.State
	return l
}
