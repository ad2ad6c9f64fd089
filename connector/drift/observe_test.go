package drift_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An observedShop is a shop that tells what stands in it.
type observedShop struct {
	harness.ListingShop
	off      map[string]bool // variants that were switched off
	mu       sync.Mutex
	observed []shopadapter.Observation
	onSave   func(*shopadapter.Product) // what a plugin makes of a product that is written
}

func (s *observedShop) Observe(
	ctx context.Context, what shopadapter.Observation,
) iter.Seq2[shopadapter.Observed, error] {
	s.mu.Lock()
	s.observed = append(s.observed, what)
	s.mu.Unlock()
	return func(yield func(shopadapter.Observed, error) bool) {
		for l, err := range s.Listings(ctx) {
			if !what.Wants(l.Ref.Publication) {
				continue
			}
			p, _ := s.Get(string(l.Ref.Publication))
			o := shopadapter.Observed{Listed: l, Images: len(p.Images), Variants: []shopadapter.ObservedVariant{}}
			for _, v := range p.Variants {
				o.Variants = append(o.Variants, shopadapter.ObservedVariant{
					ID: "v-" + v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
					OnSale: !s.off[v.ID],
				})
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// Publish writes of a listing that is there what has changed, and nothing else.
func (s *observedShop) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	before, _ := s.Get(string(ref.Publication))
	l, err := s.ListingShop.Publish(ctx, ref, p, changed)
	if err != nil || before.ID == "" {
		return l, err
	}
	s.change(string(ref.Publication), func(p *shopadapter.Product) {
		for i, v := range p.Variants {
			j := slices.IndexFunc(before.Variants, func(w shopadapter.Variant) bool { return w.ID == v.ID })
			if j < 0 {
				continue
			}
			if !changed.Has(shopadapter.FieldPrice) {
				p.Variants[i].Price = before.Variants[j].Price
			}
			if !changed.Has(shopadapter.FieldStock) {
				p.Variants[i].Quantity = before.Variants[j].Quantity
			}
		}
		if s.onSave != nil {
			s.onSave(p)
		}
	})
	return l, nil
}

// change changes a product in the shop by hand.
func (s *observedShop) change(id string, do func(*shopadapter.Product)) {
	s.Lock()
	defer s.Unlock()
	it := s.Products[shopadapter.PublicationID(id)]
	it.Product.Variants = slices.Clone(it.Product.Variants)
	do(&it.Product)
}

// observing is a bench whose shop tells what stands in it, with products on sale.
func observing(
	t *testing.T,
	products int,
	tune func(*connector.Options),
) (b *harness.Bench, shop *observedShop, ids []string) {
	t.Helper()
	b = harness.New(t, sandbox.Options{RestoreRate: 2000})
	shop = &observedShop{ListingShop: harness.ListingShop{Shop: b.Shop}, off: map[string]bool{}}
	b.Tune = func(o *connector.Options) {
		o.Shop, o.OnDrift = shop, publication.DriftCorrect
		o.Sweep, o.Resync = harness.Every(time.Hour), harness.Every(time.Hour)
		if tune != nil {
			tune(o)
		}
	}
	ids = b.Market.AddSound(products)
	b.Once(false)
	time.Sleep(time.Minute)
	return b, shop, ids
}

func historyOf(r store.Record) string {
	var lines []string
	for _, e := range r.History {
		lines = append(lines, e.What)
	}
	return strings.Join(lines, "\n")
}

// A price and a quantity that somebody typed by mistake are put right by the next full run, and
// what the shop has sold is not put back.
func TestFiguresChangedByHandArePutRight(t *testing.T) {
	for _, on := range []publication.OnDrift{publication.DriftCorrect, publication.DriftReport} {
		t.Run(string(on), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, shop, ids := observing(t, 3, func(o *connector.Options) { o.OnDrift = on })
				was := map[string]shopadapter.Product{}
				for _, id := range ids {
					was[id], _ = b.Shop.Get(id)
				}
				shop.change(ids[0], func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
				shop.change(ids[1], func(p *shopadapter.Product) { p.Variants[0].Quantity = 999 })
				shop.change(ids[2], func(p *shopadapter.Product) { p.Variants[0].Quantity -= 2 })
				calls := len(b.Shop.Since(0))
				b.Once(true)
				wrote := b.Shop.Since(calls)
				if on == publication.DriftReport {
					for _, c := range wrote {
						if c.Changed.Any(shopadapter.FieldPrice | shopadapter.FieldStock) {
							t.Errorf("%s wrote %s, want nothing of what is only reported", c.ID, c.Changed)
						}
					}
					if got := b.Record(ids[0]).Drift; len(got) != 1 || got[0].Price != "5.00" {
						t.Errorf("recorded %+v, want a price of 5.00", got)
					}
					return
				}
				for i, want := range []struct {
					price    string
					quantity int
					changed  shopadapter.Fields
				}{
					{was[ids[0]].Variants[0].Price, was[ids[0]].Variants[0].Quantity, shopadapter.FieldPrice},
					{was[ids[1]].Variants[0].Price, was[ids[1]].Variants[0].Quantity, shopadapter.FieldStock},
					{was[ids[2]].Variants[0].Price, was[ids[2]].Variants[0].Quantity - 2, shopadapter.NoFields},
				} {
					p, _ := b.Shop.Get(ids[i])
					if got := p.Variants[0].Price; got != want.price {
						t.Errorf("%d: price %s, want %s", i, got, want.price)
					}
					if got := p.Variants[0].Quantity; got != want.quantity {
						t.Errorf("%d: quantity %d, want %d", i, got, want.quantity)
					}
					var changed shopadapter.Fields
					for _, c := range wrote {
						if string(c.ID) == ids[i] {
							changed |= c.Changed
						}
					}
					if changed != want.changed {
						t.Errorf("%d: wrote %s, want %s", i, changed, want.changed)
					}
				}
				h := historyOf(b.Record(ids[0]))
				for _, want := range []string{"the shop had 5.00 for", "put back to " + was[ids[0]].Variants[0].Price} {
					if !strings.Contains(h, want) {
						t.Errorf("got the history\n%s\nwant %q in it", h, want)
					}
				}
				if got := b.Record(ids[2]).Drift; len(got) != 1 || got[0].Sold != 2 {
					t.Errorf("recorded %+v, want 2 sold", got)
				}
			})
		})
	}
}

// What the shop has sold stays sold through a change of another variant, and a rise of the supplier's figure.
func TestWhatTheShopHasSoldStaysSold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, _ := observing(t, 0, nil)
		l := harness.OneVariant("10.00", "20.00", 9)
		l.Variants = append(l.Variants, l.Variants[0])
		l.Variants[1].ID, l.Variants[1].SKU = "v2", "WC-2"
		l.Variants[1].Options = []sandbox.Option{{Name: "Size", Value: "L"}}
		id := b.Market.Add(sandbox.Publication{Listing: l})[0]
		b.Once(false)
		p, _ := b.Shop.Get(id)
		shop.change(id, func(p *shopadapter.Product) { p.Variants[0].Quantity -= 2 })
		b.Once(true)
		if err := b.Market.SetStock(id, p.Variants[1].ID, 77); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		after, _ := b.Shop.Get(id)
		if got, want := after.Variants[0].Quantity, p.Variants[0].Quantity-2; got != want {
			t.Errorf("the variant that was sold has %d, want %d", got, want)
		}
		if got := after.Variants[1].Quantity; got != 77 {
			t.Errorf("the other one has %d, want 77", got)
		}
		if err := b.Market.SetStock(id, p.Variants[0].ID, 40); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if after, _ = b.Shop.Get(id); after.Variants[0].Quantity != 38 {
			t.Errorf("%d after the supplier's figure rose, want 38", after.Variants[0].Quantity)
		}
		if got := b.Record(id).Drift; len(got) != 1 || got[0].Sold != 2 {
			t.Errorf("recorded %+v, want 2 sold", got)
		}
	})
}

