package woocommerce

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// The hint is lost, and the listing was made under a SKU that is none of today's. It shows up at
// the variations and goes on.
func TestShapeChangedWhileTheStoreWasLost(t *testing.T) {
	for _, sizes := range [][2]int{{1, 3}, {3, 1}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			f := newFakeShop(t)
			p, q := sample("lost", sizes[0]), sample("lost", sizes[1])
			ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
			again, _ := must(t, f.connect(t, quickly(), nil), refOf(q), q, shopadapter.AllFields)
			if again.Listing != ref.Listing || f.inconsistent(q) != "" {
				t.Errorf("listing %s again, want %s: %s", again.Listing, ref.Listing, f.inconsistent(q))
			}
			if products, _ := f.Observe(t.Context()); len(products) != 1 {
				t.Errorf("%d products, want 1", len(products))
			}
		})
	}
}

// A product that was taken out of sale comes back with the next change, even one that is written
// without a look.
func TestOfflineAndBackWithAPrice(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, byHand := range []bool{false, true} {
			f, a := opened(t)
			p := sample("offline", n)
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if byHand {
				f.Find(l.ID).Status = "draft"
			} else if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil {
				t.Fatal(err)
			}
			p.Variants[0].Price = "5.00"
			must(t, a, ref, p, shopadapter.FieldPrice)
			if broken := f.inconsistent(p); broken != "" {
				t.Errorf("%d variants, by hand %t: %s", n, byHand, broken)
			}
		}
	}
}

// A stale hint leads to a look-up, and a SKU with a comma is not to be asked for among others.
func TestStaleHintAndACommaInTheSKU(t *testing.T) {
	_, a := opened(t)
	p := sample("comma", 1)
	p.Variants[0].SKU = "LAMP,SMALL"
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	ref.Listing, ref.State = "9", nil
	if _, again := must(t, a, ref, p, shopadapter.AllFields); again.ID != l.ID {
		t.Errorf("listing %s, want %s", again.ID, l.ID)
	}
}

func TestTrash(t *testing.T) {
	f, a := opened(t)
	p := sample("trashed", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.TrashByHand(l.ID)
	for _, changed := range []shopadapter.Fields{shopadapter.AllFields, shopadapter.FieldPrice} {
		if _, err := a.Publish(t.Context(), ref, p, changed); !errors.Is(err, shopadapter.ErrGone) {
			t.Errorf("changed %s: %v, want ErrGone", changed, err)
		}
	}
	if f.Find(l.ID).Status != "trash" {
		t.Errorf("the product is %s, want trash", f.Find(l.ID).Status)
	}
	back, m := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	if back.Listing != ref.Listing || f.inconsistent(p) != "" {
		t.Errorf("came back as listing %s, want %s: %s", back.Listing, ref.Listing, f.inconsistent(p))
	}
	if diff := cmp.Diff(l.Variants, m.Variants); diff != "" {
		t.Errorf("variations were made anew (-want +got):\n%s", diff)
	}
}
