package dashboard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// Somebody without a mouse walks the whole page by Tab, sees at each stop where they are, and
// approves a held change.
func testKeys(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	w.listed = append(w.listed, desk.Listed{ID: "2", State: "live", Title: "Chair"})
	w.count()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length === 2`)

	stops := walk(t, p)
	all := p.Eval(`[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
		.filter((e) => !e.disabled && e.checkVisibility({ visibilityProperty: true })).length`)
	if float64(len(stops)) != all {
		t.Errorf("Tab stops at %d elements, want all %v that can be used: %q", len(stops), all, stops)
	}
	if len(stops) == 0 || stops[0] != "Skip to the publications" {
		t.Fatalf("the walk begins with %q, want the skip link", stops)
	}
	for _, name := range []string{"Show what is held", "Find", "Choose Reading lamp", "Reading lamp", "Chair"} {
		if !slices.Contains(stops, name) {
			t.Errorf("the walk meets no %q: %q", name, stops)
		}
	}

	tabTo(t, p, "Reading lamp")
	p.Key("Enter")
	p.Until(`document.getElementById("panel")?.matches(":modal") && document.querySelector("#panel .hold") &&
		document.activeElement.id === "panel-title"`)
	tabTo(t, p, "Approve")
	p.Key("Enter")
	p.Until(`document.getElementById("notice").innerText === "1 product’s changes are approved."`)
	if diff := cmp.Diff([]any{desk.Request{IDs: []string{"pub-1"}, Holds: []string{"key"}}}, w.received()); diff != "" {
		t.Error(diff)
	}
	p.Key("Escape")
	p.Until(`!document.getElementById("panel") && ` + nameHere + ` === "Reading lamp"`)
}

// nameHere is what a screen reader calls the element that has the focus, "" where none has it.
const nameHere = `((e) => e === document.body ? "" : (e.getAttribute("aria-label") || e.labels?.[0]?.innerText ||
	e.innerText || e.id).replace(/\s+/g, " ").trim())(document.activeElement)`

// walk presses Tab from the beginning of the page until its end, and is the names of the stops. Each
// shows that it has the focus.
func walk(t *testing.T, p *chromium.Tab) (stops []string) {
	t.Helper()
	for range 200 {
		p.Key("Tab")
		name, ok := p.Eval(nameHere).(string)
		if !ok || name == "" {
			return stops
		}
		stops = append(stops, name)
		style := p.Eval(`((s) => s.outlineStyle + " " + s.outlineWidth)(getComputedStyle(document.activeElement))`)
		if text, ok := style.(string); !ok || strings.HasPrefix(text, "none") || strings.HasSuffix(text, " 0px") {
			t.Errorf("%q has the focus and does not show it: outline %v", name, style)
		}
	}
	t.Fatalf("Tab comes to no end: %q", stops)
	return nil
}

// tabTo presses Tab until an element with a name has the focus.
func tabTo(t *testing.T, p *chromium.Tab, name string) {
	t.Helper()
	var met []any
	for range 200 {
		p.Key("Tab")
		here := p.Eval(nameHere)
		if here == name {
			return
		}
		met = append(met, here)
	}
	t.Fatalf("Tab does not come to %q: %q", name, met)
}

// TestAccessible has axe-core judge each view of the pages on a phone, on a desk and on a wall, dark or light: colours
// do not go by the width. It finds nothing, and no view is wider than its window.
func TestAccessible(t *testing.T) {
	script := axe(t)
	browser := chromium.Start(t)
	for width, scheme := range map[int]string{360: "dark", 1280: "light", 2560: "dark"} {
		t.Run(fmt.Sprint(width, " ", scheme), func(t *testing.T) {
			w := crowded(t)
			p := browser.Open(t, w.URL, width)
			p.Prefer(scheme)
			p.Until(`document.querySelector("#groups .group")`)
			p.Eval(script + "; true")
			judge(t, p, width, "the list")
			p.Eval(`document.querySelectorAll("#rows .choose")[0].click()`)
			judge(t, p, width, "a choice")
			p.Eval(`document.querySelector('#groups [aria-label^="Approve"]').click()`)
			p.Until(`document.querySelector(".confirm:popover-open")`)
			judge(t, p, width, "a question")
			p.Key("Escape")
			p.Eval(`document.querySelector("#rows th a").click()`)
			p.Until(`document.querySelector("#panel .hold")`)
			p.Eval(`document.querySelector("#panel details").open = true`)
			judge(t, p, width, "the panel")
			p.Key("Escape")
			p.Go(w.URL + "/?state=withdrawn")
			p.Until(`document.getElementById("empty").innerText.includes("Nothing has been withdrawn.")`)
			p.Eval(script + "; true")
			judge(t, p, width, "an empty list")
			p.Go(w.URL + "/?page=prices")
			p.Until(`document.querySelectorAll("#moves tr").length === 2`)
			p.Eval(script + "; true")
			judge(t, p, width, "the rules of prices")
			p.Go(newHouse(t).URL)
			p.Until(`document.querySelectorAll("#rows tr").length > 300`)
			p.Eval(script + "; true")
			judge(t, p, width, "accounts")
		})
	}
}

// axe is the script of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PUBSYNC_TEST_AXE")
	if dir == "" {
		t.Skip("PUBSYNC_TEST_AXE names no folder that axe/install.sh has filled: accessibility is not judged")
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// crowded is a worker with something in every part of the page.
func crowded(t *testing.T) *worker {
	t.Helper()
	w := newWorker(t)
	held(w, "p1", "Lamp")
	for i := range 60 {
		w.listed = append(w.listed, desk.Listed{
			ID: fmt.Sprint("live-", i), State: "live", Title: strings.Repeat("Donaudampfschiff ", i%9+1), Reported: "success",
			UpdatedAt: "2026-11-03T10:00:00Z", PriceFrom: "9.95", PriceTo: "12345.95", Stock: new(120), Margin: new(-12.5),
		})
	}
	for _, state := range publication.Failed() {
		id := string(state)
		w.listed = append(w.listed, desk.Listed{ID: id, State: state, Title: "A " + id + " one", Error: "the shop says no"})
	}
	w.count()
	w.held = []desk.HeldGroup{{
		Kind: "price", What: "prices that would rise far", Publications: 1, Sums: publication.Sums{New: "39.90"},
	}}
	w.trial = aTrial()
	w.rules = map[string]string{"PUBSYNC_PRICE_TIERS": "0-10:120%,10-:50%"}
	w.status.Compared = publication.Compared{At: time.Now(), Found: map[string]int{"left": 1}}
	w.status.LastError = &desk.LastError{Message: "no route to host", At: time.Now()}
	w.status.Budget = pace.Snapshot{Limit: 1000, Remaining: 300, RestoreRate: 50}
	return w
}

// judge fails the test with what axe-core finds, and where the view is wider than its window.
func judge(t *testing.T, p *chromium.Tab, width int, view string) {
	t.Helper()
	for _, v := range violations(t, p) {
		t.Errorf("%s: %s", view, v)
	}
	// a phone's window grows with what is too wide for it
	if wide := p.Eval(`Math.max(document.documentElement.scrollWidth, innerWidth)`); wide != float64(width) {
		t.Errorf("%s is %v pixels wide, want %d", view, wide, width)
	}
}

// violations is what axe-core finds in the page once it is at rest: while the list is asked for, its
// table is dimmed, and what is half transparent has too little contrast.
func violations(t *testing.T, p *chromium.Tab) (found []string) {
	t.Helper()
	p.Until(`!document.querySelector("[aria-busy=true]")`)
	p.Eval(`Promise.all(document.getAnimations().map((a) => a.finished.catch(() => {})))`)
	said := p.Eval(`axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(
		r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map((n) => n.html + n.failureSummary))))`)
	text, ok := said.(string)
	if err := json.Unmarshal([]byte(text), &found); err != nil || !ok {
		t.Fatalf("axe-core says %v, %v", said, err)
	}
	return found
}
