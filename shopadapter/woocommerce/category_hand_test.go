package woocommerce

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A product that the merchant took out of a category that is still there stays out of it.
func TestAProductThatWasTakenOutOfItsCategory(t *testing.T) {
	f, a := opened(t)
	p := sample("taken-out", 1)
	p.Category = in("H_L", "Home & Garden", "Lighting")
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.Mu.Lock()
	for _, post := range f.Posts {
		post.Categories = []int64{15}
	}
	f.Mu.Unlock()
	if got := observed(t, a, shopadapter.Query{})[p.ID].Edited; got != shopadapter.FieldCategory {
		t.Errorf("edited by hand: %s, want the category", got)
	}
	_, l := must(t, a, ref, p, shopadapter.FieldCategory)
	if got := f.seen(t, p.ID).Category; got != "Uncategorized" {
		t.Errorf("the product is in %q, want Uncategorized", got)
	}
	if l.Kept != shopadapter.FieldCategory {
		t.Errorf("kept %s, want the category", l.Kept)
	}
}
