package httpshop

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// An endpoint is asked for a draft once its health says that it makes them: one that overlooks the
// member would put the product on sale.
func TestDrafts(t *testing.T) {
	product := shopadapter.Product{
		ID: "p1", Title: "Lamp", Draft: true, Variants: []shopadapter.Variant{{ID: "v1", Price: "1.00"}},
	}
	ref := shopadapter.Ref{Publication: "p1"}
	shop := &scripted{code: http.StatusOK, body: `{"id":"7","url":"https://shop.example/7"}`}
	_, err := shop.open(t).Publish(t.Context(), ref, product, shopadapter.AllFields)
	e := shopadapter.Explain(err)
	if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
		!strings.Contains(e.Message, "PUBSYNC_PUBLISH_AS=live") {
		t.Errorf("no word of drafts: got %v, want the shop blocked, with what to do", err)
	}
	if shop.req.Method != http.MethodGet {
		t.Errorf("no word of drafts: got %s, want no product sent", shop.req.Method)
	}
}