// Where the prices of very many products were changed in the shop somebody meant it: none is put
// back until a person says so.
func TestManyPricesChangedInTheShopAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, ids := observing(t, 30, nil)
		for _, id := range ids[:12] {
			shop.change(id, func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
		}
		b.Once(true)
		if got := b.Counts()[store.StateHeld]; got != 12 {
			t.Fatalf("%d held, want 12: %v", got, b.Counts())
		}
		if err := b.Market.SetStock(ids[0], "", 55); err != nil { // other changes are made
			t.Fatal(err)
		}
		b.Once(false)
		if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Quantity != 55 {
			t.Errorf("%d in stock, want 55", p.Variants[0].Quantity)
		}
		shop.change(ids[1], func(p *shopadapter.Product) { // the merchant takes one back
			p.Variants[0].Price = b.Record(ids[1]).Variants[0].Price
		})
		b.Once(true)
		if got := b.Counts()[store.StateHeld]; got != 11 {
			t.Errorf("%d held, want 11", got)
		}
		if n, err := harness.ApproveAll(b.Store, store.HoldDrift); err != nil || n != 11 {
			t.Fatalf("approved %d, %v, want 11", n, err)
		}
		b.Once(false)
		for _, id := range ids[:12] {
			p, _ := b.Shop.Get(id)
			if got, want := p.Variants[0].Price, b.Record(id).Variants[0].Price; got != want || got == "5.00" {
				t.Errorf("%s: %s, want %s", id, got, want)
			}
		}
		if got := b.Counts()[store.StateLive]; got != 30 {
			t.Errorf("%v, want 30 live", b.Counts())
		}
	})
}

