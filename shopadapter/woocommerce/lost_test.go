package woocommerce

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// A picture that the media library has lost comes again. One that the merchant took off the product
// is an edit, and so is one of which a closed library tells nothing.
func TestPicturesThatAreShownNoMore(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lose   func(*fakeShop, *fakeshop.Post)
		edited bool
	}{
		{"one was lost", func(f *fakeShop, p *fakeshop.Post) { f.DeletePicture(p.Images[0]) }, false},
		{"all were lost", func(f *fakeShop, p *fakeshop.Post) {
			for _, id := range p.Images {
				f.DeletePicture(id)
			}
		}, false},
		{"one was taken off", func(_ *fakeShop, p *fakeshop.Post) { p.Images = p.Images[1:] }, true},
		{"one was lost, and one was taken off", func(f *fakeShop, p *fakeshop.Post) {
			f.DeletePicture(p.Images[0])
			p.Images = p.Images[1:]
		}, true},
		{"one was lost, and the others were moved", func(f *fakeShop, p *fakeshop.Post) {
			f.DeletePicture(p.Images[0])
			slices.Reverse(p.Images)
		}, true},
		{"one was lost from a closed library", func(f *fakeShop, p *fakeshop.Post) {
			f.DeletePicture(p.Images[0])
			f.Library = true
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.connect(t, quickly(), nil)
			p := shopadaptertest.Sample("lost", 1)
			p.Images = []string{
				"https://images.example.com/1.jpg", "https://images.example.com/2.jpg", "https://images.example.com/3.jpg",
			}
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			own := f.Find(ref.Listing)
			tt.lose(f, own)
			left := len(own.Images)
			o := observed(t, a, shopadapter.Observation{Refs: []shopadapter.Ref{ref}})[p.ID]
			if o.Images != left {
				t.Errorf("the pictures observed are %d, want %d", o.Images, left)
			}
			if got := o.Edited.Has(shopadapter.FieldImages); got != tt.edited {
				t.Errorf("the pictures are edited: %t, want %t", got, tt.edited)
			}
			want := left
			if !tt.edited {
				want = len(p.Images)
			}
			ref.OnSale = true
			_, l := must(t, a, ref, p, shopadapter.FieldImages)
			if got := len(own.Images); got != want {
				t.Errorf("after a write the pictures are %d, want %d", got, want)
			}
			if got := l.Kept.Has(shopadapter.FieldImages); got != tt.edited {
				t.Errorf("they are kept: %t, want %t", got, tt.edited)
			}
		})
	}
}
