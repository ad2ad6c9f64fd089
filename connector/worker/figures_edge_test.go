package worker_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A list of variants does not say what of a variant has changed: under a backlog its code is owed
// too.
func TestACodeThatAVariantListTellsOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) {
			o.Shop, o.Variants = harness.RestockingShop{Shop: b.Shop}, publication.VariantsOn
		}
		ids := b.Market.AddSound(backlogOf)
		for range 2 {
			b.Once(false)
			time.Sleep(time.Minute)
		}
		for _, id := range ids {
			change := func(l *sandbox.Listing) { l.Variants[0].SKU, l.Variants[0].Quantity = "NEW-"+id, 77 }
			if err := b.Market.Update(id, change, sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
				t.Fatal(err)
			}
		}
		if s := b.Once(false); s.Updated != backlogOf || b.Shop.Count("restock") == 0 {
			t.Errorf("%d restocks, %+v, want some and Updated %d", b.Shop.Count("restock"), s, backlogOf)
		}
		for _, id := range ids {
			if p, _ := b.Shop.Get(id); p.Variants[0].SKU != "NEW-"+id || p.Variants[0].Quantity != 77 {
				t.Fatalf(
					"the shop has %q, %d of it, want %v and 77",
					p.Variants[0].SKU,
					p.Variants[0].Quantity,
					"NEW-"+id,
				)
			}
		}
	})
}

// A signed webhook leads to a look in ten seconds at most, also while the remainder of a change is
// owed.
func TestSignedWebhooksWhileARemainderIsOwed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 5})
		b.Tune = func(o *connector.Options) { o.Shop = harness.RestockingShop{Shop: b.Shop} }
		ids := b.Market.AddSound(200)
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(2 * time.Hour)
			restock(b, ids...)
			c.Sweep(false)
			time.Sleep(5 * time.Second)
			b.Market.Forget()
			for range 60 {
				harness.Deliver(
					c,
					delivery.Of(
						"POST",
						"/webhooks",
						`{"data":{"publication":{"id":"`+ids[0]+`"}}}`,
						"secret",
						"PUBLICATION_UPDATED",
					),
				)
				time.Sleep(time.Second)
			}
			looks := 0
			for _, r := range b.Market.Requests() {
				for _, id := range r.Content {
					if id == ids[0] {
						looks++
					}
				}
			}
			if looks == 0 || looks > 8 {
				t.Errorf("%d looks in 60 seconds, want 1 to 8", looks)
			}
			return 0
		})
	})
}

// expectBacklogToEnd changes all of them, and two hours later one alone, which is to be read in
// full at once.
func expectBacklogToEnd(b *harness.Bench, ids []string) {
	b.T.Helper()
	harness.Working(b.T, b.Connector(), func(c *connector.Connector) time.Duration {
		time.Sleep(time.Minute)
		restock(b, ids...)
		c.Sweep(false)
		time.Sleep(2 * time.Hour)
		before := b.Shop.Count("restock")
		b.Update(ids[0], func(l *sandbox.Listing) { l.Variants[0].Quantity = 78 })
		c.Sweep(false)
		time.Sleep(10 * time.Second)
		if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Quantity != 78 {
			b.T.Errorf("got %d in stock, want 78", p.Variants[0].Quantity)
		}
		if before == 0 {
			b.T.Error("got 0 restocks in the backlog, want some")
		}
		if after := b.Shop.Count("restock") - before; after != 0 {
			b.T.Errorf("got %d restocks after the backlog, want 0", after)
		}
		return 0
	})
}

// A backlog is over with its last change: two hours later a single one is read in full at once.
func TestABacklogEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		expectBacklogToEnd(b, ids)
	})
}

// A backlog is over too where a change is the last of it that is read in full.
func TestABacklogEndsWithAReadingInFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		last := slices.Max(ids) // of those that one page lists
		b.Update(last, func(l *sandbox.Listing) { l.Variants[0].MSRP = "99999.00" })
		b.Once(false)
		if got := b.Record(last).State; got != store.StateHeld {
			t.Fatalf("its price is %s, want %s", got, store.StateHeld)
		}
		expectBacklogToEnd(b, ids)
	})
}

// What a person names is looked at next, though it is one of a batch whose figures have been read.
func TestAPersonsWordAmidABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(time.Minute)
			restock(b, ids...)
			named, at := ids[8], time.Time{}
			b.Shop.OnPublish = func(id shopadapter.PublicationID) {
				if string(id) == named && at.IsZero() {
					at = time.Now()
				}
				b.Shop.Unlock()
				time.Sleep(5 * time.Second)
				b.Shop.Lock()
			}
			c.Sweep(false)
			time.Sleep(2 * time.Second)
			asked := time.Now()
			if _, err := store.Update(b.T.Context(), b.Store, func(_ *store.Report, s *store.Settlement) bool {
				publication.Retry(s, store.ClassAsked, false, "", asked)
				return true
			}, named); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Minute)
			switch {
			case at.IsZero():
				t.Error("it was not written, want it within 16s")
			case at.Sub(asked) > 16*time.Second:
				t.Errorf("it was written %s after it was asked for, want at most 16s", at.Sub(asked))
			}
			return 0
		})
	})
}
