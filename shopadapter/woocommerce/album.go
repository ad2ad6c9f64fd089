package woocommerce

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// An album is the pictures that one call of Publish writes.
type album struct {
	wanted  []picture                      // to be shown, in order: those that the shop may still take
	missing map[string]shopadapter.Picture // by address: those that are left out, and why
	down    map[string]int                 // by host: how many of its pictures the shop could not load in this call
	later   []picture                      // to be added one by one, by a look at a product that is on sale
	deaths  int                            // how often PHP died on a picture in this call
	// the shop accepted a write in this call: a death after it is the picture's fault
	taken   bool
	until   time.Time // when the time is over that all pictures have together
	inDoubt bool      // the shop may still be loading a picture; the product is on sale without it
}

// planPictures tells whether the pictures are to be written.
func (w *write) planPictures() bool {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return false
	}
	w.recallPictures()
	a := &album{
		missing: map[string]shopadapter.Picture{},
		down:    map[string]int{},
		until:   time.Now().Add(w.a.patience.pictures - w.waited),
	}
	for _, address := range w.want.unusable {
		a.missing[address] = shopadapter.Picture{URL: address, Reason: unusableReason}
	}
	for _, p := range w.want.pictures {
		if why, no := w.state.Refused[p.mark]; no {
			a.missing[p.address] = shopadapter.Picture{URL: p.address, Reason: why}
		} else {
			a.wanted = append(a.wanted, p)
		}
	}
	writes := w.Decide(shopadapter.FieldImages, w.heldPictures(), stamp.HashList(marksOf(a.wanted)), &w.stamp.Images)
	if !w.Keeps(shopadapter.FieldImages) { // the merchant chose the pictures: none is missing
		w.album = a
	}
	return writes
}

// recallPictures resets what was learned of single pictures: refusals and deaths. Two things reset
// it: a person who asks (Ref.Asked) and another list of pictures. Until then explain shows each
// refusal with its reason.
func (w *write) recallPictures() {
	list := stamp.HashList(slices.Concat(marksOf(w.want.pictures), w.want.unusable)).Exact
	if w.ref.Asked || w.state.Album != list {
		w.state.Refused, w.state.Tried = nil, nil
	}
	w.state.Album = list
}

func marksOf(pictures []picture) []string {
	marks := make([]string, 0, len(pictures))
	for _, p := range pictures {
		marks = append(marks, p.mark)
	}
	return marks
}

func (w *write) heldPictures() stamp.Hash {
	return stamp.HashList(pictureMarks(w.view.Images, w.state.Pictures))
}

// missingPictures is what the product does not show, in the order of the product's pictures. nil
// where the pictures were not written, or are the merchant's.
func (w *write) missingPictures() []shopadapter.Picture {
	if w.album == nil {
		return nil
	}
	shown := pictureMarks(w.view.Images, w.state.Pictures)
	seen := map[string]bool{}
	var list []shopadapter.Picture
	for _, address := range w.from.Images {
		m, left := w.album.missing[address]
		if !left && !slices.Contains(shown, stamp.Digest(address, markSize)) {
			m, left = shopadapter.Picture{
				URL:    address,
				Reason: "the shop does not show it and does not say why",
				Later:  true,
			}, true
		}
		if left && !seen[address] {
			seen[address] = true
			list = append(list, m)
		}
	}
	return list
}

// items is a list of pictures for one request, of which at most size are new to the shop. Where it
// cannot hold all, what the product shows already stays at its end for the time being.
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
	if len(loading) < w.lacking(pictures) {
		held := pictureMarks(w.view.Images, w.state.Pictures)
		for i, mark := range held {
			if !slices.Contains(marks, mark) {
				items, marks = append(items, upload{ID: int64(w.view.Images[i].ID)}), append(marks, mark)
			}
		}
	}
	return items, marks, loading
}

// itemsOf is the pictures that a product shows, as a request that changes nothing.
func itemsOf(shown []rest.Image) []upload {
	items := make([]upload, 0, len(shown))
	for _, i := range shown {
		items = append(items, upload{ID: int64(i.ID)})
	}
	return items
}

// lacking is how many of the pictures the shop does not have yet.
func (w *write) lacking(pictures []picture) int {
	n := 0
	for _, p := range pictures {
		if w.state.Pictures[p.mark] == 0 {
			n++
		}
	}
	return n
}

// learn notes the ids of the pictures that were just written, which the shop answers in the order
// of the request.
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

// remembered is the pictures for the stamp: those that are shown, and as many of the others as
// there is room for.
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
