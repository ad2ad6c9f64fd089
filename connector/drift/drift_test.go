package drift_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/drift"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// drifting is a bench whose shop can list, with a number of products on sale, and the worker over
// it.
func drifting(
	t *testing.T,
	products int,
	tune func(*connector.Options),
) (b *harness.Bench, ids []string, restart func(), stop func()) {
	t.Helper()
	b = harness.New(t, sandbox.Options{RestoreRate: 2000})
	b.Lists = true
	b.Tune = func(o *connector.Options) {
		o.Sweep, o.Resync = harness.Every(time.Hour), harness.Every(time.Hour)
		if tune != nil {
			tune(o)
		}
	}
	ids = b.Market.AddSound(products)
	b.Once(false)
	_, end := b.Start()
	stop = func() { end() }
	restart = func() {
		end()
		_, end = b.Start()
	}
	return b, ids, restart, stop
}

// A listing that was deleted by hand is noticed by the next day's resync, without a change
// upstream.
func TestDeletedByHandIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, ids, _, stop := drifting(t, 6, nil)
		defer stop()
		b.Shop.ByHand(ids[0], "delete")
		time.Sleep(2 * time.Hour)
		_, onSale := b.Shop.Get(ids[0])
		p, _ := b.Market.Publication(ids[0])
		if b.State(ids[0]) != store.StateBlocked || onSale || p.Status != string(store.StatusFailed) {
			t.Errorf("%s, on sale %t, reported %s, want %s, false and %s",
				b.State(ids[0]), onSale, p.Status, store.StateBlocked, store.StatusFailed)
		}
		if n := b.Counts()[store.StateLive]; n != 5 {
			t.Errorf("got %v, want 5 live", b.Counts())
		}
	})
}

// A listing that the merchant takes out of sale is not live and not reported success, and no change
// upstream puts it back. Once the merchant puts it back it is live again, with the supplier's
// latest content.
// A shop that moves to another domain is reported with its new addresses, and stays so whatever a write answers.
func TestAddressesThatChangedAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Lists = true
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		reported := func(want string) {
			t.Helper()
			if p, _ := b.Market.Publication(id); !strings.HasPrefix(p.ProductURL, want) {
				t.Errorf("reported %s, want it at %s", p.ProductURL, want)
			}
		}
		reported("https://shop.example/")
		b.Shop.Moved = "https://new.example"
		b.Once(true)
		reported(b.Shop.Moved)
		if err := b.Market.SetStock(id, "", 71); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		reported(b.Shop.Moved)
		if n := len(b.Market.Reports()); n != 2 {
			t.Errorf("%d reports, want 2", n)
		}
		b.Shop.Moved = "http://10.0.0.7"
		b.Once(true)
		reported("https://new.example")
	})
}

func TestHiddenByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, ids, restart, stop := drifting(t, 6, nil)
		defer func() { stop() }()
		id := ids[0]
		b.Shop.ByHand(id, "hide")
		time.Sleep(2 * time.Hour) // nothing has been compared yet
		if r := b.Record(id); b.State(id) != store.StateBlocked ||
			!strings.Contains(r.Problem.Message, "pubsync retry "+id) {
			t.Fatalf("%s: %s, want %s and how to retry", b.State(id), r.Problem.Message, store.StateBlocked)
		}
		for i := range 3 {
			if err := b.Market.SetStock(id, "", 70+i); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Hour)
			restart()
		}
		if _, onSale := b.Shop.Get(id); onSale || b.State(id) != store.StateBlocked {
			t.Errorf(
				"%s, on sale %t after changes upstream, want on sale false and state %v",
				b.State(id),
				onSale,
				store.StateBlocked,
			)
		}
		if p, _ := b.Market.Publication(id); p.Status != string(store.StatusSuccess) {
			t.Errorf("reported %s before FAIL_AFTER, want %v", p.Status, string(store.StatusSuccess))
		}
		time.Sleep(24 * time.Hour)
		if p, _ := b.Market.Publication(id); p.Status != string(store.StatusFailed) {
			t.Errorf("reported %s after FAIL_AFTER, want %v", p.Status, string(store.StatusFailed))
		}
		b.Shop.ByHand(id, "show")
		time.Sleep(26 * time.Hour)
		if p, onSale := b.Shop.Get(id); b.State(id) != store.StateLive || !onSale || p.Variants[0].Quantity != 72 {
			t.Errorf(
				"%s, on sale %t, %d in stock, want state %v, on sale true and 72",
				b.State(id),
				onSale,
				p.Variants[0].Quantity,
				store.StateLive,
			)
		}
		if p, _ := b.Market.Publication(id); p.Status != string(store.StatusSuccess) {
			t.Errorf("reported %s, want %v", p.Status, string(store.StatusSuccess))
		}
		b.Shop.ByHand(id, "hide")
		time.Sleep(26 * time.Hour)
		if err := harness.Retry(b.Store, id, false); err != nil {
			t.Fatal(err)
		}
		restart()
		time.Sleep(time.Minute)
		if _, onSale := b.Shop.Get(id); b.State(id) != store.StateLive || !onSale {
			t.Errorf("asked: %s, on sale %t, want state %v and on sale true", b.State(id), onSale, store.StateLive)
		}
	})
}

