package connector

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/internal/delivery"
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
		b := newBench(t, sandbox.Options{})
		b.tune = func(o *Options) { o.Shop, o.Variants = restockShelf{b.shop}, publication.VariantsOn }
		ids := b.box.AddSound(backlogOf)
		for range 2 {
			b.once(false)
			time.Sleep(time.Minute)
		}
		for _, id := range ids {
			change := func(l *sandbox.Listing) { l.Variants[0].SKU, l.Variants[0].Quantity = "NEW-"+id, 77 }
			if err := b.box.Update(id, change, sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
				t.Fatal(err)
			}
		}
		if s := b.once(false); s.Updated != backlogOf || b.shop.count("restock") == 0 {
			t.Errorf("%d restocks, %+v", b.shop.count("restock"), s)
		}
		for _, id := range ids {
			if p, _ := b.shop.get(id); p.Variants[0].SKU != "NEW-"+id || p.Variants[0].Quantity != 77 {
				t.Fatalf("the shop has %q, %d of it", p.Variants[0].SKU, p.Variants[0].Quantity)
			}
		}
	})
}

// A signed webhook leads to a look in ten seconds at most, also while the rest of a change is owed.
func TestSignedWebhooksWhileARestIsOwed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 5})
		b.tune = func(o *Options) { o.Shop = restockShelf{b.shop} }
		ids := b.box.AddSound(200)
		working(t, b.connector(), func(c *Connector) time.Duration {
			time.Sleep(2 * time.Hour)
			b.restock(ids...)
			c.Sweep(false)
			time.Sleep(5 * time.Second)
			b.box.Forget()
			for range 60 {
				deliver(
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
			for _, r := range b.box.Requests() {
				for _, id := range r.Content {
					if id == ids[0] {
						looks++
					}
				}
			}
			if looks == 0 || looks > 8 {
				t.Errorf("%d looks in 60 seconds", looks)
			}
			return 0
		})
	})
}

// expectBacklogToEnd changes all of them, and two hours later one alone, which is to be read in
// full at once.
func (b *bench) expectBacklogToEnd(ids []string) {
	b.t.Helper()
	working(b.t, b.connector(), func(c *Connector) time.Duration {
		time.Sleep(time.Minute)
		b.restock(ids...)
		c.Sweep(false)
		time.Sleep(2 * time.Hour)
		before := b.shop.count("restock")
		b.update(ids[0], func(l *sandbox.Listing) { l.Variants[0].Quantity = 78 })
		c.Sweep(false)
		time.Sleep(10 * time.Second)
		if p, _ := b.shop.get(ids[0]); p.Variants[0].Quantity != 78 || before == 0 ||
			b.shop.count("restock") != before {
			b.t.Errorf(
				"%d of it, %d restocks in the backlog and %d after it",
				p.Variants[0].Quantity,
				before,
				b.shop.count("restock")-before,
			)
		}
		return 0
	})
}

// A backlog is over with its last change: two hours later a single one is read in full at once.
func TestABacklogEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		b.expectBacklogToEnd(ids)
	})
}

// A backlog is over too where a change is the last of it that is read in full.
func TestABacklogEndsWithAReadingInFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		last := slices.Max(ids) // of those that one page lists
		b.update(last, func(l *sandbox.Listing) { l.Variants[0].MSRP = "99999.00" })
		b.once(false)
		if b.record(last).State != store.StateHeld {
			t.Fatal("its price is not held")
		}
		b.expectBacklogToEnd(ids)
	})
}

// What a person names is looked at next, though it is one of a batch whose figures have been read.
func TestAPersonsWordAmidABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		working(t, b.connector(), func(c *Connector) time.Duration {
			time.Sleep(time.Minute)
			b.restock(ids...)
			named, at := ids[8], time.Time{}
			b.shop.onPublish = func(id shopadapter.PublicationID) {
				if string(id) == named && at.IsZero() {
					at = time.Now()
				}
				b.shop.Unlock()
				time.Sleep(5 * time.Second)
				b.shop.Lock()
			}
			c.Sweep(false)
			time.Sleep(2 * time.Second)
			asked := time.Now()
			if _, err := store.Update(b.t.Context(), b.store, func(_ *store.Report, s *store.Settlement) bool {
				publication.Retry(s, store.ClassAsked, false, asked)
				return true
			}, named); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Minute)
			if at.IsZero() || at.Sub(asked) > 16*time.Second {
				t.Errorf("it was written %s after it was asked for", at.Sub(asked))
			}
			return 0
		})
	})
}
