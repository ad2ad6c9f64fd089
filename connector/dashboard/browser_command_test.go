package dashboard_test

import (
	"net/http"
	"strings"
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
		ID: id, State: "held", Title: title,
		Source: desk.Source{
			Listing:   "l1",
			Product:   "p1",
			UpdatedAt: "2026-03-01T10:00:00Z",
			ReadAt:    time.Now().Add(-time.Minute),
		},
		Shop: desk.Placed{
			ID:     "77",
			URL:    "https://shop.example.com/p/" + id,
			OnSale: true,
			Kept:   shopadapter.FieldTitle | shopadapter.FieldImages,
		},
		Variants: []desk.Explained{{
			ID: "v1", Title: "Red, L", SKU: "LAMP-R", Price: "19.95", Cost: "10.00", MSRP: "39.90", Quantity: 4,
			Steps: []string{"msrp 39.9 = 39.90"},
		}},
		Held: []desk.HeldNow{{Key: "key", Hold: store.Hold{
			Kind: "price", Variant: "v1", Old: "19.95", New: "39.90", Reason: "the price would move by 100 %",
			Since: store.At(time.Now().Add(-90 * time.Minute)),
		}}},
		Report: desk.Reporting{Status: "success", At: time.Now()},
		History: []store.Event{
			{At: store.At(time.Now().Add(-time.Hour)), What: "created"},
			{At: store.At(time.Now()), What: "price held"},
		},
	}
	w.count()
}

func testApprove(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub/1", "Reading lamp")
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelector("#rows a")`)
	p.Eval(`document.querySelector("#rows th a").click()`)
	p.Until(`document.querySelector("#panel .hold")`)
	if text := p.Text("#panel .hold"); !strings.Contains(text, "Price of Red, L: 19.95 → 39.90") ||
		!strings.Contains(text, "Held 1 h ago.") {
		t.Errorf("the hold reads %q", text)
	}
	if link := p.Eval(`document.querySelector("#panel dd a").href`); link != "https://shop.example.com/p/pub/1" {
		t.Errorf("link to %v", link)
	}
	p.Eval(`document.querySelector("#panel summary").click()`)
	p.Until(`document.querySelector("#panel .steps").checkVisibility() &&
		document.querySelector("#panel .steps").innerText.includes("39.90")`)
	if first := p.Text("#panel .history li"); !strings.Contains(first, "price held") {
		t.Errorf("history begins with %q, not with the newest", first)
	}
	p.Press("Approve")
	p.Until(`document.getElementById("notice").innerText === "1 product’s changes are approved."`)
	if diff := cmp.Diff([]string{"held map[holds:[key] ids:[pub/1]]"}, w.received()); diff != "" {
		t.Error(diff)
	}
	w.set(func() {
		e := w.explained["pub/1"]
		e.State, e.Held = "live", nil
		w.explained["pub/1"] = e
	})
	p.Eval(look)
	p.Until(`!document.querySelector("#panel .hold") && document.querySelector("#panel .badge").innerText === "live"`)
	if open := p.Eval(`document.querySelector("#panel details").open`); open != true {
		t.Error("what was opened has closed")
	}
}

func testApproveAll(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	w.held = []map[string]any{{"kind": "price", "what": "prices that would rise far", "publications": 3, "new": "63.00"}}
	p := c.Open(t, w.URL, 1200)
	p.Press("Approve all …")
	p.Until(`document.querySelector(".confirm:popover-open")`)
	if text := p.Text("#ask-all"); !strings.Contains(text, "3 products: prices that would rise far · 63.00 in all") {
		t.Errorf("the question reads %q", text)
	}
	p.Key("Escape")
	p.Until(`!document.querySelector(".confirm:popover-open")`)
	if posts := w.received(); len(posts) > 0 {
		t.Errorf("refused, and yet sent: %v", posts)
	}
	p.Press("Approve all …")
	p.Press("Approve")
	p.Until(`document.getElementById("notice").innerText === "2 products’ changes are approved."`)
	p.Press("Approve all …")
	p.Until(`document.querySelector(".confirm:popover-open")`)
	p.Eval(`document.getElementById("approve-kind").value = "removal"`)
	p.Eval(`document.getElementById("notice").innerText = ""`) // what follows waits for the second answer's
	p.Press("Approve")
	p.Until(`!document.querySelector(".confirm:popover-open") &&
		document.getElementById("notice").innerText === "2 products’ changes are approved."`)
	want := []string{"held map[all:true at:then]", "held map[all:true at:then kind:removal]"}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}

func testCommandFails(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	p := c.Open(t, w.URL+"/?id=pub-1", 1200)
	p.Until(`document.querySelector("#panel .hold")`)
	w.set(func() {
		w.answer = func(rw http.ResponseWriter) {
			rw.Header().Set("Pubsync-Exit", "5")
			http.Error(rw, "write store: no space left", http.StatusServiceUnavailable)
		}
	})
	p.Press("Approve")
	p.Until(`document.getElementById("notice").innerText === "That did not work: write store: no space left."`)
	w.set(func() { w.answer = nil })
	p.Press("Approve") // it is not stuck
	p.Until(`document.getElementById("notice").innerText.includes("changes are approved")`)
}

func testGiveBack(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	p := c.Open(t, w.URL+"/?id=pub-1", 1200)
	p.Press("Retry and give the edits back …")
	p.Until(`document.getElementById("ask-reset").innerText.includes("title, images")`)
	p.Press("Cancel")
	p.Until(`!document.querySelector(".confirm:popover-open") && document.getElementById("panel")`)
	p.Press("Retry and give the edits back …")
	p.Press("Overwrite the edits")
	p.Until(`document.getElementById("notice").innerText === "The supplier’s version is written now."`)
	if diff := cmp.Diff([]string{"retry map[ids:[pub-1] reset:true]"}, w.received()); diff != "" {
		t.Error(diff)
	}
}
