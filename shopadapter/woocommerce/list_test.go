package woocommerce

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// The whole shop is listed at a request for a hundred products, and no more: the connector does so
// every day.
func TestListingsCost(t *testing.T) {
	for _, tt := range []struct{ products, requests int }{{0, 1}, {99, 1}, {100, 1}, {101, 2}, {300, 3}} {
		f := newFakeShop(t)
		a := f.connect(t, quickly(), nil)
		for i := range tt.products {
			p := sample(fmt.Sprint("listed-", i), 1)
			f.NextPost++
			own := &fakeshop.Post{
				ID:         f.NextPost,
				Kind:       "simple",
				Status:     "publish",
				Name:       p.Title,
				Slug:       fmt.Sprint("p", i),
				Backorders: "no",
				Meta:       map[string]any{},
			}
			if i%3 > 0 {
				note := newStamp(p.ID)
				note.Product = own.ID
				own.Meta[rest.StampKey] = stamp.Encode(note)
			}
			f.Posts[own.ID] = own
		}
		f.Requests()
		listed := 0
		for _, err := range a.List(t.Context(), shopadapter.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			listed++
		}
		if want := tt.products - (tt.products+2)/3; listed != want {
			t.Errorf("of %d products %d are listed, want %d", tt.products, listed, want)
		}
		if n := len(f.Requests()); n != tt.requests {
			t.Errorf("%d products took %d requests, want %d", tt.products, n, tt.requests)
		}
	}
}

// A product that the merchant made a draft or private is not on sale, and one in the trash is not
// listed.
func TestListingsTellWhatIsOnSale(t *testing.T) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil)
	want := map[string]bool{"publish": true, "draft": false, "private": false, "pending": false, "future": false}
	for status := range want {
		_, l := must(t, a, refOf(sample(status, 1)), sample(status, 1), shopadapter.AllFields)
		f.Find(l.ID).Status = status
	}
	_, l := must(t, a, refOf(sample("trash", 1)), sample("trash", 1), shopadapter.AllFields)
	f.TrashByHand(l.ID)
	for l, err := range a.List(t.Context(), shopadapter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		status := string(l.Ref.Publication)
		onSale, known := want[status]
		if !known || l.OnSale != onSale || (l.URL != "") != onSale {
			t.Errorf("%s: on sale %t at %q, want listed %t, on sale %t", status, l.OnSale, l.URL, known, onSale)
		}
		delete(want, status)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}