// An adapter that finds a listing hidden when it is to write it says so, and nothing is put on
// sale.
func TestHiddenByHandBeforeTheResync(t *testing.T) {
	for _, lists := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			b.Lists, b.Shop.Hides = lists, true
			id := b.Market.AddSound(1)[0]
			change := func(n int) {
				t.Helper()
				if err := b.Market.SetStock(id, "", n); err != nil {
					t.Fatal(err)
				}
				b.Once(false)
			}
			b.Once(false)
			b.Shop.ByHand(id, "hide")
			change(71)
			change(72)
			if _, onSale := b.Shop.Get(id); onSale || b.State(id) != store.StateBlocked ||
				len(b.Market.Reports()) != 1 {
				t.Errorf(
					"lists %t: %s, on sale %t, %d reports, want on sale false, state %v and 1",
					lists,
					b.State(id),
					onSale,
					len(b.Market.Reports()),
					store.StateBlocked,
				)
			}
			b.Shop.ByHand(id, "show")
			if lists {
				b.Once(true)
			} else {
				change(73)
			}
			if p, _ := b.Shop.Get(id); b.State(id) != store.StateLive || p.Variants[0].Quantity < 72 {
				t.Errorf(
					"lists %t: shown again: %s, %d in stock, want state %v and at least 72",
					lists,
					b.State(id),
					p.Variants[0].Quantity,
					store.StateLive,
				)
			}
		})
	}
}

// Whatever is wrong with the listing itself proves nothing.
func TestAListingThatProvesNothing(t *testing.T) {
	for _, tt := range []struct {
		name string
		list func(ids []string) func(shopadapter.Listed) (bool, error)
	}{
		{"an error at its end", func(ids []string) func(shopadapter.Listed) (bool, error) {
			return func(l shopadapter.Listed) (bool, error) {
				if string(l.Ref.Publication) == slices.Max(ids) {
					return false, errors.New("no answer")
				}
				return true, nil
			}
		}},
		{"a page that shifted", func(ids []string) func(shopadapter.Listed) (bool, error) {
			return func(l shopadapter.Listed) (bool, error) { return string(l.Ref.Publication) != ids[3], nil }
		}},
		{"many are missing", func(ids []string) func(shopadapter.Listed) (bool, error) {
			return func(l shopadapter.Listed) (bool, error) {
				return slices.Index(ids, string(l.Ref.Publication)) > 20, nil
			}
		}},
		{"all are missing", func([]string) func(shopadapter.Listed) (bool, error) {
			return func(shopadapter.Listed) (bool, error) { return false, nil }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, ids, _, stop := drifting(t, 60, nil)
				defer stop()
				b.Shop.Lock()
				b.Shop.List = tt.list(ids)
				b.Shop.Unlock()
				time.Sleep(2 * time.Hour)
				if n := b.Counts()[store.StateLive]; n != 60 || b.Shop.Count("create") != 60 {
					t.Errorf("%v, %d creations, want 60 live and 60", b.Counts(), b.Shop.Count("create"))
				}
				if n := b.Shop.Count("update"); tt.name != "a page that shifted" && n > 0 || n > 2 {
					t.Errorf("%d updates, want none, or at most 2 after a page that shifted", n)
				}
			})
		})
	}
}

