package worker_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func TestPriceBrake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})[0]
		b.Once(false)
		set := func(cost, msrp string, quantity int) desk.Summary {
			t.Helper()
			err := b.Market.Update(id, func(l *sandbox.Listing) {
				v := &l.Variants[0]
				v.Cost, v.MSRP, v.Quantity = cost, msrp, quantity
			})
			if err != nil {
				t.Fatal(err)
			}
			return b.Once(false)
		}
		shows := func(price string, quantity int) {
			t.Helper()
			p, onSale := b.Shop.Get(id)
			if v := p.Variants[0]; !onSale || v.Price != price || v.Quantity != quantity {
				t.Errorf("shop shows %s × %d, want %s × %d", v.Price, v.Quantity, price, quantity)
			}
		}

		// A doubled price is held while the stock flows.
		n := len(b.Shop.Since(0))
		if s := set("10.00", "40.00", 3); s.Held != 1 || s.Exit != desk.ExitStanding {
			t.Fatalf("got %+v, want Held 1 and Exit %v", s, desk.ExitStanding)
		}
		shows("20.00", 3)
		if calls := b.Shop.Since(n); len(calls) != 1 || calls[0].Changed != shopadapter.FieldStock {
			t.Errorf("calls %v, want one of the stock alone", calls)
		}
		// An approval is for the value shown, no other.
		if err := harness.Approve(b.Store, id); err != nil {
			t.Fatal(err)
		}
		if s := set("10.00", "50.00", 3); s.Held != 1 {
			t.Fatalf("another value passed on the approval: got %+v, want Held 1", s)
		}
		shows("20.00", 3)
		if err := harness.Approve(b.Store, id); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Held != 0 || s.Exit != desk.ExitOK {
			t.Fatalf("got %+v, want Held 0 and Exit %v", s, desk.ExitOK)
		}
		shows("50.00", 3)
		// Taken back upstream, the hold is gone.
		if s := set("10.00", "200.00", 4); s.Held != 1 {
			t.Fatalf("got %+v, want Held 1", s)
		}
		if s := set("10.00", "50.00", 4); s.Held != 0 || s.Exit != desk.ExitOK {
			t.Fatalf("got %+v, want Held 0 and Exit %v", s, desk.ExitOK)
		}
		shows("50.00", 4)
		// Half as much again is not more than half as much again.
		if s := set("10.00", "75.00", 4); s.Held != 0 {
			t.Fatalf("got %+v, want Held 0", s)
		}
		shows("75.00", 4)
		// While the old price lies below the new floor the variant is sold out.
		if s := set("80.00", "160.00", 4); s.Held != 1 {
			t.Fatalf("got %+v, want Held 1", s)
		}
		shows("75.00", 0)
		if err := harness.Approve(b.Store, id); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		shows("160.00", 4)
	})
}

func TestPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		l := harness.OneVariant("10.00", "20.00", 5)
		l.Variants = append(
			l.Variants,
			sandbox.Variant{
				ID:       "v2",
				SKU:      "WC-2",
				Cost:     "5.00",
				Quantity: 2,
				Options:  []sandbox.Option{{Name: "Size", Value: "L"}},
			},
		)
		id := b.Market.Add(sandbox.Publication{Listing: l})[0]
		if s := b.Once(false); s.Exit != desk.ExitOK || b.State(id) != store.StatePartial {
			t.Fatalf(
				"a variant without msrp: got %+v, %s, want Exit %v and state %v",
				s,
				b.State(id),
				desk.ExitOK,
				store.StatePartial,
			)
		}
		if err := b.Market.SetPrice(id, "v2", "5.00", "9.00"); err != nil {
			t.Fatal(err)
		}
		if b.Once(false); b.State(id) != store.StateLive {
			t.Fatalf("the supplier named a price: %s, want %v", b.State(id), store.StateLive)
		}
		b.Shop.RefuseVariant = func(v shopadapter.Variant) string {
			if v.ID == "v2" && v.Quantity == 9 {
				return "nine is not a number here"
			}
			return ""
		}
		if err := b.Market.SetStock(id, "v2", 9); err != nil {
			t.Fatal(err)
		}
		if b.Once(false); b.State(id) != store.StatePartial {
			t.Fatalf("the shop refused a variant: %s, want %v", b.State(id), store.StatePartial)
		}
		n := len(b.Shop.Since(0))
		b.Once(true)
		if calls := b.Shop.Since(n); len(calls) != 0 {
			t.Errorf("a refused variant was tried again though nothing changed: got %v, want no call", calls)
		}
		if err := b.Market.SetStock(id, "v2", 8); err != nil {
			t.Fatal(err)
		}
		if b.Once(false); b.State(id) != store.StateLive {
			t.Errorf("mended: %s, want %v", b.State(id), store.StateLive)
		}
	})
}

