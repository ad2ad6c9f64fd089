package probe_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A taxedShop is a shop with a currency, which may add tax to the prices that it is given.
type taxedShop struct {
	*harness.Shop
	word *word
}

// A word is what a shop says of its prices.
type word struct {
	mu       sync.Mutex
	currency string
	prices   shopadapter.Prices
}

func (w *word) say(currency, vat string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.currency, w.prices = currency, shopadapter.Prices{VAT: vat, Places: 6}
}

func (s taxedShop) Currency(context.Context) (string, error) {
	s.word.mu.Lock()
	defer s.word.mu.Unlock()
	return s.word.currency, nil
}

func (s taxedShop) Prices(context.Context) (shopadapter.Prices, error) {
	s.word.mu.Lock()
	defer s.word.mu.Unlock()
	return s.word.prices, nil
}

// Publish writes prices only where they are among the groups.
func (s taxedShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	prices, _ := s.Prices(ctx) //nolint:errcheck // it never fails
	p = prices.Product(p)
	if held, onSale := s.Get(string(ref.Publication)); onSale && !changed.Has(shopadapter.FieldPrice) {
		for i := range p.Variants {
			p.Variants[i].Price = held.Variants[i].Price
		}
	}
	return s.Shop.Publish(ctx, ref, p, changed)
}

// shown is the price that a visitor sees of a publication's first variant.
func (s taxedShop) shown(id string) string {
	p, _ := s.Get(id)
	s.word.mu.Lock()
	defer s.word.mu.Unlock()
	return s.word.prices.Shown(p.Variants[0].Price)
}

func taxedBench(t *testing.T) (*harness.Bench, taxedShop) {
	b := harness.New(t, sandbox.Options{RestoreRate: 2000})
	shop := taxedShop{b.Shop, &word{currency: "EUR"}}
	b.Tune = func(o *connector.Options) {
		o.Shop, o.Currency = shop, "EUR"
		o.Sweep, o.Resync = cron.Every(time.Minute), cron.Every(time.Hour)
	}
	return b, shop
}

// A shop that comes to sell in another currency under a worker is blocked within a resync, with
// nothing to write too. No price that changes meanwhile is written before the shop is back.
func TestTheCurrencyChangesUnderAWorker(t *testing.T) {
	for _, moves := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b, shop := taxedBench(t)
			id := b.Market.AddSound(1)[0]
			c, stop := b.Start()
			defer stop()
			time.Sleep(2 * time.Minute)
			before := shop.shown(id)
			written := b.Shop.Count("update")
			shop.word.say("USD", "")
			if moves {
				reprice(t, b, id, "21.00")
				time.Sleep(3 * time.Minute)
			} else {
				time.Sleep(2 * time.Hour)
			}
			s, err := harness.Status(c)
			if err != nil || !s.Shop.Paused || !strings.Contains(s.Shop.Reason, "nothing is converted") {
				t.Fatalf(
					"prices move %t: the shop's status is %+v, %v, want a pause as nothing is converted, and no error",
					moves,
					s.Shop,
					err,
				)
			}
			time.Sleep(3 * time.Hour)
			if n := b.Shop.Count("update"); n != written || shop.shown(id) != before {
				t.Errorf(
					"prices move %t: %d writes, want 0; it shows %s, want %s",
					moves,
					n-written,
					shop.shown(id),
					before,
				)
			}
			shop.word.say("EUR", "")
			time.Sleep(breaker.MaxPause + 2*time.Minute)
			if s, err := harness.Status(c); err != nil || s.Shop.Paused {
				t.Errorf(
					"prices move %t: the shop is back and yet %+v, %v, want no pause and no error",
					moves,
					s.Shop,
					err,
				)
			}
			if got := shop.shown(id); moves && got != "21.00" {
				t.Errorf("the price is %s, want 21.00", got)
			}
			if got := b.State(id); got != store.StateLive {
				t.Errorf("prices move %t: the publication is %s, want live", moves, got)
			}
		})
	}
}

// A shop whose tax settings change has every price written again, within a resync of a worker, and
// by the next single run, whose plan says so. A visitor is shown the same price as before.
func TestTaxSettingsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop := taxedBench(t)
		ids := b.Market.AddSound(3)
		_, stop := b.Start()
		time.Sleep(2 * time.Minute)
		before := map[string]string{}
		for _, id := range ids {
			before[id] = shop.shown(id)
		}
		same := func(after string) {
			t.Helper()
			for _, id := range ids {
				if got := shop.shown(id); got != before[id] {
					t.Errorf("after %s a visitor is shown %s, want %s", after, got, before[id])
				}
			}
		}
		shop.word.say("EUR", "21")
		time.Sleep(2 * time.Hour)
		same("a resync")
		stop()
		shop.word.say("EUR", "19")
		plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Change) != len(ids) {
			t.Errorf("the plan has %d changes, want %d: %+v, %v", len(plan.Change), len(ids), plan.Change, err)
		}
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Updated != int64(len(ids)) {
			t.Errorf("the run: got %+v, want Exit %v and Updated %v", s, desk.ExitOK, int64(len(ids)))
		}
		same("a run")
		if s := b.Once(false); s.Updated != 0 {
			t.Errorf("the next run writes again: got %+v, want Updated 0", s)
		}
	})
}

// reprice has the supplier change the recommended price of a publication's first variant.
func reprice(t *testing.T, b *harness.Bench, id, msrp string) {
	t.Helper()
	p, _ := b.Shop.Get(id)
	if err := b.Market.SetPrice(id, p.Variants[0].ID, "10.00", msrp); err != nil {
		t.Fatal(err)
	}
}
