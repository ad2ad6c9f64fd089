package listener_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

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
		})
	}
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
