package connector

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/worker/schedule"
)

// Ten thousand webhooks about ten thousand publications, while nothing can be worked off: each is
// acknowledged, and each has left one mark.
func TestBurstOfDistinctPublications(t *testing.T) {
	const n, senders = 10_000, 64
	b := newBench(t, sandbox.Options{})
	c := b.connector()
	var sending sync.WaitGroup
	for first := range senders {
		sending.Go(func() {
			for i := first; i < n; i += senders {
				body := fmt.Sprintf(`{"data":{"publication":{"id":"p%d"}}}`, i)
				if w := deliver(c, delivery.Of("POST", "/webhooks", body, "secret", "PUBLICATION_CREATED")); w.Code != 204 {
					t.Errorf("%s: %d", body, w.Code)
				}
			}
		})
	}
	sending.Wait()
	if due := b.backlog(time.Now()).Due; due != n {
		t.Errorf("%d are due", due)
	}
	for i := range n {
		if got := causesOf(t, b.store, fmt.Sprint("p", i)); got != "signed" {
			t.Errorf("p%d is due for %q", i, got)
		}
	}
}

// A backlog is what a shop that is down keeps waiting: publications by what asks for them.
type backlog struct {
	hooked, listed, changed, hinted, full []string
	probes                                map[string]int // how often the shop was asked for each in vain
}

// Marks that came while the shop was down are worked in the order of their urgency. Each
// publication is read and written once, however often it was named.
func TestBurstIsDrainedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, unthrottled())
		b.tune = func(o *Options) { o.Shop, o.Concurrency = sickShop{shelf: b.shop}, 1 }
		known := lamps(b, 60)
		working(t, b.connector(), func(c *Connector) time.Duration {
			time.Sleep(time.Minute)
			w := b.outage(c, known)
			b.box.Forget()
			calls := len(b.shop.since(0))
			b.shop.Lock()
			b.shop.refuse = nil
			b.shop.Unlock()
			time.Sleep(time.Hour)
			w.drained(t, b.shop.since(calls))
			read := map[string]int{}
			for _, r := range b.box.Requests() {
				for _, id := range r.Content {
					read[id]++
				}
			}
			for id, n := range read {
				if n != 1 {
					t.Errorf("%s was read %d times", id, n)
				}
			}
			return 0
		})
	})
}

// outage shuts the shop, and has everything ask for something several times over.
func (b *bench) outage(c *Connector, known []string) backlog {
	b.t.Helper()
	w := backlog{probes: map[string]int{}, changed: known[:10], hinted: known[20:30], full: known[30:40]}
	b.shop.Lock()
	b.shop.refuse = func(c call) error {
		w.probes[string(c.id)]++
		return errors.New("connection refused")
	}
	b.shop.Unlock()
	b.reprice(known[50:])
	c.Sweep(false)
	time.Sleep(time.Minute)
	if s, err := c.Status(); err != nil || !s.Shop.Paused || len(w.probes) == 0 {
		b.t.Fatal("the shop is not down")
	}
	b.reprice(w.changed)
	b.reprice(known[10:40], sandbox.KeepUpdatedAt)
	w.listed = lamps(b, 20)
	c.Sweep(false)
	time.Sleep(time.Second)
	w.hooked = slices.Concat(known[10:20], lamps(b, 10))
	for range 3 {
		for _, id := range w.hinted {
			b.sent(
				deliver(
					c,
					delivery.Of("POST", "/webhooks/path-token", `{"data":{"publication":{"id":"`+id+`"}}}`, "", ""),
				).Code,
			)
		}
		for _, id := range w.hooked {
			b.sent(
				deliver(
					c,
					delivery.Of("POST", "/webhooks", `{"data":{"publication":{"id":"`+id+`"}}}`, "secret", ""),
				).Code,
			)
		}
	}
	if s, err := c.RunOnce(b.t.Context(), desk.RunOptions{Full: true, Patience: time.Millisecond}); s.Exit == desk.ExitMarketplace {
		b.t.Fatalf("%+v, %v", s, err)
	}
	time.Sleep(10 * time.Minute)
	return w
}

func (b *bench) sent(code int) {
	if code != http.StatusNoContent {
		b.t.Errorf("a webhook was answered with %d", code)
	}
}

// reprice has the suppliers change their prices by a little.
func (b *bench) reprice(ids []string, how ...sandbox.Change) {
	b.t.Helper()
	for _, id := range ids {
		if err := b.box.SetPrice(id, "", "10.00", "21.00", how...); err != nil {
			b.t.Fatal(err)
		}
	}
}

// drained checks the order of what the shop was asked for once it was back. What it had refused
// meanwhile has a time of its own.
func (w backlog) drained(t *testing.T, calls []call) {
	t.Helper()
	kinds := map[string]string{}
	for kind, ids := range map[string][]string{"hooked": w.hooked, "listed": w.listed, "changed": w.changed, "hinted": w.hinted, "full": w.full} {
		for _, id := range ids {
			kinds[id] = kind
		}
	}
	var order []string
	written, left := map[string]int{}, map[string]int{}
	for _, c := range calls {
		id := string(c.id)
		written[id]++
		if kinds[id] != "" && w.probes[id] == 0 {
			order = append(order, kinds[id])
			left[kinds[id]]++
		}
	}
	for id := range kinds {
		if written[id] != 1 {
			t.Errorf("%s, %s, was written %d times", id, kinds[id], written[id])
		}
	}
	early := 0 // what is on sale already has one look in TurnEvery, so that an import does not hide its changes
	for _, kind := range order {
		left[kind]--
		switch {
		case kind != "hooked" && left["hooked"] > 1: // one may be under way still
			t.Errorf("%s before %d that a webhook asked for", kind, left["hooked"])
			return
		case kind == "full" && left["hooked"]+left["listed"]+left["changed"]+left["hinted"] > 1:
			t.Errorf("%s before %v", kind, left)
			return
		case kind != "listed" && kind != "hooked" && left["listed"] > 1:
			early++
		}
	}
	if most := len(w.listed)/schedule.TurnEvery + 1; early > most {
		t.Errorf("%d of what is on sale before new publications, at most %d should be", early, most)
	}
	for _, kind := range []string{"hooked", "listed", "changed", "hinted", "full"} {
		if !slices.Contains(order, kind) {
			t.Errorf("none that was %s was left for when the shop was back", kind)
		}
	}
}
