package woocommerce

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// finish writes what the product itself holds, and puts it on sale. put is what is to be written besides pictures and stamp.
func (w *write) finish(ctx context.Context, put map[string]any) error {
	before := w.stampAsWritten()
	wrote := shopadapter.NoFields
	for field, group := range map[string]shopadapter.Fields{
		"name": shopadapter.FieldTitle, "description": shopadapter.FieldDescription, "categories": shopadapter.FieldCategory,
	} {
		if _, ok := put[field]; ok {
			wrote |= group
		}
	}
	if w.view.Status != "publish" {
		put["status"] = "publish"
	}
	w.stamp.Done, w.stamp.Product, w.stamp.Pictures = true, int64(w.view.ID), w.remembered()
	pictures := w.planPictures()
	after := w.stamp
	after.Product, after.Pictures = before.Product, before.Pictures
	var err error
	switch {
	case pictures:
		wrote |= shopadapter.FieldImages
		err = w.putPictures(ctx, put)
	case len(put) == 0 && after.encode() == before.encode():
		return nil
	default:
		err = w.put(ctx, put, w.stamp, false)
	}
	if err != nil {
		return err
	}
	if w.view.Status != "publish" {
		return shopadapter.Retry("the shop does not put the product on sale: it is %s", w.a.clean(string(w.view.Status)))
	}
	if !w.readBack(wrote) {
		return nil
	}
	// The shop made something else of a text than it makes of texts. Were the stamp not to know, the supplier's own words would pass for the merchant's.
	return w.put(ctx, map[string]any{}, w.stamp, false)
}

// put writes fields of the product, together with the stamp that speaks of them.
func (w *write) put(ctx context.Context, fields map[string]any, s stamp, uploads bool) error {
	body := maps.Clone(fields)
	if encoded := s.encode(); encoded != w.written {
		body["meta_data"] = []map[string]any{{"key": metaKey, "value": encoded}}
	}
	kind := kindWrite
	if uploads {
		kind = kindUpload
	}
	id := int64(w.view.ID)
	var got product
	_, err := w.a.call(ctx, request{
		method: http.MethodPut, path: productPath(id), body: body, kind: kind,
		query: url.Values{"_fields": {productFields}, "include_meta": {metaKey}},
	}, &got)
	switch r := refused(err); {
	case gone(err):
		return shopadapter.Retry("the product was deleted in the shop at this moment")
	case hasCode(err, codeSKU) && r.resource > 0 && r.resource != id:
		owner, _, failed := w.a.owner(ctx, r.resource)
		if failed != nil {
			return failed
		}
		if owner.ID == 0 || owner.ID == w.view.ID {
			return shopadapter.Retry("the shop has not let go of the SKU yet: %s", r.message)
		}
		return w.foreign(owner, w.want.sku)
	case err != nil:
		if inDoubt(err) {
			w.state.doubt(uploads)
		}
		return err
	case int64(got.ID) != id:
		w.state.doubt(uploads)
		return shopadapter.Retry("the shop answered a write with another product")
	}
	w.hold(got)
	if w.written == "" {
		w.written = s.encode() // not shown, but sent
	}
	return nil
}

// planPictures tells whether the pictures are to be written.
func (w *write) planPictures() bool {
	if !w.changed.Has(shopadapter.FieldImages) {
		return false
	}
	for _, address := range w.want.unusable {
		w.a.logger.Warn("picture left out: its address has no file name of a type that WooCommerce takes", "publication", w.ref.Publication, "picture", address)
	}
	marks := make([]string, 0, len(w.want.pictures))
	for _, p := range w.want.pictures {
		marks = append(marks, p.mark)
	}
	return w.settle(shopadapter.FieldImages, w.heldPictures(), picturesMark(marks), &w.stamp.Images)
}

func (w *write) heldPictures() string {
	return picturesMark(pictureMarks(w.view.Images, w.state.Pictures))
}

// putPictures writes the pictures, a few new ones at a time, and put along with the last of them. A picture that the shop refuses is left out.
func (w *write) putPictures(ctx context.Context, put map[string]any) error {
	pictures, size := slices.Clone(w.want.pictures), mostUploads
	for {
		items, marks, loading := w.items(pictures, size)
		last := len(loading) == w.missing(pictures)
		body := map[string]any{"images": items}
		s := w.stampAsWritten()
		if last {
			maps.Copy(body, put)
			s = w.stamp
		}
		s.Images = picturesMark(marks)
		err := w.put(ctx, body, s, len(loading) > 0)
		switch {
		case err == nil:
			w.learn(marks)
			w.stamp.Images = s.Images
			if last {
				return nil
			}
		case hasCode(err, codeUpload) && len(loading) > 0:
			bad := culprit(loading, refused(err).message)
			if bad < 0 && len(loading) > 1 {
				size = 1 // the shop does not say which it is
				continue
			}
			mark := loading[max(bad, 0)].mark
			pictures = slices.DeleteFunc(pictures, func(p picture) bool { return p.mark == mark })
			w.a.logger.Warn("picture left out: the shop refuses it", "publication", w.ref.Publication, "picture", loading[max(bad, 0)].address,
				"reason", refused(err).message)
		case hasCode(err, codeNoImage) && w.forgetPicture(refused(err).message):
		default:
			return err
		}
	}
}

