package forget_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/forget"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const aDay = 24 * time.Hour

// skuOf is the SKU of the first variant that the shop holds of a publication.
func skuOf(b *harness.Bench, id string) string {
	b.Shop.Lock()
	defer b.Shop.Unlock()
	if it, ok := b.Shop.Products[shopadapter.PublicationID(id)]; ok {
		return it.Product.Variants[0].SKU
	}
	return ""
}

// What is withdrawn is forgotten once its time is over, by single runs and by a worker. The SKU of
// a draft that stands in the shop is given to no other. Listed again it is published on the listing
// that the shop has, and is no other tool's, though the marketplace calls it a success.
func TestWithdrawnPublicationsAreForgotten(t *testing.T) {
	for _, tt := range []struct {
		name    string
		removed publication.OnRemoved
		worker  bool
		stands  bool // the listing does, in the shop
	}{
		{name: "unpublished", removed: publication.RemovedUnpublish, stands: true},
		{name: "unpublished, beside a worker", removed: publication.RemovedUnpublish, stands: true, worker: true},
		{name: "kept", removed: publication.RemovedKeep, stands: true},
		{name: "deleted", removed: publication.RemovedDelete},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				b.Lists = true
				b.Tune = func(o *connector.Options) {
					o.OnRemoved, o.RefreshAfter = tt.removed, 1000*aDay
				}
				b.Market.AddSound(3)
				twin := harness.OneVariant("10.00", "20.00", 5)
				twin.Variants[0].SKU = "TWIN"
				id := b.Market.Add(sandbox.Publication{Listing: twin})[0]
				b.Once(false)
				made := b.Record(id)
				if skuOf(b, id) != "TWIN" || made.Product == "" || made.Listing == "" {
					t.Fatalf(
						"made with the SKU %q: %+v, want TWIN, and ids of the product and the listing",
						skuOf(b, id),
						made,
					)
				}
				b.Market.Remove(id)
				b.Once(true)
				time.Sleep(publication.ForgetAfter - aDay)
				b.Once(false)
				if b.State(id) != store.StateWithdrawn {
					t.Fatalf("the day before it is %q, want %v", b.State(id), store.StateWithdrawn)
				}
				if tt.worker {
					_, stop := b.Start()
					time.Sleep(2 * aDay)
					stop()
				} else {
					time.Sleep(2 * aDay)
					b.Once(false)
				}
				e := b.Entry(id)
				if e.Known || e.Mark != nil || e.Owed != nil {
					t.Fatalf("the day after: %+v, want no trace of it", e)
				}
				if n := b.Counts(); n[store.StateWithdrawn] != 0 || n[store.StateLive] != 3 {
					t.Fatalf("the day after: %v, want none withdrawn and 3 live", n)
				}
				if ids, err := b.Store.Resolve(b.T.Context(), nil, []string{made.Product}, []string{made.Listing}); err != nil ||
					len(ids) > 0 {
					t.Errorf("its product still leads to %v, %v, want none and no error", ids, err)
				}

				other := harness.OneVariant("10.00", "20.00", 5)
				other.Variants[0].SKU = "TWIN"
				second := b.Market.Add(sandbox.Publication{Listing: other})[0]
				b.Once(false)
				if sku := skuOf(b, second); (sku != "TWIN") != tt.stands {
					t.Errorf("the SKU of another is %q, want another than TWIN: %t", sku, tt.stands)
				}

				before := skuOf(b, id)
				b.Market.Restore(id)
				if err := b.Market.SetStatus(id, "success"); err != nil {
					t.Fatal(err)
				}
				s := b.Once(false)
				if s.Exit != desk.ExitOK || s.Reported != 1 {
					t.Errorf("listed again: %+v, want Exit %d and Reported 1", s, desk.ExitOK)
				}
				if got := b.State(id); got != store.StateLive {
					t.Errorf("listed again it is %s %+v, want %s", got, b.Record(id).Holds, store.StateLive)
				}
				if sku := skuOf(b, id); tt.stands && sku != before || !tt.stands && sku == "TWIN" {
					t.Errorf("listed again its SKU is %q, and was %q, want the same: %t", sku, before, tt.stands)
				}
				b.Shop.Lock()
				defer b.Shop.Unlock()
				if n := len(b.Shop.Products); n != 5 {
					t.Errorf("%d products in the shop, want 5", n)
				}
			})
		})
	}
}

// An owed report and an attempt whose end is not known keep what is withdrawn from being forgotten,
// and so does an entry that is still on the list.
func TestWhatIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.RefreshAfter = 1000 * aDay }
		b.Market.AddSound(3)
		settle := func(id string, change func(*store.Settlement)) {
			t.Helper()
			w := store.Settlement{
				Record: store.Record{
					ID:        id,
					State:     store.StateWithdrawn,
					ShopID:    id,
					WrittenAt: 1,
					Removal: store.Removal{
						Reason: store.RemovalAbsent, Done: true, At: store.At(time.Now()),
					},
				},
			}
			change(&w)
			if _, err := b.Store.Settle(b.T.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		settle("gone", func(*store.Settlement) {})
		settle("owed", func(w *store.Settlement) { w.Report = &store.Report{Status: store.StatusFailed} })
		settle("open", func(w *store.Settlement) { w.Record.Open = true })
		settle("attempted", func(w *store.Settlement) { w.Record.Attempted = shopadapter.AllFields })
		settle("on the list", func(w *store.Settlement) { w.Record.Removal.Reason = store.RemovalNoListing })
		settle("later", func(w *store.Settlement) { w.Record.Removal.At = store.At(time.Now().Add(aDay)) })
		time.Sleep(publication.ForgetAfter)
		forgetter(b).Pass(b.T.Context())
		for id, known := range map[string]bool{"gone": false, "owed": true, "open": true, "attempted": true, "on the " +
			"list": true, "later": true} {
			if e := b.Entry(id); e.Known != known {
				t.Errorf("%s: known is %t, want %t", id, e.Known, known)
			}
		}
	})
}

// forgetter forgets in the store of a bench.
func forgetter(b *harness.Bench) *forget.Forgetter {
	o := b.Options()
	return &forget.Forgetter{Store: b.Store, Health: b.Health(), Log: o.Logger}
}

// One pass forgets a thousand at most: the next goes on.
func TestForgettingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		changes := make([]string, 1200)
		for i := range changes {
			changes[i] = "p" + time.Duration(i).String()
		}
		removal := store.Removal{Reason: store.RemovalAbsent, Done: true, At: store.At(time.Now())}
		if _, err := b.Store.Change(b.T.Context(),
			store.Each(changes, func(_ int, _ bool, _ *store.Report, w *store.Settlement) bool {
				w.Record.State, w.Record.Removal = store.StateWithdrawn, removal
				return true
			})...); err != nil {
			t.Fatal(err)
		}
		time.Sleep(publication.ForgetAfter)
		f := forgetter(b)
		for _, want := range []int{200, 0} {
			f.Pass(b.T.Context())
			if n := b.Counts()[store.StateWithdrawn]; n != want {
				t.Errorf("%d are left, want %d", n, want)
			}
		}
	})
}
