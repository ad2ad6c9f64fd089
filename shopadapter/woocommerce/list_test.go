package woocommerce

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A product that the merchant made a draft or private is not on sale, and one in the trash is not
// listed.
func TestListingsTellWhatIsOnSale(t *testing.T) {
	f, a := opened(t)
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
