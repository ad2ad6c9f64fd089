package shopify_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A product whose key was cleared is the publication's where its stamp, which is a metafield of its
// own, or the State says so. It is told, and taken back with the merchant's edits.
func TestAProductWithoutItsKey(t *testing.T) {
	for _, tc := range []struct {
		name       string
		cleared    []string
		state, own bool // the caller has the State; the product is the publication's
	}{
		{"the key, with the state", []string{"pubsync.publication"}, true, true},
		{"the key, without the state", []string{"pubsync.publication"}, false, true},
		{"both, with the state", []string{"pubsync.publication", "pubsync.stamp"}, true, true},
		{"both, without the state", []string{"pubsync.publication", "pubsync.stamp"}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 2)
			ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			ref.OnSale = true
			if !tc.state {
				ref.State = nil
			}
			if err := fake.byHand(l.ID, func(held *fakeProduct) {
				for _, name := range tc.cleared {
					delete(held.metafields, name)
				}
				held.title = "My own lamp"
			}); err != nil {
				t.Fatal(err)
			}
			_, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if !tc.own {
				if !errors.Is(err, shopadapter.ErrGone) {
					t.Errorf("the error is %v, want ErrGone", err)
				}
				return
			}
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || !strings.Contains(e.Message, "«My own lamp»") {
				t.Fatalf("the error is %v, want Blocked with the product's name", err)
			}
			ref.Asked, ref.Revive = true, true
			back, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if err != nil || back.ID != l.ID || back.Kept != shopadapter.FieldTitle {
				t.Fatalf("asked for: the listing is %s, kept %s, %v", back.ID, back.Kept, err)
			}
			if got := fake.sole(t); got.title != "My own lamp" || got.metafields["pubsync.publication"] != "p" {
				t.Errorf("asked for: the title is %q, the metafields %v", got.title, got.metafields)
			}
			ref.Asked, ref.Revive, ref.State = false, false, back.State
			if _, l := publish(t, a, ref, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("once it was taken back %s is kept, want the title", l.Kept)
			}
		})
	}
}

// One that a person takes off sale has its key again: putting it back on sale makes no second one.
func TestAProductWithoutItsKeyIsWithdrawn(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 2)
	ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if err := fake.deleteStamp(t.Context(), l.ID); err != nil {
		t.Fatal(err)
	}
	ref.Revive = true
	if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil {
		t.Fatal(err)
	}
	if fake.sole(t).onSale() {
		t.Error("the product is on sale still")
	}
	if _, again := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields); again.ID != l.ID {
		t.Errorf("published again it is %s, want %s", again.ID, l.ID)
	}
}
