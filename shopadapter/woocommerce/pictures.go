package woocommerce

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// planPictures reports whether the pictures are to be written. before is the stamp that the shop
// holds.
func (w *write) planPictures(ctx context.Context, before productStamp) (writes bool, err error) {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return false, nil
	}
	album := picture.Open(&w.state.Memory, w.want.pictures, w.Ref.Asked, picture.Call{
		Product: pictured{w, before}, Client: w.a.Client, Try: w.a.try, Repeated: w.repeated,
		Until: time.Now().Add(w.a.patience.pictures - w.waited),
	})
	writes = w.Decide(shopadapter.FieldImages, w.heldPictures(), stamp.HashList(album.Wanted()), &w.stamp.Images)
	if !w.Keeps(shopadapter.FieldImages) { // the merchant chose the pictures: none is missing
		w.album = album
	}
	return writes, nil
}

func (w *write) shownMarks() []string { return picture.Marks(w.view.Images, w.state.Pictures) }

func (w *write) heldPictures() stamp.Hash { return stamp.HashList(w.shownMarks()) }

// A pictured is the product of a write, as its pictures see it.
type pictured struct {
	*write
	before productStamp // the one that the shop holds
}

func (p pictured) ID() int64           { return int64(p.view.ID) }
func (p pictured) OnSale() bool        { return p.view.Status == "publish" }
func (p pictured) Shown() []rest.Image { return p.view.Images }

func (p pictured) Put(ctx context.Context, fields map[string]any, marks []string, until time.Time) error {
	s := p.stampWith(marks)
	err := p.put(ctx, fields, s, until)
	if err == nil {
		p.stamp = s
	}
	return err
}

// stampWith is the stamp of a product that shows the pictures of these marks.
func (p pictured) stampWith(marks []string) productStamp {
	s := p.stamp
	s.Images.Hash, s.OneByOne, s.Pictures = stamp.HashList(marks), p.state.OneByOne, p.state.Remembered(p.view.Images)
	return s
}

func (p pictured) Holds(marks []string) bool {
	s := p.stampWith(marks)
	s.Product, s.Pictures, s.OneByOne = p.before.Product, p.before.Pictures, p.before.OneByOne
	holds := stamp.Encode(s) == stamp.Encode(p.before) &&
		slices.Equal(marks, p.shownMarks())
	if holds {
		p.stamp.Images = s.Images
	}
	return holds
}
