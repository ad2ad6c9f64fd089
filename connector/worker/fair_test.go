package worker_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A long import hides neither a fresh webhook nor the changes of what is on sale already.
func TestLongImportStarvesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{}) // fifty points a second
		old := b.Market.AddSound(3)
		b.Once(false)
		time.Sleep(time.Minute)
		b.Market.AddSound(400)
		ctx, cancel := context.WithCancel(t.Context())
		c := b.Connector()
		done := make(chan error)
		go func() { done <- c.Run(ctx, connector.Listeners{}) }()
		time.Sleep(20 * time.Second)
		if err := b.Market.SetStock(old[0], "", 4711); err != nil {
			t.Fatal(err)
		}
		c.Sweep(false)
		fresh := b.Market.AddSound(1)[0]
		body := `{"data":{"publication":{"id":"` + fresh + `"}}}`
		if w := harness.Deliver(c,
			delivery.Of("POST", "/webhooks", body, "secret", "PUBLICATION_CREATED")); w.Code != http.StatusNoContent {
			t.Fatalf("got %d, want %d", w.Code, http.StatusNoContent)
		}
		time.Sleep(15 * time.Second)
		if _, onSale := b.Shop.Get(fresh); !onSale {
			t.Error("a fresh webhook waits behind the import: want it on sale")
		}
		time.Sleep(2 * time.Minute)
		if p, _ := b.Shop.Get(old[0]); p.Variants[0].Quantity != 4711 {
			t.Errorf("a product on sale waits behind the import: got %d in stock, want 4711", p.Variants[0].Quantity)
		}
		if n := b.Backlog(time.Now()).Due; n < 50 {
			t.Errorf("the import is over already (%d due): the test proves nothing, want at least 50", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
