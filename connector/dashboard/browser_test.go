package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// look has the page ask now, rather than when its time has come.
const look = `document.dispatchEvent(new Event("visibilitychange"))`

// TestBrowser is what only a browser can tell. All of it shares one: starting it costs more than
// any single test.
func TestBrowser(t *testing.T) {
	browser := chromium.Start(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *chromium.Browser)
	}{
		{"hostile data stays text", testHostile},
		{"commands of the panel, and one that fails", testPanel},
		{"pages, filters and the search", testList},
		{"pictures", testThumbnail},
		{"products are chosen", testChosen},
		{"questions", testQuestions},
		{"price rules are tried", testPrices},
		{"the worker goes away and comes back", testGone},
		{"an error for an answer", testError},
		{"focus stays where it is", testFocus},
		{"by the keys alone", testKeys},
		{"the address holds the view", testAddress},
		{"nobody asks from a hidden tab", testHidden},
		{"a phone", testPhone},
		{"accounts", testAccounts},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, browser) })
	}
}

// newHouse serves the page of many accounts that are at work, and one of each kind that is not.
func newHouse(t *testing.T) *httptest.Server {
	t.Helper()
	accounts := []dashboard.Account{
		{Name: "held", State: "working", Publications: map[store.State]int{"live": 5, "held": 12, "blocked": 1}},
		{
			Name: "paused", State: "working", Due: 40, Publications: map[store.State]int{"live": 5},
			Paused: []string{"shop: 401 the key is wrong"}, Refuses: true,
		},
		{Name: "broken", State: "faulty", Error: "broken.env: PUBSYNC_PRICE_ADD <b>"},
		{Name: "others", State: "elsewhere", Publications: map[store.State]int{"live": 5}},
	}
	for i := range 300 {
		accounts = append(accounts, dashboard.Account{
			Name: fmt.Sprint("retailer-", i), State: "working", Due: i % 7, Outbox: i % 3,
			Publications: map[store.State]int{"live": 200 + i, "partial": 1},
		})
	}
	h := httptest.NewServer(dashboard.Accounts(func(context.Context) []dashboard.Account { return accounts }))
	t.Cleanup(h.Close)
	return h
}

