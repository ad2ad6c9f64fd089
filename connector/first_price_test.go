package connector

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A new product whose price lies far from what is usual is planned as held and is held, whole:
// nothing is written or reported until a person approves that price.
func TestAFirstPriceIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		sound := b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "20.00", 5)})[0]
		id := b.box.Add(sandbox.Publication{Listing: oneVariant("95.00", "20.00", 5)})[0]
		if wrong := planLaw(t.Context(), b, true); wrong != "" {
			t.Error(wrong)
		}
		if s := b.once(false); s.Held != 1 || s.Exit != desk.ExitStanding || b.state(id) != store.StateHeld ||
			b.state(sound) != store.StateLive {
			t.Fatalf("%+v, %s and %s, want the dear one alone held", s, b.state(id), b.state(sound))
		}
		for _, c := range b.shop.since(0) {
			if string(c.id) == id {
				t.Errorf("the shop is called: %s", c.method)
			}
		}
		for _, r := range b.box.Reports() {
			if r.ID == id {
				t.Errorf("it is reported %s", r.Status)
			}
		}
		if n, err := ApproveAll(b.store, store.HoldPrice); err != nil || n != 0 {
			t.Errorf("%d approved as changes of price, %v", n, err)
		}
		if n, err := ApproveAll(b.store, store.HoldFirstPrice); err != nil || n != 1 {
			t.Fatalf("%d approved, %v", n, err)
		}
		if wrong := planLaw(t.Context(), b, false); wrong != "" {
			t.Error(wrong)
		}
		if p, onSale := b.shop.get(id); !onSale || p.Variants[0].Price != "95.00" || b.status(id) != "success" {
			t.Errorf("approved: on sale is %t, %+v, reported %s", onSale, p.Variants, b.status(id))
		}

		// A new variant of what is on sale is held back alone.
		b.update(sound, func(l *sandbox.Listing) {
			l.Variants[0].Quantity = 3
			l.Variants = append(l.Variants, sandbox.Variant{
				ID: "v2", SKU: "WC-2", Cost: "95.00", MSRP: "20.00",
				Quantity: 2, Options: []sandbox.Option{{Name: "Size", Value: "L"}},
			})
		})
		if wrong := planLaw(t.Context(), b, false); wrong != "" {
			t.Error(wrong)
		}
		p, onSale := b.shop.get(sound)
		if !onSale || len(p.Variants) != 1 || p.Variants[0].Quantity != 3 || b.state(sound) != store.StateHeld ||
			b.status(sound) != "success" {
			t.Errorf("on sale is %t, %s, reported %s, with %+v", onSale, b.state(sound), b.status(sound), p.Variants)
		}
		if e, err := Explain(b.store, publication.Rules{}, sound); err != nil || len(e.Held) != 1 ||
			!strings.Contains(e.Held[0].Reason, "msrp 20 ×") {
			t.Errorf("explain tells of %+v, %v, want the sum", e.Held, err)
		}
		if err := Approve(b.store, sound); err != nil {
			t.Fatal(err)
		}
		b.once(false)
		if p, _ := b.shop.get(sound); len(p.Variants) != 2 || b.state(sound) != store.StateLive {
			t.Errorf("approved: %s with %+v", b.state(sound), p.Variants)
		}
	})
}
