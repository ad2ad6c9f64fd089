package dashboard_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// held is a publication whose price has doubled while its stock flowed.
func held(w *worker, id, title string) {
	w.listed = append(w.listed, desk.Listed{
		ID: id, State: "held", Title: title, Reported: "success", URL: "https://shop.example.com/p/" + id,
		Error: "the price would move by 100 %",
	})
	w.explained[id] = desk.Explanation{
		Record: store.Record{
			ID: id, State: "held", Title: title, Listing: "l1", Product: "p1", UpdatedAt: "2026-03-01T10:00:00Z",
			ReadAt: store.At(time.Now().Add(-time.Minute)), ShopID: "77", URL: "https://shop.example.com/p/" + id,
			Kept:     shopadapter.FieldTitle | shopadapter.FieldImages,
			Reported: "success", ReportedAt: store.At(time.Now()),
		},
		OnSale: true,
		Variants: []desk.Explained{{
			Variant: store.Variant{ID: "v1", Title: "Red, L", SKU: "LAMP-R"},
			Price:   "19.95", Cost: "10.00", MSRP: "39.90", Quantity: 4, Steps: []string{"msrp 39.9 = 39.90"},
		}},
		Held: []desk.HeldNow{{Key: "key", Hold: store.Hold{
			Kind: "price", Variant: "v1", Old: "19.95", New: "39.90", Reason: "the price would move by 100 %",
			Since: store.At(time.Now().Add(-90 * time.Minute)),
		}}},
		History: []store.Event{
			{At: store.At(time.Now().Add(-time.Hour)), What: "created"},
			{At: store.At(time.Now()), What: "price held"},
		},
	}
	w.count()
}

func testPanel(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	p := c.Open(t, w.URL+"/?id=pub-1", 1200)
	p.Until(`document.querySelector("#panel .hold")`)
	w.set(func() { w.fails = errors.New("write store: no space left") })
	p.Press("Approve")
	p.Until(`document.getElementById("notice").innerText === "That did not work: write store: no space left."`)
	w.set(func() { w.fails = nil })
	p.Press("Decline") // it is not stuck
	p.Until(`document.getElementById("notice").innerText.startsWith("1 product stays as now")`)
	p.Press("Retry and give the edits back …")
	p.Press("Overwrite the edits")
	p.Until(`document.getElementById("notice").innerText === "The supplier’s version is written now."`)
	want := []any{
		desk.Answer{Decline: true, IDs: []string{"pub-1"}, Holds: []string{"key"}},
		desk.Retry{IDs: []string{"pub-1"}, Reset: true},
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}