// A variant that somebody deleted is made again; one that was switched off stays off until a person
// asks. A person who asks has the listing read and compared.
func TestVariantsChangedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, ids := observing(t, 3, nil)
		p, _ := b.Shop.Get(ids[0])
		shop.change(ids[0], func(p *shopadapter.Product) { p.Variants = p.Variants[1:] })
		off, _ := b.Shop.Get(ids[1])
		shop.off[off.Variants[0].ID] = true
		b.Once(true)
		if again, _ := b.Shop.Get(ids[0]); len(again.Variants) != len(p.Variants) {
			t.Errorf("%d variants, want %d", len(again.Variants), len(p.Variants))
		}
		if got := b.Record(ids[1]).Drift; len(got) != 1 || !got[0].Off {
			t.Fatalf("recorded %+v, want one that is off", got)
		}
		shop.change(ids[2], func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
		if err := harness.Retry(b.Store, ids[2], false); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		third, _ := b.Shop.Get(ids[2])
		if got, want := third.Variants[0].Price, b.Record(ids[2]).Variants[0].Price; got != want {
			t.Errorf("after retry %s, want %s", got, want)
		}
		shop.mu.Lock()
		last := shop.observed[len(shop.observed)-1]
		shop.mu.Unlock()
		if len(last.Refs) != 1 {
			t.Errorf("observed %+v, want the listing alone", last)
		}
	})
}

// A plan shows what would be put right, and puts nothing right.
func TestAPlanShowsWhatWasChangedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, ids := observing(t, 2, nil)
		shop.change(ids[0], func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
		plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		ours := b.Record(ids[0]).Variants[0].Price
		found := slices.ContainsFunc(plan.Change, func(c publication.Change) bool {
			return c.ID == ids[0] && c.Field == "price" && c.Old == "5.00" && c.New == ours
		})
		if !found {
			t.Errorf("planned %s, want the price from 5.00 to %s", fmt.Sprint(plan.Change), ours)
		}
		if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Price != "5.00" {
			t.Errorf("the shop has %s, want it as it was", p.Variants[0].Price)
		}
	})
}
