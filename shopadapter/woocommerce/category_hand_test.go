package woocommerce

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A category that the merchant renamed stays the one of its branch: for the products that are there,
// for new ones, and after a restart. Where the merchant types another slug too, the products that
// are there stay where they are.
func TestARenamedCategoryStaysTheOneOfItsBranch(t *testing.T) {
	for _, tt := range []struct{ name, renamed, to, slug string }{
		{"the category", "Wooden toys", "Toys of wood", ""},
		{"one above it", "Toys", "For children", ""},
		{"the category, with its slug", "Wooden toys", "Toys of wood", "of-wood"},
		{"one above it, with its slug", "Toys", "For children", "children"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChain(t)
				first := shopadapter.PublicationID(c.addIn("TOYS_PLAY_WOODEN", "blocks", 1))
				c.run(false)
				before := len(c.shop.Branches())
				c.shop.RenameCategory(tt.renamed, tt.to, tt.slug)
				stands := c.shop.seen(t, first).Category
				time.Sleep(time.Hour)
				c.run(true)
				if got := c.shop.seen(t, first).Category; got != stands {
					t.Errorf("the product is in %q, want %q still", got, stands)
				}
				if tt.slug == "" { // a new process knows it by its slug alone
					second := shopadapter.PublicationID(c.addIn("TOYS_PLAY_WOODEN", "train", 1))
					c.run(false)
					if got := c.shop.seen(t, second).Category; got != stands {
						t.Errorf("the new product is in %q, want %q", got, stands)
					}
				}
				if made := c.shop.Branches(); len(made) != before {
					t.Errorf("the categories are %q, want %d", made, before)
				}
			})
		})
	}
}

// A category that was deleted is made again once the shop is compared with the store, and nobody is
// told that the merchant took the product out of it.
func TestADeletedCategoryIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		id := shopadapter.PublicationID(c.addIn("TOYS_PLAY_WOODEN", "blocks", 1))
		c.run(false)
		before := c.shop.Branches()
		c.shop.DeleteCategory("Wooden toys")
		time.Sleep(time.Hour)
		a := c.shop.connect(t, quickly(), nil)
		if got := observed(t, a, shopadapter.Query{})[id].Edited; got != shopadapter.NoFields {
			t.Errorf("edited by hand: %s, want nothing", got)
		}
		c.run(true)
		if made := c.shop.Branches(); !slices.Equal(made, before) {
			t.Errorf("the categories are %q, want %q", made, before)
		}
		if got := c.shop.seen(t, id).Category; got != "Wooden toys" {
			t.Errorf("the product is in %q, want Wooden toys", got)
		}
	})
}

// A product that the merchant took out of a category that is still there stays out of it.
func TestAProductThatWasTakenOutOfItsCategory(t *testing.T) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil)
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
