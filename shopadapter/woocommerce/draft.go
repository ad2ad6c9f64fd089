package woocommerce

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// Draft makes the product where there is none, says what to write of it, and finds out which
// variations it has.
func (w *write) Draft(ctx context.Context) error {
	switch {
	case w.blind && (w.Variants.Incomplete() || len(w.Surplus) > 0):
		w.looked = true
		return errAgain
	case w.blind:
		return nil
	}
	if err := w.planSizes(ctx); err != nil {
		return err
	}
	if w.view.ID == 0 {
		if err := w.create(ctx); err != nil {
			return err
		}
	}
	if !w.fresh {
		if err := w.awaitUploads(ctx); err != nil {
			return err
		}
		if w.odd != "" && w.view.Status == "publish" && !w.shown(w.odd) {
			w.state.Prefix = beforeQuery(w.odd) // it is on sale all the same
		}
		w.planTexts()
		if err := w.planCategory(ctx); err != nil {
			return err
		}
	}
	if w.turned = string(w.view.Type) != w.kind(); w.turned {
		w.Changed |= shopadapter.FieldVariants | variation.Figures
	}
	if w.want.variable {
		return w.know(ctx)
	}
	w.Take(w, []variation.Held{{Written: w.itself(), Key: w.Planned[0].ID}})
	return nil
}

func (w *write) kind() string {
	if w.want.variable {
		return "variable"
	}
	return "simple"
}

// awaitUploads waits for pictures that an earlier call asked for and got no answer to. The shop
// goes on loading them; a second request would load them twice.
func (w *write) awaitUploads(ctx context.Context) error {
	if w.state.Loading != 0 {
		w.state.Uploads = false // package picture sees to them, and nothing else waits
	}
	w.repeated = w.state.Uploads
	if !w.state.Uploads {
		return nil
	}
	begun := time.Now()
	defer func() { w.waited = time.Since(begun) }()
	for waits := 0; waits < w.a.patience.steps && !w.state.Arrived(w.want.pictures.Pictures, w.view.Images) &&
		w.state.since() < w.a.patience.whole(); waits++ {
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
		p, err := w.a.Product(ctx, int64(w.view.ID), "")
		if err != nil {
			return err
		}
		if p.ID == 0 {
			return shopadapter.Retry("the product was deleted in the shop at this moment")
		}
		w.hold(p)
		if s := readStamp(w.written); s.owns(int64(p.ID), w.Ref.Publication) {
			w.stamp = s // the write that was waited for had one of its own
		}
	}
	w.state.Uploads = false
	return nil
}
