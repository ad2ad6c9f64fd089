package dashboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/publication"
)

// What is chosen stays chosen over pages and polls, and is dealt with by one request.
func testChosen(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	for i := range 60 {
		w.listed = append(w.listed, desk.Listed{ID: fmt.Sprintf("%02d", i), State: "live", Title: fmt.Sprint("Lamp ", i)})
	}
	w.listed[3].State, w.listed[55].State = "rejected", "held"
	w.count()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length === 50`)
	choose := func(id string) { p.Eval(`document.querySelector('#rows [value="` + id + `"]').click()`) }
	chosen := func(want string) {
		t.Helper()
		p.Until(`document.getElementById("chosen").checkVisibility() &&
			document.getElementById("chosen-count").innerText === ` + chromium.Quoted(want))
	}
	choose("03")
	chosen("1 product chosen")
	p.Press("Next")
	p.Until(`document.querySelectorAll("#rows tr").length === 10`)
	choose("55")
	chosen("2 products chosen")
	p.Press("First page")
	p.Until(`document.querySelector('#rows [value="03"]').checked &&
		document.getElementById("choose-all").indeterminate`)
	p.Press("Approve")
	p.Until(`document.getElementById("notice").innerText === "2 products’ changes are approved."`)
	p.Until(`document.getElementById("chosen").hidden`)

	p.Eval(`document.getElementById("choose-all").click()`)
	chosen("50 products chosen")
	p.Until(`!document.getElementById("chosen-approve").checkVisibility()`) // none of them is held
	p.Press("Choose none")
	p.Until(`document.getElementById("chosen").hidden && !document.getElementById("choose-all").checked`)
	choose("03")
	p.Press("Retry")
	p.Until(`document.getElementById("notice").innerText === "1 product is tried again now."`)
	choose("03")
	w.set(func() { w.listed[3].State = "held" })
	want := []string{"held map[at:then ids:[03 55]]", "retry map[ids:[03]]"}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}

// A group of held changes is told with its sum, and answered after a question.
func testHeldGroups(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Lamp")
	w.count()
	w.held = []map[string]any{{
		"kind": "price", "what": "prices that would rise far", "publications": 3, "old": "30.00",
		"new": "63.00", "up": 3, "largest": "110",
	}}
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelector("#groups .group")?.innerText.includes(
		"3 products prices that would rise far · 30.00 → 63.00 in all, 3 up, 0 down, at most 110 %")`)
	for _, answer := range []string{"Approve", "Decline"} {
		p.Eval(`document.querySelector('#groups [aria-label^="` + answer + `"]').click()`)
		p.Until(`document.querySelector(".confirm:popover-open") &&
			document.querySelector(".confirm:popover-open").innerText.includes("30.00 → 63.00 in all")`)
		p.Eval(`document.querySelector(".confirm:popover-open .strong").click()`)
		p.Until(`!document.querySelector(".confirm:popover-open")`)
	}
	p.Until(`document.getElementById("notice").innerText.startsWith("2 products stay as now")`)
	p.Eval(`document.querySelector("#rows th a").click()`)
	p.Until(`document.querySelector("#panel button[value=decline]")`)
	p.Eval(`document.querySelector("#panel button[value=decline]").click()`)
	p.Until(`document.getElementById("notice").innerText.startsWith("1 product stays as now")`)
	want := []string{
		"held map[at:then kind:price]",
		"held map[at:then decline:true kind:price]",
		"held map[decline:true holds:[key] ids:[pub-1]]",
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}

func testCompared(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	now := time.Now()
	w.status.Compared = &publication.Compared{
		At: now, Held: 2, Found: map[string]int{"price": 4, "missing": 1, "held": 2},
	}
	p := c.Open(t, w.URL, 1200)
	for _, text := range []string{
		"deleted 1, price 4", "2 products have a price of the shop’s own",
	} {
		p.Until(`document.getElementById("facts").innerText.includes(` + chromium.Quoted(text) + `)`)
	}
}
