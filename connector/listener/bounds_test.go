package listener_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// An entry that is too long to be kept is refused or passed over with its reason. The other entries
// do not wait for it.
func TestEntriesThatAreTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) { o.Logger = slog.New(slog.NewTextHandler(&said, nil)) }
		good := b.Market.AddSound(3)
		long := strings.Repeat("x", publication.MaxIdent+1)
		product, listing := b.Market.AddSound(1)[0], b.Market.AddSound(1)[0]
		if err := b.Market.Update(product, func(l *sandbox.Listing) { l.ProductID = long }); err != nil {
			t.Fatal(err)
		}
		if err := b.Market.Update(listing, func(l *sandbox.Listing) { l.Variants[0].ID = long }); err != nil {
			t.Fatal(err)
		}
		unlisted := b.Market.Add(sandbox.Publication{ID: long})[0]
		for _, full := range []bool{false, true} {
			b.Once(full)
		}
		for _, id := range good {
			if got := b.State(id); got != store.StateLive {
				t.Errorf("%s is %s, want %s", id, got, store.StateLive)
			}
		}
		for _, id := range []string{product, listing} {
			r := b.Record(id)
			if r.State != store.StateRejected {
				t.Errorf("%s is %s, want %s", id, r.State, store.StateRejected)
			}
			if why := fmt.Sprint(publication.MaxIdent+1, " bytes"); !strings.Contains(r.Problem.Message, why) {
				t.Errorf("%s: got the problem %.2000q, want %q in it", id, r.Problem.Message, why)
			}
			if strings.Contains(fmt.Sprintf("%+v", r), long) {
				t.Errorf("%s: %.2000v, want the long id nowhere", id, r)
			}
		}
		if r := b.Record(unlisted); r.State != "" {
			t.Errorf("the one whose own id is too long: %.500v, want no record", r)
		}
		if n := strings.Count(said.String(), "passed over"); n == 0 {
			t.Error("0 lines tell of it, want some")
		}
		if strings.Contains(said.String(), long) {
			t.Error("the log has the long id, want it nowhere")
		}
	})
}

// Thousands of signed webhooks for publications that the marketplace does not know leave nothing
// behind once they were looked at.
func TestWebhooksForNothingLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 1e6})
		known := b.Market.AddSound(2)
		c := b.Connector()
		var held [4]uint64
		harness.Working(t, c, func(c *connector.Connector) time.Duration {
			deliver := func(round string) uint64 {
				for i := range 3000 {
					body := fmt.Sprintf(`{"data":{"publication":{"id":"%s%d-%s"}}}`, round, i, strings.Repeat("n", 245))
					if w := harness.Deliver(c, delivery.Of("POST", "/webhooks", body, "secret", "")); w.Code != 204 {
						t.Fatalf("got %d, want 204", w.Code)
					}
				}
				time.Sleep(2 * breaker.Idle)
				return heap(b)
			}
			time.Sleep(time.Minute)
			for i := range held {
				held[i] = deliver(fmt.Sprint("r", i))
			}
			return 0
		})
		left := 0
		for _, count := range b.Counts() {
			left += count
		}
		if left != len(known) {
			t.Errorf("%d publications are kept, want %d", left, len(known))
		}
		if marks := b.Backlog(time.Now().Add(1000 * time.Hour)).Due; marks > len(known) {
			t.Errorf("%d marks are kept, want at most %d", marks, len(known))
		}
		// One round's marks take 4 MB of pages and a little more or less with how they are gathered; the
		// pages of what was deleted are used again.
		if most := int64(8 << 20); store.SizeOf(b.Store) > most {
			t.Errorf("the store takes %d bytes, want at most %d", store.SizeOf(b.Store), most)
		}
		// A round may take more than the one before: the runtime keeps lists of timers as long as they once were.
		// What is left behind by each webhook is there after every round; the ids alone are 768 KiB.
		least := int64(math.MaxInt64)
		for i := range len(held) - 1 {
			least = min(least, int64(held[i+1]-held[i]))
		}
		if most := int64(256 << 10); least > most {
			t.Errorf("each round leaves %d bytes at least, want %d at most", least, most)
		}
	})
}

// heap is what the process holds in memory, but for the sandbox's requests.
func heap(b *harness.Bench) uint64 {
	b.Market.Forget()
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
