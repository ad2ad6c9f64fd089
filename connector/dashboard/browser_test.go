package dashboard_test

import (
	"testing"

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
