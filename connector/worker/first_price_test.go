package worker_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A new product whose price lies far from what is usual is planned as held and is held, whole:
// nothing is written or reported until a person approves that price.
func TestAFirstPriceIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		sound := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})[0]
		id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("95.00", "20.00", 5)})[0]
		if wrong := harness.PlanLaw(t.Context(), b, true); wrong != "" {
			t.Error(wrong)
		}
		if s := b.Once(false); s.Held != 1 || s.Exit != desk.ExitStanding || b.State(id) != store.StateHeld ||
			b.State(sound) != store.StateLive {
			t.Fatalf("%+v, %s and %s, want the dear one alone held", s, b.State(id), b.State(sound))
		}
		for _, c := range b.Shop.Since(0) {
			if string(c.ID) == id {
				t.Errorf("the shop is called: %s, want no call", c.Method)
			}
		}
		for _, r := range b.Market.Reports() {
			if r.ID == id {
				t.Errorf("it is reported %s, want no report", r.Status)
			}
		}
		if n, err := harness.ApproveAll(b.Store, store.HoldPrice); err != nil || n != 0 {
			t.Errorf("%d approved as changes of price, %v, want no error and 0", n, err)
		}
		if n, err := harness.ApproveAll(b.Store, store.HoldFirstPrice); err != nil || n != 1 {
			t.Fatalf("%d approved, %v, want no error and 1", n, err)
		}
		if wrong := harness.PlanLaw(t.Context(), b, false); wrong != "" {
			t.Error(wrong)
		}
		if p, onSale := b.Shop.Get(id); !onSale || p.Variants[0].Price != "95.00" || b.Status(id) != "success" {
			t.Errorf(
				"approved: on sale is %t, %+v, reported %s, want on sale for 95.00 and success",
				onSale,
				p.Variants,
				b.Status(id),
			)
		}

		// A new variant of what is on sale is held back alone.
		b.Update(sound, func(l *sandbox.Listing) {
			l.Variants[0].Quantity = 3
			l.Variants = append(l.Variants, sandbox.Variant{
				ID: "v2", SKU: "WC-2", Cost: "95.00", MSRP: "20.00",
				Quantity: 2, Options: []sandbox.Option{{Name: "Size", Value: "L"}},
			})
		})
		if wrong := harness.PlanLaw(t.Context(), b, false); wrong != "" {
			t.Error(wrong)
		}
		p, onSale := b.Shop.Get(sound)
		if !onSale || len(p.Variants) != 1 || p.Variants[0].Quantity != 3 {
			t.Errorf("on sale is %t, with %+v, want true and one variant, 3 in stock", onSale, p.Variants)
		}
		if got := b.State(sound); got != store.StateHeld {
			t.Errorf("it is %s, want %s", got, store.StateHeld)
		}
		if got := b.Status(sound); got != "success" {
			t.Errorf("the marketplace holds %q, want success", got)
		}
		if e, err := harness.Explain(b.Store, publication.Rules{}, sound); err != nil || len(e.Held) != 1 ||
			!strings.Contains(e.Held[0].Reason, "msrp 20 ×") {
			t.Errorf("explain tells of %+v, %v, want the sum", e.Held, err)
		}
		if err := harness.Approve(b.Store, sound); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if p, _ := b.Shop.Get(sound); len(p.Variants) != 2 || b.State(sound) != store.StateLive {
			t.Errorf("approved: %s with %+v, want %s with two variants", b.State(sound), p.Variants, store.StateLive)
		}
	})
}
