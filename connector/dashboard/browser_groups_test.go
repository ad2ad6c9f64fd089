package dashboard_test

import (
	"fmt"
	"testing"

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
	want := []any{desk.Answer{IDs: []string{"03", "55"}, At: then}, desk.Retry{IDs: []string{"03"}}}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}

// aGroup is held changes of one kind.
func aGroup() []desk.HeldGroup {
	return []desk.HeldGroup{{
		Kind: "price", What: "prices that would rise far", Publications: 3,
		Sums: publication.Sums{Old: "30.00", New: "63.00", Up: 3, Largest: "110"},
	}}
}

// What is held is answered by its kind, and all at once, after a question.
func testQuestions(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Lamp")
	w.held = aGroup()
	p := c.Open(t, w.URL, 1200)
	asks := func(question string) {
		p.Eval(`document.querySelector('[popovertarget="` + question + `"]').click()`)
		p.Until(`document.querySelector(".confirm:popover-open")?.innerText.includes("30.00 → 63.00 in all")`)
	}
	asks("ask-all")
	p.Key("Escape")
	p.Until(`!document.querySelector(".confirm:popover-open")`)
	for _, question := range []string{"ask-approve-price", "ask-decline-price", "ask-all"} {
		asks(question)
		p.Eval(`document.getElementById("approve-kind").value = "removal"`)
		p.Eval(`document.querySelector(".confirm:popover-open .strong").click()`)
		p.Until(`!document.querySelector(".confirm:popover-open")`)
	}
	p.Until(`document.getElementById("notice").innerText === "2 products’ changes are approved."`)
	want := []any{
		desk.Answer{Kind: "price", At: then},
		desk.Answer{Decline: true, Kind: "price", At: then},
		desk.Answer{All: true, Kind: "removal", At: then},
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}
