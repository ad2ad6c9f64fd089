package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/listener"
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
		{"the verdict in words", testVerdict},
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

func testVerdict(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	fresh := w.status
	for _, tt := range []struct {
		name         string
		publications map[store.State]int
		change       func(*desk.Status)
		level        string
		headline     string
		says         []string // somewhere in the verdict
		actions      []string
		progress     bool
	}{
		{
			name: "all on sale", publications: map[store.State]int{"live": 3, "withdrawn": 2}, level: "good",
			headline: "All 3 products are on sale.", says: []string{"2 products are withdrawn"},
		},
		{
			name: "some variants refused", publications: map[store.State]int{"live": 3, "partial": 1}, level: "good",
			headline: "All 4 products are on sale.", says: []string{"1 product lacks variants"},
			actions: []string{"Show what lacks variants or pictures", "Retry all that failed"},
		},
		{name: "one", publications: map[store.State]int{"live": 1}, level: "good", headline: "The one product is on " +
			"sale."},
		{
			name: "all withdrawn", publications: map[store.State]int{"withdrawn": 2}, level: "good",
			headline: "Nothing is on sale.", says: []string{"All 2 products are withdrawn."},
			actions: []string{"Read the list now"},
		},
		{
			name: "an empty list", level: "good",
			headline: "The import list is empty.", says: []string{"Put products on your import list"},
			actions: []string{"Read the list now"},
		},
		{
			name: "not read yet", change: func(s *desk.Status) { s.Sweeps.Incremental.At = time.Time{} },
			level: "busy", headline: "Reading the import list for the first time …",
		},
		{
			name: "importing", publications: map[store.State]int{"live": 1200, "pending": 300, "rejected": 1}, level: "busy",
			headline: "Products are on their way; nothing needs you.", progress: true,
			says:   []string{"1,200 of 1,501 products are up to date", "1 is rejected"},
			change: func(s *desk.Status) { s.Due = 200 },
		},
		{
			name: "waiting for a later try", publications: map[store.State]int{"live": 30, "pending": 2}, level: "busy",
			headline: "Nothing needs you; 2 products have to wait.", says: []string{"30 of 32 products are up to date"},
			actions: []string{"Show what waits"},
		},
		{
			name: "rejected", publications: map[store.State]int{"live": 5, "rejected": 2}, level: "busy",
			headline: "Nothing needs you; 2 products need their suppliers.", says: []string{"5 of 7 up to date · 2 rejected"},
			actions: []string{"Show what is rejected", "Retry all that failed"},
		},
		{
			name: "reports refused", publications: map[store.State]int{"live": 5}, level: "busy",
			change:   func(s *desk.Status) { s.Refused = 2 },
			headline: "Nothing needs you; the marketplace refuses 2 reports.",
			says:     []string{"made again by itself", "5 of 5 up to date"},
			actions:  []string{"Retry all that failed"},
		},
		{
			name:         "blocked and held",
			publications: map[store.State]int{"live": 5, "blocked": 1, "held": 2, "rejected": 1, "pending": 4},
			level:        "attention",
			headline:     "3 products need you.",
			says: []string{
				"1 is blocked", "2 are held",
				"5 of 13 up to date · 1 blocked · 1 rejected · 2 held · 4 pending",
			},
			actions: []string{"Show what is blocked", "Show what is held", "Approve all …", "Retry all that failed"},
		},
		{
			name: "deliveries refused", publications: map[store.State]int{"live": 5}, level: "attention",
			headline: "Webhooks are refused.",
			change: func(s *desk.Status) {
				s.Webhook = desk.Registration{
					Active: true,
					Refused: &desk.Refused{
						Refused: listener.Refused{InARow: 7, Why: "unsigned"}, Allowed: 19, Says: desk.WhyRefused("unsigned"),
					},
				}
			},
			says: []string{
				"not signed", "PUBSYNC_WEBHOOK_PATH_TOKEN",
				"7 deliveries in a row were refused. After 19 the marketplace deletes the registration.",
			},
		},
		{
			name: "webhook refused", publications: map[store.State]int{"live": 5}, level: "attention",
			headline: "The webhook is not registered.",
			change: func(s *desk.Status) {
				s.Webhook.URL, s.Webhook.Error = "https://shop.example.com/webhooks", "callbackUrl is invalid"
			},
			says: []string{"callbackUrl is invalid", "5 of 5 up to date"},
		},
		{
			name: "shop paused until a time", publications: map[store.State]int{"live": 5, "blocked": 1}, level: "bad",
			headline: "The shop (woocommerce) cannot be used.",
			change: func(s *desk.Status) {
				until := time.Now().Add(40 * time.Minute)
				s.Shop = desk.Side{Name: "woocommerce", Paused: true, Reason: "the key may only read", Until: &until}
			},
			says: []string{"the key may only read", "Tried again in 39 min"}, actions: []string{"Try again now"},
		},
		{
			name: "shop refused until somebody asks", publications: map[store.State]int{"live": 5}, level: "bad",
			headline: "The shop cannot be used.",
			change:   func(s *desk.Status) { s.Shop = desk.Side{Paused: true, Reason: "401"} },
			says:     []string{"when its check passes, or when you ask"}, actions: []string{"Try again now"},
		},
		{
			name: "marketplace paused", publications: map[store.State]int{"live": 5}, level: "bad", headline: "The " +
				"marketplace cannot be used.",
			change: func(s *desk.Status) {
				s.Marketplace = desk.Side{Paused: true, Reason: "the token is refused"}
			},
			says: []string{"the token is refused", "5 of 5 up to date"}, actions: []string{"Try again now"},
		},
		{
			name: "store full", publications: map[store.State]int{"live": 5}, level: "bad", headline: "The store " +
				"cannot be written.",
			change: func(s *desk.Status) {
				s.Store.Error = "no space left on device"
				s.Shop.Paused = true
			},
			says: []string{"no space left on device"},
		},
		{
			name: "sweep failed", publications: map[store.State]int{"live": 5}, level: "bad", headline: "The import " +
				"list cannot be read.",
			change: func(s *desk.Status) { s.Sweeps.Incremental.Error = "internal error" },
			says:   []string{"internal error"}, actions: []string{"Try again now"},
		},
		{
			name: "an old failure that a later sweep has overtaken", publications: map[store.State]int{"live": 5}, level: "good",
			headline: "All 5 products are on sale.",
			change: func(s *desk.Status) {
				s.Sweeps.Full.At, s.Sweeps.Full.Error = time.Now().Add(-time.Hour), "internal error"
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.T = t
			w.set(func() {
				w.status = fresh
				w.status.Publications = tt.publications
				if tt.change != nil {
					tt.change(&w.status)
				}
			})
			p.Eval(look)
			p.Until(`document.getElementById("headline").innerText === ` + chromium.Quoted(tt.headline))
			for _, text := range tt.says {
				p.Until(`document.getElementById("verdict").innerText.includes(` + chromium.Quoted(text) + `)`)
			}
			if level := p.Eval(`document.getElementById("verdict").dataset.level`); level != tt.level {
				t.Errorf("level %v, want %s", level, tt.level)
			}
			actions := strings.Split(fmt.Sprint(p.Eval(`document.getElementById("actions")?.innerText ?? ""`)), "\n")
			if want := strings.Join(tt.actions,
				"\n"); strings.Join(slices.DeleteFunc(actions, func(s string) bool { return s == "" }), "\n") != want {
				t.Errorf("actions %q, want %q", actions, tt.actions)
			}
			if shown := p.Eval(`document.getElementById("progress")?.checkVisibility() ?? false`); shown != tt.progress {
				t.Errorf("progress shown %v, want %t", shown, tt.progress)
			}
		})
	}
	p.T = t
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