// items is a list of pictures for one request, of which at most size are new to the shop. Where it cannot hold all, what the product shows
// already stays at its end for the time being.
func (w *write) items(pictures []picture, size int) (items []upload, marks []string, loading []picture) {
	items = []upload{} // an empty list clears the pictures, null is no list
	for _, p := range pictures {
		id := w.state.Pictures[p.mark]
		switch {
		case id > 0:
			items = append(items, upload{ID: id})
		case len(loading) < size:
			loading = append(loading, p)
			items = append(items, upload{Src: p.address, Name: p.name, Alt: w.from.Title})
		default:
			continue
		}
		marks = append(marks, p.mark)
	}
	if len(loading) < w.missing(pictures) {
		held := pictureMarks(w.view.Images, w.state.Pictures)
		for i, mark := range held {
			if !slices.Contains(marks, mark) {
				items, marks = append(items, upload{ID: int64(w.view.Images[i].ID)}), append(marks, mark)
			}
		}
	}
	return items, marks, loading
}

// missing is how many of the pictures the shop does not have yet.
func (w *write) missing(pictures []picture) int {
	n := 0
	for _, p := range pictures {
		if w.state.Pictures[p.mark] == 0 {
			n++
		}
	}
	return n
}

// learn notes the ids of the pictures that were just written, which the shop answers in the order of the request.
func (w *write) learn(marks []string) {
	if len(marks) != len(w.view.Images) {
		return
	}
	for i, mark := range marks {
		if !strings.HasPrefix(mark, "#") {
			w.state.Pictures[mark] = int64(w.view.Images[i].ID)
		}
	}
}

// culprit is the picture that a refusal names, or -1.
func culprit(loading []picture, message string) int {
	found := -1
	for i, p := range loading {
		// The address may be shown escaped, or with another at its beginning.
		named := strings.Contains(message+" ", p.address+". ") || strings.Contains(message+" ", p.address+" ")
		if named && found >= 0 {
			return -1
		}
		if named {
			found = i
		}
	}
	return found
}

var imageNumber = regexp.MustCompile(`#([0-9]+)`)

// forgetPicture drops a picture that the merchant deleted from the media library, and tells whether there was one.
func (w *write) forgetPicture(message string) bool {
	id := int64(-1)
	if found := imageNumber.FindStringSubmatch(message); found != nil {
		if n, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			id = n
		}
	}
	before := len(w.state.Pictures)
	maps.DeleteFunc(w.state.Pictures, func(_ string, known int64) bool { return id < 0 || known == id })
	return len(w.state.Pictures) < before
}

// remembered is the pictures for the stamp: those that are shown, and as many of the others as there is room for.
func (w *write) remembered() map[string]int64 {
	kept := map[string]int64{}
	for i, mark := range pictureMarks(w.view.Images, w.state.Pictures) {
		if !strings.HasPrefix(mark, "#") {
			w.state.Pictures[mark] = int64(w.view.Images[i].ID)
			kept[mark] = int64(w.view.Images[i].ID)
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(w.state.Pictures)) {
		if len(kept) < mostKnown {
			kept[mark] = w.state.Pictures[mark]
		}
	}
	w.state.Pictures = maps.Clone(kept)
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// awaitUploads gives pictures time to arrive that an earlier call asked for and heard nothing of: the shop goes on loading them. Asked for again, they
// would be loaded twice.
func (w *write) awaitUploads(ctx context.Context) error {
	if !w.state.Uploads || w.fresh {
		return nil
	}
	for step := 0; step < w.a.patience.steps && !w.arrived() && w.state.since() < w.a.patience.whole(); step++ {
		if err := pause(ctx, w.a.patience.step); err != nil {
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

// arrived tells whether the product shows every picture that is wanted.
func (w *write) arrived() bool {
	held := pictureMarks(w.view.Images, w.state.Pictures)
	return !slices.ContainsFunc(w.want.pictures, func(p picture) bool { return !slices.Contains(held, p.mark) })
}
