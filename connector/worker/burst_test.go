package worker_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/worker/schedule"
)

// Ten thousand webhooks about ten thousand publications, while nothing can be worked off: each is
// acknowledged, and each has left one mark.
func TestBurstOfDistinctPublications(t *testing.T) {
	const n, senders = 10_000, 64
	b := harness.New(t, sandbox.Options{})
	c := b.Connector()
	var sending sync.WaitGroup
	for first := range senders {
		sending.Go(func() {
			for i := first; i < n; i += senders {
				body := fmt.Sprintf(`{"data":{"publication":{"id":"p%d"}}}`, i)
				if w := harness.Deliver(c, delivery.Of("POST", "/webhooks", body, "secret", "PUBLICATION_CREATED")); w.Code != 204 {
					t.Errorf("%s: %d, want 204", body, w.Code)
				}
			}
		})
	}
	sending.Wait()
	if due := b.Backlog(time.Now()).Due; due != n {
		t.Errorf("%d are due, want %v", due, n)
	}
	for i := range n {
		if got := harness.Cause(t, b.Store, fmt.Sprint("p", i)); got != "signed" {
			t.Errorf("p%d is due for %q, want signed", i, got)
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
		b := harness.New(t, harness.Unthrottled())
		b.Tune = func(o *connector.Options) { o.Shop, o.Concurrency = sickShop{Shop: b.Shop}, 1 }
		known := lamps(b, 60)
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(time.Minute)
			w := outage(b, c, known)
			b.Market.Forget()
			calls := len(b.Shop.Since(0))
			b.Shop.Lock()
			b.Shop.Refuse = nil
			b.Shop.Unlock()
			time.Sleep(time.Hour)
			w.drained(t, b.Shop.Since(calls))
			read := map[string]int{}
			for _, r := range b.Market.Requests() {
				for _, id := range r.Content {
					read[id]++
				}
			}
			for id, n := range read {
				if n != 1 {
					t.Errorf("%s was read %d times, want 1", id, n)
				}
			}
			return 0
		})
	})
}

// outage shuts the shop, and has everything ask for something several times over.
func outage(b *harness.Bench, c *connector.Connector, known []string) backlog {
	b.T.Helper()
	w := backlog{probes: map[string]int{}, changed: known[:10], hinted: known[20:30], full: known[30:40]}
	b.Shop.Lock()
	b.Shop.Refuse = func(c harness.Call) error {
		w.probes[string(c.ID)]++
		return errors.New("connection refused")
	}
	b.Shop.Unlock()
	b.Reprice(known[50:])
	c.Sweep(false)
	time.Sleep(time.Minute)
	s, err := harness.Status(c)
	if err != nil || !s.Shop.Paused {
		b.T.Fatalf("the shop is %+v, %v, want it paused and no error", s.Shop, err)
	}
	if len(w.probes) == 0 {
		b.T.Fatal("the shop is probed 0 times, want some")
	}
	b.Reprice(w.changed)
	b.Reprice(known[10:40], sandbox.KeepUpdatedAt)
	w.listed = lamps(b, 20)
	c.Sweep(false)
	time.Sleep(time.Second)
	w.hooked = slices.Concat(known[10:20], lamps(b, 10))
	for range 3 {
		for _, id := range w.hinted {
			sent(b,
				harness.Deliver(
					c,
					delivery.Of("POST", "/webhooks/path-token", `{"data":{"publication":{"id":"`+id+`"}}}`, "", ""),
				).Code,
			)
		}
		for _, id := range w.hooked {
			sent(b,
				harness.Deliver(
					c,
					delivery.Of("POST", "/webhooks", `{"data":{"publication":{"id":"`+id+`"}}}`, "secret", ""),
				).Code,
			)
		}
	}
	if s, err := c.RunOnce(b.T.Context(),
		desk.RunOptions{Full: true, Patience: time.Millisecond}); s.Exit == desk.ExitMarketplace {
		b.T.Fatalf("got %+v, %v, want another exit than %d", s, err, desk.ExitMarketplace)
	}
	time.Sleep(10 * time.Minute)
	return w
}

func sent(b *harness.Bench, code int) {
	if code != http.StatusNoContent {
		b.T.Errorf("a webhook was answered with %d, want %d", code, http.StatusNoContent)
	}
}

// drained checks the order of what the shop was asked for once it was back. What it had refused
// meanwhile has a time of its own.
func (w backlog) drained(t *testing.T, calls []harness.Call) {
	t.Helper()
	kinds := map[string]string{}
	for kind, ids := range map[string][]string{
		"hooked": w.hooked, "listed": w.listed, "changed": w.changed,
		"hinted": w.hinted, "full": w.full,
	} {
		for _, id := range ids {
			kinds[id] = kind
		}
	}
	var order []string
	written, left := map[string]int{}, map[string]int{}
	for _, c := range calls {
		id := string(c.ID)
		written[id]++
		if kinds[id] != "" && w.probes[id] == 0 {
			order = append(order, kinds[id])
			left[kinds[id]]++
		}
	}
	for id := range kinds {
		if written[id] != 1 {
			t.Errorf("%s, %s, was written %d times, want 1", id, kinds[id], written[id])
		}
	}
	early := 0 // what is on sale already has one look in TurnEvery, so that an import does not hide its changes
	for _, kind := range order {
		left[kind]--
		switch {
		case kind != "hooked" && left["hooked"] > 1: // one may be under way still
			t.Errorf("%s before %d that a webhook asked for, want at most 1 left", kind, left["hooked"])
			return
		case kind == "full" && left["hooked"]+left["listed"]+left["changed"]+left["hinted"] > 1:
			t.Errorf("%s before %v, want at most 1 left of all that are not full", kind, left)
			return
		case kind != "listed" && kind != "hooked" && left["listed"] > 1:
			early++
		}
	}
	if most := len(w.listed)/schedule.TurnEvery + 1; early > most {
		t.Errorf(
			"%d of what is on sale before new publications, at most %d should be, want at most %v",
			early,
			most,
			most,
		)
	}
	for _, kind := range []string{"hooked", "listed", "changed", "hinted", "full"} {
		if !slices.Contains(order, kind) {
			t.Errorf("none that was %s was left for when the shop was back, want some", kind)
		}
	}
}
