package woocommerce

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An attached is a picture in the media library, as WordPress shows it to anybody.
type attached struct {
	ID    rest.Number `json:"id"`
	Title struct {
		Rendered rest.Text `json:"rendered"`
	} `json:"title"`
	Source  rest.Text `json:"source_url"`
	Details struct {
		Width rest.Number `json:"width"`
	} `json:"media_details"`
}

// findLoaded looks in the shop's media library for those of some pictures that an earlier request
// has loaded and the product does not show, and learns their ids. WooCommerce's keys do not open the
// library. WordPress shows anybody the pictures of a product on sale, so findLoaded sends no
// credentials. A library that is closed to strangers counts as empty.
func (w *write) findLoaded(ctx context.Context, lacking []picture) {
	if w.view.Status != "publish" {
		return
	}
	got, err := w.a.Send(ctx, rest.Request{Method: http.MethodGet, Kind: rest.KindList, Query: url.Values{
		"parent": {
			strconv.FormatInt(int64(w.view.ID), 10),
		}, "per_page": {"100"}, "orderby": {"id"}, "_fields": {"id,title,source_url,media_details"},
	}}, w.a.Base+mediaPath, false)
	if err != nil || got.Status != http.StatusOK {
		return
	}
	var all rest.List[attached]
	if json.Unmarshal(rest.Trimmed(got.Body), &all) != nil {
		return
	}
	byMark, bySource := map[string]int64{}, map[string]int64{}
	for _, a := range all {
		switch m := markedName.FindStringSubmatch(words.Plain(string(a.Title.Rendered))); {
		case a.ID <= 0:
		case m != nil:
			byMark[m[1]] = int64(a.ID)
		case a.Details.Width > 0: // the request ended before it named the picture; one on which PHP died has no details
			bySource[fileStem(string(a.Source))] = int64(a.ID)
		}
	}
	for _, p := range lacking {
		id := byMark[p.mark]
		if stem := fileStem(p.address); id == 0 && w.onlyOne(stem) {
			id = bySource[stem]
		}
		if id > 0 {
			w.state.Pictures[p.mark] = id
			delete(w.state.Tried, p.mark)
		}
	}
	w.stamp.Pictures = w.remembered()
}

// onlyOne tells whether a single picture of the product comes from a file of this name.
func (w *write) onlyOne(stem string) bool {
	n := 0
	for _, p := range w.want.pictures {
		if fileStem(p.address) == stem {
			n++
		}
	}
	return n == 1
}

// numbered is what WordPress puts behind the name of a file: a number where it has another of the
// name, and a word where it made it smaller.
var numbered = regexp.MustCompile(`(-scaled)?(-[0-9]+)?$`)

// fileStem is the name of a file, as the shop knows it again: without number and extension.
func fileStem(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	name := path.Base(u.Path)
	return words.Fold(numbered.ReplaceAllString(strings.TrimSuffix(name, path.Ext(name)), ""))
}

// mediaPath is where WordPress lists its media.
const mediaPath = "/wp-json/wp/v2/media"

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
	for waits := 0; waits < w.a.patience.steps && !w.arrived() && w.state.since() < w.a.patience.whole(); waits++ {
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

// arrived tells whether the product shows every picture that is wanted and that the shop has not
// refused.
func (w *write) arrived() bool {
	held := pictureMarks(w.view.Images, w.state.Pictures)
	return !slices.ContainsFunc(
		w.want.pictures,
		func(p picture) bool { return !slices.Contains(held, p.mark) && w.state.Refused[p.mark] == "" },
	)
}
