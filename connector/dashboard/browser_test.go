package dashboard_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/internal/chromium"
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
		{"a first look", testFirstLook},
		{"hostile data stays text", testHostile},
		{"a held price is approved", testApprove},
		{"approve all asks first", testApproveAll},
		{"a command that fails is told", testCommandFails},
		{"edits are given back when confirmed", testGiveBack},
		{"pages, filters and the search", testList},
		{"figures of the list", testFigures},
		{"pictures", testThumbnail},
		{"products are chosen", testChosen},
		{"held changes in groups", testHeldGroups},
		{"the comparison with the shop", testCompared},
		{"price rules are tried", testPrices},
		{"the worker goes away and comes back", testGone},
		{"a login that has ended", testLoggedOut},
		{"an error for an answer", testError},
		{"focus stays where it is", testFocus},
		{"by the keys alone", testKeys},
		{"the address holds the view", testAddress},
		{"nobody asks from a hidden tab", testHidden},
		{"links elsewhere", testLinks},
		{"a phone", testPhone},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, browser) })
	}
}

func testFirstLook(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.status.Sweeps.Next = new(time.Time)
	*w.status.Sweeps.Next = time.Now().Add(290 * time.Second)
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	p.Until(`document.getElementById("verdict").innerText.includes("The list is read again in 4 min.")`)
	p.Until(`document.getElementById("empty").innerText.includes("Put products on it at the marketplace")`)
	p.Until(`document.getElementById("facts").innerText.includes("none since the worker was started")`)
	p.Press("Read the list now")
	p.Until(`document.getElementById("notice").innerText.startsWith("Asked for: the list is read")`)
	p.Press("Whole list")
	p.Until(`document.getElementById("notice").innerText.startsWith("Asked for: the whole list")`)
	if diff := cmp.Diff([]string{"sweep full=false", "sweep full=true"}, w.received()); diff != "" {
		t.Error(diff)
	}
	foreign := p.Eval(`performance.getEntriesByType("resource").map((r) => r.name)
		.filter((name) => !name.startsWith(location.origin + "/")).join()`)
	if foreign != "" {
		t.Errorf("the page asked for %v", foreign)
	}
}