func TestSKUs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Rules.SKUPrefix = "OC-" }
		first := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("1", "2", 1)})[0]
		b.Once(false)
		second := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("1", "2", 1)})[0]
		b.Once(false)
		p, _ := b.Shop.Get(first)
		q, _ := b.Shop.Get(second)
		if p.Variants[0].SKU != "OC-WC-1" || q.Variants[0].SKU == "OC-WC-1" ||
			len(q.Variants[0].SKU) <= len("OC-WC-1") {
			t.Fatalf("SKUs %q and %q, want OC-WC-1 and a longer one", p.Variants[0].SKU, q.Variants[0].SKU)
		}
		suffixed := q.Variants[0].SKU
		for i, id := range []string{second, first, second} {
			if err := b.Market.SetStock(id, "", 10+i); err != nil {
				t.Fatal(err)
			}
			b.Once(false)
		}
		p, _ = b.Shop.Get(first)
		q, _ = b.Shop.Get(second)
		if p.Variants[0].SKU != "OC-WC-1" || q.Variants[0].SKU != suffixed {
			t.Errorf("SKUs moved to %q and %q, want OC-WC-1 and %v", p.Variants[0].SKU, q.Variants[0].SKU, suffixed)
		}
	})
}

func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Rules.Keep = shopadapter.FieldTitle | shopadapter.FieldPrice }
		id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})[0]
		b.Once(false)
		if calls := b.Shop.Since(0); len(calls) != 1 || calls[0].Changed != shopadapter.AllFields {
			t.Fatalf("creation wrote %v, want one call with %s", calls, shopadapter.AllFields)
		}
		if err := b.Market.Update(id, func(l *sandbox.Listing) {
			l.Texts["en"] = sandbox.Text{Title: "Another", Description: "<p>Holds water.</p>"}
			l.Variants[0].MSRP = "90.00"
		}); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Updated != 0 || s.Held != 0 || s.Exit != desk.ExitOK {
			t.Errorf(
				"title and price are the merchant's: got %+v, %v, want Updated 0, Held 0 and Exit %v",
				s,
				b.Shop.Since(1),
				desk.ExitOK,
			)
		}
		if err := b.Market.SetStock(id, "", 9); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if calls := b.Shop.Since(1); len(calls) != 1 || calls[0].Changed != shopadapter.FieldStock {
			t.Errorf("%v, want the stock alone", calls)
		}
	})
}

// A blocked shop is told once, tried again when its check passes, and ends a single run at once.
func TestShopRefusesEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(8)
		refused := shopadapter.Block("the key is refused").Everywhere()
		b.Shop.Refuse = func(harness.Call) error { return refused }
		b.Shop.CheckErr = refused
		s := b.Once(false)
		if s.Exit != desk.ExitShop || s.Seconds > 5 || s.Blocked == 0 {
			t.Fatalf("got %+v, want Exit %v, Seconds at most 5 and some Blocked", s, desk.ExitShop)
		}
		b.Shop.Refuse, b.Shop.CheckErr = nil, nil
		if s := b.Once(false); s.Exit != desk.ExitOK || b.Shop.Count("create") != 8 {
			t.Fatalf("the key is good again: got %+v, want Exit %v and calls of create 8", s, desk.ExitOK)
		}
	})
}

func TestFloorIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		vat := decimal.NewFromInt(21)
		b.Tune = func(o *connector.Options) { o.Rules.Price.VAT = vat }
		id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "9.00", 5)})[0]
		b.Once(false)
		if p, _ := b.Shop.Get(id); p.Variants[0].Price != "12.10" {
			t.Errorf("price %s, want the floor 12.10", p.Variants[0].Price)
		}
	})
}

// A variant whose price vanishes and comes back at ten times what it was is held as any other.
func TestPriceThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		l := harness.OneVariant("10.00", "20.00", 5)
		l.Variants = append(
			l.Variants,
			sandbox.Variant{
				ID:       "v2",
				SKU:      "WC-2",
				Cost:     "5.00",
				MSRP:     "9.00",
				Quantity: 2,
				Options:  []sandbox.Option{{Name: "Size", Value: "L"}},
			},
		)
		id := b.Market.Add(sandbox.Publication{Listing: l})[0]
		b.Once(false)
		for _, step := range []struct {
			msrp  string
			state store.State
			price string
		}{{"", store.StatePartial, ""}, {"90.00", store.StateHeld, "9.00"}, {"9.90", store.StateLive, "9.90"}} {
			if err := b.Market.SetPrice(id, "v2", "5.00", step.msrp); err != nil {
				t.Fatal(err)
			}
			b.Once(false)
			price := ""
			if p, _ := b.Shop.Get(id); len(p.Variants) > 1 {
				price = p.Variants[1].Price
			}
			if b.State(id) != step.state || price != step.price {
				t.Errorf("at msrp %q: %s at %q, want %s at %q", step.msrp, b.State(id), price, step.state, step.price)
			}
		}
	})
}

// A shop whose refusal takes long to check is not asked without rest.
func TestSlowCheckOfARefusedShop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(5)
		refused := shopadapter.Block("the key is refused").Everywhere()
		b.Shop.Refuse = func(harness.Call) error { return refused }
		b.Tune = func(o *connector.Options) { o.Shop = slowCheck{b.Shop, refused} }
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := b.Connector().Run(ctx, connector.Listeners{}); err != nil {
			t.Error(err)
		}
	})
}

type slowCheck struct {
	*harness.Shop
	err error
}

func (s slowCheck) Check(ctx context.Context) error {
	breaker.Sleep(ctx, 20*time.Second)
	return s.err
}