// The shop is asked for its listings once a day, however often the worker is started; a full run
// asks each time.
func TestTheShopIsListedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _, restart, stop := drifting(t, 3, nil)
		defer func() { stop() }()
		count := func() int {
			b.Shop.Lock()
			defer b.Shop.Unlock()
			return b.Shop.Lists
		}
		before := count()
		for range 48 {
			time.Sleep(90 * time.Minute)
			restart()
		}
		time.Sleep(time.Minute)
		if n := count() - before; n < 3 || n > 4 {
			t.Errorf("listed %d times in three days, want at least 3 and at most 4", n)
		}
		stop()
		stop = func() {}
		before = count()
		b.Once(false)
		b.Once(true)
		b.Once(true)
		if n := count() - before; n != 2 {
			t.Errorf("listed %d times by two full runs, want 2", n)
		}
	})
}

// Drift that is found during a look stays noted when that look ends without a write.
func TestDriftFoundDuringALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Lists = true
		ids := b.Market.AddSound(3)
		b.Once(false)
		time.Sleep(time.Second)
		b.Shop.ByHand(ids[0], "hide")
		b.Shop.ByHand(ids[1], "delete")
		o, settings := b.Options(), b.Settings()
		settings.Lists = func() bool { return true }
		f := drift.New(drift.Options{
			Shop: func() shopadapter.Adapter { return o.Shop }, Breaker: b.Breaker(breaker.Shop), Health: b.Health(),
			Store: b.Store, Log: o.Logger, Settings: settings, Metrics: metrics.New(), Resynced: breaker.NewSignal(),
			Due: breaker.NewSignal(), Owed: func() {}, Ready: func(context.Context) bool { return true },
		})
		started := map[string]store.Record{}
		for _, id := range ids {
			started[id] = b.Record(id)
		}
		f.Compare(t.Context(), true, time.Minute)
		for _, id := range ids { // unchanged: the refresh of each ends now
			adm, err := o.Marketplace.Admit(t.Context(), marketplace.Urgent)
			if err != nil {
				t.Fatal(err)
			}
			pub, err := o.Marketplace.Publication(t.Context(), adm, marketplace.Expected{ID: id})
			if err != nil {
				t.Fatal(err)
			}
			d := publication.NewDecider(settings).
				Decide(started[id], store.Mark{ID: id}, publication.Seen{Publication: pub, At: time.Now()})
			order, wishes := d.Wishes()
			skus, err := store.PreviewSKUs(b.T.Context(), b.Store, publication.ClaimSKUs(id, order, wishes))
			if err != nil {
				t.Fatal(err)
			}
			if d = d.Compared(publication.Facts{SKUs: skus}); d.Result != publication.Unchanged {
				t.Fatalf("got %+v, want Result %v", d, publication.Unchanged)
			}
			if _, err := b.Store.Settle(b.T.Context(), d.Settlement(time.Now())); err != nil {
				t.Fatal(err)
			}
		}
		b.Once(false)
		for i, want := range []store.State{store.StateBlocked, store.StateBlocked, store.StateLive} {
			if got := b.State(ids[i]); got != want {
				t.Errorf("%d is %s, want %s", i, got, want)
			}
		}
	})
}

// A shop that does not come to an end with its list holds no run beyond its patience.
func TestAListingThatHangsHoldsNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Shop = hangingLister{b.Shop} }
		b.Market.AddSound(2)
		if err := b.Store.SetMeta(b.T.Context(), takeover.MetaMapped, "2026-11-01T08:00:00Z"); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		s := b.Once(true)
		if s.Exit != desk.ExitOK || s.Created != 2 {
			t.Errorf("got %+v, want Exit %d and Created 2", s, desk.ExitOK)
		}
		if took := time.Since(begun); took > 3*time.Minute {
			t.Errorf("the run took %s, want at most 3m", took)
		}
	})
}

// A hangingLister lists nothing until it is told to stop.
type hangingLister struct{ *harness.Shop }

func (hangingLister) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		<-ctx.Done()
		yield(shopadapter.Listed{}, ctx.Err())
	}
}
