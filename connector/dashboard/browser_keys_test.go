package dashboard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
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
	if diff := cmp.Diff([]any{desk.Answer{IDs: []string{"pub-1"}, Holds: []string{"key"}}}, w.received()); diff != "" {
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
