package woocommerce

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
)

// gone is the marks of pictures that the product no longer shows, where it shows the others as they
// were written. shown are the marks of those that it shows.
func (s productStamp) gone(shown []string) []string {
	marks, ok := stamp.Without(s.Shown, shown)
	if !ok {
		return nil
	}
	return marks
}

// A shelf is the pictures that a product no longer shows: their marks, and what the stamp knows of
// their ids in the library.
type shelf struct {
	product int64
	marks   []string
	ids     map[string]int64
}

// lost is those products of which the shop's library has no picture any more that they no longer
// show. A library that is closed to strangers tells nothing: the merchant has taken them off.
func (a *adapter) lost(ctx context.Context, shelves []shelf) (lost map[int64]bool, err error) {
	lost = map[int64]bool{}
	for run := range slices.Chunk(shelves, picture.MostOwners) {
		var owners []int64
		for _, s := range run {
			owners = append(owners, s.product)
		}
		filed, told, err := picture.Library(ctx, a.Client, joined(owners))
		if err != nil {
			return nil, err
		}
		for _, s := range run {
			lost[s.product] = told && !slices.ContainsFunc(filed, func(f picture.Filed) bool {
				return cmp.Or(f.Product, s.product) == s.product && slices.ContainsFunc(s.marks, func(mark string) bool {
					return f.Mark == mark || f.ID == s.ids[mark]
				})
			})
		}
	}
	return lost, nil
}

// forgetLost has pictures that the shop's library has lost loaded again. One that was taken off the
// product alone is the merchant's edit.
func (w *write) forgetLost(ctx context.Context) error {
	held := w.heldPictures()
	if w.view.Status != "publish" || w.Own || w.stamp.Images.IsOwn(held, w.Unsure) {
		return nil
	}
	gone := w.stamp.gone(w.shownMarks())
	if len(gone) == 0 {
		return nil
	}
	id := int64(w.view.ID)
	lost, err := w.a.lost(ctx, []shelf{{id, gone, w.state.Pictures}})
	if err != nil || !lost[id] {
		return err
	}
	w.a.logger.Info("pictures that the media library has lost are loaded again",
		"publication", w.Ref.Publication, "pictures", len(gone))
	w.stamp.Pictures = maps.Clone(w.stamp.Pictures)
	for _, mark := range gone {
		delete(w.stamp.Pictures, mark)
		delete(w.state.Pictures, mark)
	}
	w.stamp.Images.Hash = held
	return nil
}
