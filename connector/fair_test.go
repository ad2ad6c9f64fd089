package connector

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A long import hides neither a fresh webhook nor the changes of what is on sale already.
func TestLongImportStarvesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{}) // fifty points a second
		old := b.box.AddSound(3)
		b.once(false)
		time.Sleep(time.Minute)
		b.box.AddSound(400)
		ctx, cancel := context.WithCancel(t.Context())
		c := b.connector()
		done := make(chan error)
		go func() { done <- c.Run(ctx, Listeners{}) }()
		time.Sleep(20 * time.Second)
		if err := b.box.SetStock(old[0], "", 4711); err != nil {
			t.Fatal(err)
		}
		c.Sweep(false)
		fresh := b.box.AddSound(1)[0]
		body := `{"data":{"publication":{"id":"` + fresh + `"}}}`
		if w := deliver(c, delivery.Of("POST", "/webhooks", body, "secret", "PUBLICATION_CREATED")); w.Code != http.StatusNoContent {
			t.Fatal(w.Code)
		}
		time.Sleep(15 * time.Second)
		if _, onSale := b.shop.get(fresh); !onSale {
			t.Error("a fresh webhook waits behind the import")
		}
		time.Sleep(2 * time.Minute)
		if p, _ := b.shop.get(old[0]); p.Variants[0].Quantity != 4711 {
			t.Error("a change of a product on sale waits behind the import")
		}
		if n := b.backlog(time.Now()).Due; n < 50 {
			t.Errorf("the import is over already (%d due): the test proves nothing", n)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
