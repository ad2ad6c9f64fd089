package woocommerce

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// An attached is a picture in the media library, as WordPress shows it to anybody.
type attached struct {
	ID    number `json:"id"`
	Title struct {
		Rendered text `json:"rendered"`
	} `json:"title"`
}

// findLoaded looks in the shop's media library for pictures that a dead request has loaded and the product does not show. It reports whether there are
// any. WooCommerce's keys do not open the library. WordPress shows anybody the pictures of a product on sale, so findLoaded sends no credentials.
// A library that is closed to strangers counts as empty.
func (w *write) findLoaded(ctx context.Context) bool {
	if w.view.Status != "publish" {
		return false
	}
	got, err := w.a.send(ctx, request{method: http.MethodGet, kind: kindList, query: url.Values{
		"parent": {strconv.FormatInt(int64(w.view.ID), 10)}, "per_page": {"100"}, "orderby": {"id"}, "_fields": {"id,title"},
	}}, w.a.base+mediaPath, false)
	if err != nil || got.status != http.StatusOK {
		return false
	}
	var all list[attached]
	if json.Unmarshal(trimmed(got.body), &all) != nil {
		return false
	}
	byMark := map[string]int64{}
	for _, a := range all {
		if m := markedName.FindStringSubmatch(plain(string(a.Title.Rendered))); m != nil && a.ID > 0 {
			byMark[m[1]] = int64(a.ID)
		}
	}
	found := false
	for _, p := range w.album.later {
		if id := byMark[p.mark]; id > 0 && w.state.Pictures[p.mark] == 0 {
			w.state.Pictures[p.mark], found = id, true
		}
	}
	return found
}

// mediaPath is where WordPress lists its media.
const mediaPath = "/wp-json/wp/v2/media"

// awaitUploads waits for pictures that an earlier call asked for and got no answer to. The shop goes on loading them; a second request would load them
// twice.
func (w *write) awaitUploads(ctx context.Context) error {
	if !w.state.Uploads || w.fresh {
		return nil
	}
	for waits := 0; waits < w.a.patience.steps && !w.arrived() && w.state.since() < w.a.patience.whole(); waits++ {
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
		p, err := w.a.product(ctx, int64(w.view.ID))
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

// arrived tells whether the product shows every picture that is wanted and that the shop has not refused.
func (w *write) arrived() bool {
	held := pictureMarks(w.view.Images, w.state.Pictures)
	return !slices.ContainsFunc(w.want.pictures, func(p picture) bool { return !slices.Contains(held, p.mark) && w.state.Refused[p.mark] == "" })
}
