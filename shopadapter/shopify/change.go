package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Change writes prices and stock alone. What the shop refuses of them needs the whole product:
// Publish leaves it out.
func (w *write) Change(ctx context.Context, _ bool) error {
	w.lists = w.Changed != shopadapter.NoFields
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
		return shopadapter.ErrWhole
	case made == nil:
		return shopadapter.Retry("the shop's answer lacks the product")
	}
	return nil
}
