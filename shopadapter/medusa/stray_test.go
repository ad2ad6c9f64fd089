package medusa_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A draft that a late creation left goes once the product is on sale. One that somebody has worked
// on stays.
func TestALateDraftGoes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		touch func(draft object)
		stays bool
	}{
		{"as it was made", func(object) {}, false},
		{"with the merchant's title", func(draft object) { draft["title"] = "My lamp" }, true},
		{"put on sale", func(draft object) { draft["status"] = "published" }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			a := f.open()
			p := laws.Sample("p", 2)
			l := publish(t, a, p, shopadapter.AllFields)
			late := lateDraft(f)
			tt.touch(late)
			f.products = append([]object{late}, f.products...)
			again, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, Listing: l.ID, OnSale: true}, p,
				shopadapter.FieldTitle)
			if err != nil || again.ID != l.ID {
				t.Errorf("the listing is %s, %v, want %s", again.ID, err, l.ID)
			}
			if stays := len(f.products) == 2; stays != tt.stays {
				t.Errorf("the draft stays: %t, want %t", stays, tt.stays)
			}
		})
	}
}

// lateDraft is what a creation leaves that Medusa carries out after its caller has given up and made
// another product.
func lateDraft(f *fake) object {
	var note struct {
		kit.Note
		kit.Text
	}
	note.Version, note.ID = 1, "p"
	note.Text = kit.WrittenText(shopadapter.Translation{Title: "Lamp"})
	return object{
		"id": f.id("prod"), "handle": "late", "status": "draft", "external_id": f.products[0]["external_id"],
		"title": "Lamp", "description": nil, "metadata": object{"pubsync": kit.Encode(note)},
		"variants": []any{}, "options": []any{}, "images": []any{}, "categories": []any{}, "sales_channels": []any{},
	}
}
