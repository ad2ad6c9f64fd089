package listener_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A store that cannot be written is the one thing for which the marketplace is asked to come again.
func TestWebhookStoreClosed(t *testing.T) {
	for path, secret := range map[string]string{"/webhooks": "secret", "/webhooks/path-token": ""} {
		b := harness.New(t, sandbox.Options{})
		c := b.Connector()
		if err := b.Store.Close(); err != nil {
			t.Fatal(err)
		}
		w := harness.Deliver(c, delivery.Of("POST", path, harness.HookBody, secret, ""))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q, want 503 with one", path, w.Code, w.Header().Get("Retry-After"))
		}
		if got := w.Body.String(); strings.Contains(got, "pubsync.db") || strings.Contains(got, "bolt") {
			t.Errorf("%s: the answer tells of the store: %s, want neither pubsync.db nor bolt", path, got)
		}
		if w := harness.Deliver(c,
			delivery.Of("POST", "/webhooks", harness.HookBody, "guess", "")); w.Code != http.StatusUnauthorized {
			t.Errorf("forged: %d, want %d: the store is not its business", w.Code, http.StatusUnauthorized)
		}
	}
}

// A publication that an unsigned body names is looked at only where it is known: by its product,
// its listing or its own id.
func TestWebhookNamesWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string // due for it
		sweeps     bool
	}{
		{"publication", `{"data":{"publication":{"id":"p1"}}}`, []string{"p1"}, false},
		{"product of two", `{"data":{"product":{"id":"d1"}}}`, []string{"p1", "p2"}, false},
		{"product of a variant", `{"data":{"productVariant":{"product":{"id":"d2"}}}}`, []string{"p3"}, false},
		{"listing", `{"data":{"listing":{"id":"l2"}}}`, []string{"p2"}, false},
		{
			"publication and product", `{"data":{"publication":{"id":"p3"},"product":{"id":"d1"}}}`,
			[]string{"p1", "p2", "p3"},
			false,
		},
		{"unknown beside known", `{"data":{"publication":{"id":"p9"},"product":{"id":"d2"}}}`, []string{"p3"}, false},
		{"nothing known", `{"data":{"publication":{"id":"p9"},"product":{"id":"d9"},"listing":{"id":"l9"}}}`, nil, true},
		{"a part of an id", `{"data":{"product":{"id":"d"},"listing":{"id":"l"}}}`, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			knowThree(b)
			c := b.Connector()
			if w := harness.Deliver(c, delivery.Of("POST", "/webhooks/path-token", tt.body, "", "")); w.Code != 204 {
				t.Fatalf("got %d: %s, want 204", w.Code, w.Body)
			}
			var due []string
			for _, id := range []string{"p1", "p2", "p3", "p9"} {
				switch harness.Cause(t, b.Store, id) {
				case "":
				case "unsigned":
					due = append(due, id)
				default:
					t.Errorf("%s is due for %s, want unsigned or not due", id, harness.Cause(t, b.Store, id))
				}
			}
			if diff := cmp.Diff(tt.want, due); diff != "" {
				t.Errorf("due (-want +got):\n%s", diff)
			}
			if got := sweptFor(t, tt.body); got > 0 != tt.sweeps || got > 4 {
				t.Errorf("sixty of them led to %d sweeps in a minute, want some: %t, 4 at most", got, tt.sweeps)
			}
		})
	}
}

// sweptFor is the number of sweeps that an unsigned webhook leads to which comes each second of a
// minute: its share of the points bounds them.
func sweptFor(t *testing.T, body string) (sweeps int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 1})
		c, stop := b.Start()
		defer stop()
		time.Sleep(time.Hour)
		knowThree(b)
		b.Market.Forget()
		for range 60 {
			harness.Deliver(c, delivery.Of("POST", "/webhooks/path-token", body, "", ""))
			time.Sleep(time.Second)
		}
		for _, r := range b.Market.Requests() {
			if r.Kind == sandbox.KindList {
				sweeps++
			}
		}
	})
	return sweeps
}

// knowThree has the store know three publications, two of one product.
func knowThree(b *harness.Bench) {
	b.T.Helper()
	for i, product := range []string{"d1", "d1", "d2"} {
		id := fmt.Sprint("p", i+1)
		if _, err := b.Store.Settle(b.T.Context(), store.Settlement{Record: store.Record{
			ID: id, State: store.StateLive, OnSale: true, Product: product, Listing: fmt.Sprint("l", i+1),
		}}); err != nil {
			b.T.Fatal(err)
		}
	}
}

// The same webhook a thousand times, and from many senders at once, is one look.
func TestWebhookBurst(t *testing.T) {
	b := harness.New(t, sandbox.Options{})
	c := b.Connector()
	codes := make(chan int)
	for range 8 {
		go func() {
			for range 25 {
				codes <- harness.Deliver(c,
					delivery.Of("POST", "/webhooks", harness.HookBody, "secret", "PUBLICATION_CREATED")).Code
			}
		}()
	}
	for range 200 {
		if code := <-codes; code != 204 {
			t.Errorf("got %d, want 204", code)
		}
	}
	if got := harness.Cause(t, b.Store, "p1"); got != "signed" {
		t.Errorf("p1 is due for %q, want signed", got)
	}
	var due []store.Mark
	// the due set takes over what was accepted
	for end := time.Now().Add(10 * time.Second); len(due) == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		var err error
		if due, _, err = b.Store.Due(b.T.Context(),
			store.DueQuery{Classes: store.AllClasses, To: store.At(time.Now())}); err != nil {
			t.Fatal(err)
		}
	}
	if len(due) != 1 || due[0].ID != "p1" {
		t.Errorf("due: %+v, want p1 alone", due)
	}
}
