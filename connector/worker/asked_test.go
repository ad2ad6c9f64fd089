package worker_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// askedBacklog is a worker beside which a person retries all that failed, several hundred
// publications, whose content takes the points of minutes.
func askedBacklog(
	t *testing.T,
	b *harness.Bench,
) (c *connector.Connector, ids []string, read func() []string, stop func()) {
	t.Helper()
	ids = b.Market.AddSound(400)
	broken := true
	b.Shop.Refuse = func(harness.Call) error {
		if broken {
			return shopadapter.Block("the product type is missing")
		}
		return nil
	}
	for b.Once(false); b.Counts()[store.StateBlocked] < len(ids); {
		b.Once(false)
	}
	broken = false
	var mu sync.Mutex
	var seen []string
	b.Market.OnContentRead(func(id string) { mu.Lock(); seen = append(seen, id); mu.Unlock() })
	ctx, cancel := context.WithCancel(t.Context())
	c = b.Connector()
	done := make(chan error)
	go func() { done <- c.Run(ctx, connector.Listeners{}) }()
	time.Sleep(time.Minute)
	if n, err := harness.RetryFailed(b.Store); n != len(ids) || err != nil {
		t.Fatalf("%d of %d are retried: %v, want %v and no error", n, len(ids), err, len(ids))
	}
	c.Desk().Worker.Wake()
	time.Sleep(10 * time.Second)
	read = func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
	return c, ids, read, func() {
		if n := b.Backlog(time.Now()).Due; n < 100 {
			t.Errorf("the backlog is worked off already (%d due): the test proves nothing, want at least 100", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A publication that a person names by its id is looked at next, even before hundreds that are due
// because they were retried together.
func TestWhatAPersonNamesIsLookedAtNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		c, ids, read, stop := askedBacklog(t, b)
		defer stop()
		before := read()
		slots := b.Options().Concurrency
		i := slices.IndexFunc(ids, func(id string) bool { return !slices.Contains(before, id) && id > ids[len(ids)/2] })
		named := ids[i]
		if err := harness.Retry(b.Store, named, false); err != nil {
			t.Fatal(err)
		}
		c.Desk().Worker.Wake()
		time.Sleep(10 * time.Second)
		after := read()[len(before):]
		if at := slices.Index(after, named); at < 0 || at > slots+1 {
			t.Errorf("it is looked at as number %d of %d, want at least 0 and at most %v", at, len(after), slots+1)
		}
		if b.State(named) != store.StateLive {
			t.Errorf("it is %s, want %v", b.State(named), store.StateLive)
		}
	})
}

// A webhook goes before the publications that one `retry --failed` made due.
func TestRetryFailedStarvesNoWebhook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		c, _, _, stop := askedBacklog(t, b)
		defer stop()
		fresh := b.Market.AddSound(1)[0]
		body := `{"data":{"publication":{"id":"` + fresh + `"}}}`
		if w := harness.Deliver(c,
			delivery.Of("POST", "/webhooks", body, "secret", "PUBLICATION_CREATED")); w.Code != http.StatusNoContent {
			t.Fatalf("got %d, want %d", w.Code, http.StatusNoContent)
		}
		time.Sleep(15 * time.Second)
		if _, onSale := b.Shop.Get(fresh); !onSale {
			t.Error("a fresh webhook waits behind what was retried: want it on sale")
		}
	})
}
