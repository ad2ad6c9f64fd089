package woocommerce

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// awaitUploads waits for pictures that an earlier call asked for and got no answer to. The shop
// goes on loading them; a second request would load them twice.
func (w *write) awaitUploads(ctx context.Context) error {
	if w.state.Loading != 0 {
		w.state.Uploads = false // tryPictures sees to them, and nothing else waits
	}
	w.repeated = w.state.Uploads
	if !w.state.Uploads || w.fresh {
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
		if s := readStamp(w.written); s.owns(int64(p.ID), w.ref.Publication) {
			w.stamp = s // the write that was waited for had one of its own
		}
	}
	w.state.Uploads = false
	return nil
}