// Each account's page is a link that the keyboard reaches; those that need a person come first.
func testAccounts(t *testing.T, c *chromium.Browser) {
	h := newHouse(t)
	p := c.Open(t, h.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length > 300`)
	p.Shows("PUBSYNC_PRICE_ADD <b>")
	p.Eval(`document.getElementById("list").focus()`)
	p.Key("Tab")
	if got := p.Eval(`document.activeElement.getAttribute("href")`); got != "accounts/held/" {
		t.Errorf("the key Tab leads to %v, want the account", got)
	}
	h.Close()
	p.Eval(look)
	p.Shows("The worker does not answer.")
}

// aTrial is a trial that has something to say in each of its parts.
func aTrial() desk.Trial {
	return desk.Trial{
		Publications: 2000, Variants: 8000, Up: 5000, Down: 1200, Held: 31, Without: 2, Why: hostile,
		Costed: 7998, MarginNow: 38.2, MarginThen: 41,
		Most: []desk.Move{
			{
				ID: "1", Title: hostile, Variant: "Red / 40 × 28 cm, without a lid",
				Trial: publication.Trial{Old: "10.00", New: "21.00", Percent: 110, Held: true},
			},
			{ID: "2", Title: "Chair", Trial: publication.Trial{Old: "20.00", New: "15.50", Percent: -22.5}},
		},
	}
}

// Rules are tried as they are changed, and the page prints what the env file would have to say.
func testPrices(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.rules = map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "20", "PUBSYNC_PRICE_TIERS": "0-10:120%,10-:50%"}
	w.trial = aTrial()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	p.Eval(`document.getElementById("to-prices").click()`)
	p.Until(`document.getElementById("prices")?.checkVisibility() && !document.getElementById("table")`)
	set := func(selector, value string) {
		t.Helper()
		p.Eval(fmt.Sprintf(`{ const field = document.querySelector(%q); field.value = %q;
			field.dispatchEvent(new Event("input", { bubbles: true })); }`, selector, value))
	}
	set("[data-slider=PUBSYNC_PRICE_MARKUP_PERCENT]", "35")
	set("[data-rule=PUBSYNC_PRICE_TIERS]", "0-10:120%,10-:60%")
	set("[data-rule=PUBSYNC_PRICE_CATEGORIES]", "GARDEN=+10%; TOYS=5%")
	p.Until(`document.getElementById("lines-env").innerText === ` + chromium.Quoted(
		"PUBSYNC_PRICE_CATEGORIES='GARDEN=+10%; TOYS=5%'\nPUBSYNC_PRICE_MARKUP_PERCENT=35\n"+
			"PUBSYNC_PRICE_TIERS=0-10:120%,10-:60%"))
	w.set(func() {
		for name, want := range map[string]string{
			"PUBSYNC_PRICE_MARKUP_PERCENT": "35", "PUBSYNC_PRICE_TIERS": "0-10:120%,10-:60%",
			"PUBSYNC_PRICE_CATEGORIES": "GARDEN=+10%; TOYS=5%",
		} {
			if got := w.tried[name]; got != want {
				t.Errorf("tried with %s=%q, want %q", name, got, want)
			}
		}
	})
	set("[data-rule=PUBSYNC_PRICE_ENDING]", "95")
	p.Until(`document.getElementById("trial-notice").innerText ===
		"These rules cannot be used: PUBSYNC_PRICE_ENDING: is not an ending"`)
	p.Press("As they are")
	p.Until(`document.getElementById("lines-env").innerText === "# nothing is changed"`)
	p.Until(`document.querySelector("[data-rule=PUBSYNC_PRICE_ENDING]").value === "" &&
		document.querySelector("[data-slider=PUBSYNC_PRICE_MARKUP_PERCENT]").value === "20"`)
	p.Eval(`document.getElementById("to-list").click()`)
	p.Until(`document.getElementById("table")?.checkVisibility() && !document.getElementById("prices")`)
}

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
	want := []any{desk.Request{IDs: []string{"03", "55"}, At: then}, desk.Request{Retry: true, IDs: []string{"03"}}}
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
	for _, one := range []struct{ question, told string }{
		{"ask-approve-price", "approved."}, {"ask-decline-price", "as now"}, {"ask-all", "2 products’ changes are approved."},
	} {
		asks(one.question)
		p.Eval(`document.getElementById("approve-kind").value = "removal"`)
		p.Eval(`document.querySelector(".confirm:popover-open .strong").click()`)
		p.Until(`!document.querySelector(".confirm:popover-open") &&
			document.getElementById("notice").innerText.includes(` + chromium.Quoted(one.told) + `)`)
	}
	want := []any{
		desk.Request{Kind: "price", At: then},
		desk.Request{Decline: true, Kind: "price", At: then},
		desk.Request{All: true, Kind: "removal", At: then},
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}

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
		Held: []desk.HeldChange{{Key: "key", Option: "Red, L", Hold: store.Hold{
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
		desk.Request{Decline: true, IDs: []string{"pub-1"}, Holds: []string{"key"}},
		desk.Request{Retry: true, IDs: []string{"pub-1"}, Reset: true},
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
}

func testGone(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.listed = []desk.Listed{{ID: "1", State: "live", Title: "Reading lamp"}}
	w.count()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The one product is on sale." &&
		document.querySelector("#rows a")`)
	w.set(func() { w.away = func(http.ResponseWriter) { panic(http.ErrAbortHandler) } })
	p.Eval(look)
	p.Until(`document.getElementById("headline").innerText === "The worker does not answer."`)
	p.Until(`/Last seen (\d+ s ago)\. What is shown below is from then\./.test(
		document.getElementById("lines").innerText)`)
	p.Until(`document.title === "! pubsync" &&
		document.querySelector("#rows").innerText.includes("Reading lamp")`)
	// The page also asks by itself: the button may be gone by the time that the worker answers again.
	p.Eval(`globalThis.askNow = [...document.querySelectorAll("#actions a")]
		.find((b) => b.innerText === "Ask now"); Object.defineProperty(document, "hidden", { get: () => true }); ` + look)
	w.set(func() { w.away = nil })
	p.Eval(`globalThis.askNow.click()`)
	p.Until(`document.getElementById("headline").innerText === "The one product is on sale." &&
		document.title === "pubsync"`)
}

func testError(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	for _, tt := range []struct {
		headline, reason, then string
		away                   func(http.ResponseWriter)
	}{
		{"The worker cannot say how things stand.", "read store: bad page", "Ask now", nil},
		{
			"The worker cannot say how things stand.", "HTTP 502", "Ask now",
			func(rw http.ResponseWriter) {
				rw.Header().Set("Content-Type", "text/html")
				rw.WriteHeader(http.StatusBadGateway)
				fmt.Fprint(rw, "<h1>Bad gateway</h1>")
			},
		},
		{
			"The worker does not answer.", "the answer is not the worker’s", "Ask now",
			func(rw http.ResponseWriter) { fmt.Fprint(rw, "<h1>It works!</h1>") },
		},
		{
			"Your login has ended.", "", "Log in",
			func(rw http.ResponseWriter) { http.Error(rw, "token needed", http.StatusUnauthorized) },
		},
	} {
		w.set(func() { w.away, w.fails = tt.away, errors.New("read store: bad page") })
		p.Eval(look)
		want := strings.Join([]string{tt.headline, tt.reason, tt.then, "/"}, "|")
		p.Until(`[...document.querySelectorAll("#headline, #reason, #actions a")].map((e) => e.textContent).join("|") +
			"|" + document.querySelector("#actions a").pathname === ` + chromium.Quoted(want))
	}
}

func testHidden(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	before := w.asked()
	p.Pass(20 * time.Second)
	if n := w.asked() - before; n < 3 || n > 8 {
		t.Errorf("asked %d times in 20 seconds of looking", n)
	}
	p.Eval(`Object.defineProperty(document, "hidden", { get: () => true }); ` + look)
	before = w.asked()
	p.Pass(time.Minute)
	if n := w.asked() - before; n > 1 {
		t.Errorf("asked %d times while hidden", n)
	}
}
