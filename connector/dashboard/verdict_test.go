package dashboard_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// byID is the element with an id, an empty one where there is none.
func byID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		if attr(n, "id") == id {
			return n
		}
	}
	return &html.Node{}
}

// words is the text of a node as a person reads it.
func words(root *html.Node) string {
	var all []string
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			all = append(all, n.Data)
		}
	}
	return strings.Join(strings.Fields(strings.Join(all, "")), " ")
}

// The list is walked page by page. A page that has emptied since leads back to the first one.
func TestPagesOfTheList(t *testing.T) {
	w := newWorker(t)
	for i := range 101 {
		w.listed = append(w.listed, desk.Listed{ID: strconv.Itoa(i), State: store.StateLive, Title: "Lamp"})
	}
	w.count()
	follow := func(address string) (rows int, on, first string) {
		root := parsed(t, w.page, "/"+address)
		for n := range byID(root, "rows").ChildNodes() {
			if n.Data == "tr" {
				rows++
			}
		}
		return rows, attr(byID(root, "on"), "href"), attr(byID(root, "first"), "href")
	}
	address := "?find="
	for i, want := range []int{50, 50, 1} {
		rows, on, first := follow(address)
		if rows != want || (on != "") != (i < 2) || (first != "") != (i > 0) {
			t.Errorf("page %d has %d rows and leads on to %q, back to %q", i, rows, on, first)
		}
		if i < 2 {
			address = on
		}
	}
	w.set(func() { w.listed = w.listed[:60] })
	if rows, _, first := follow(address); rows != 0 || first == "" {
		t.Errorf("a page that has emptied has %d rows, and leads back to %q", rows, first)
	}
}

// The verdict says in words whether all is well, what to know, and what a person can do.
func TestVerdict(t *testing.T) {
	w := newWorker(t)
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
		{
			name: "one", publications: map[store.State]int{"live": 1}, level: "good", headline: "The one product is on sale.",
		},
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
			name: "blocked and held", level: "attention", headline: "3 products need you.",
			publications: map[store.State]int{"live": 5, "blocked": 1, "held": 2, "rejected": 1, "pending": 4},
			says: []string{
				"1 is blocked", "2 are held", "5 of 13 up to date · 1 blocked · 1 rejected · 2 held · 4 pending",
			},
			actions: []string{"Show what is blocked", "Show what is held", "Approve all …", "Retry all that failed"},
		},
		{
			name: "deliveries refused", publications: map[store.State]int{"live": 5}, level: "attention",
			headline: "Webhooks are refused.",
			change: func(s *desk.Status) {
				s.Webhook.Refused = listener.Refused{
					InARow: 7, Says: "not signed: set PUBSYNC_WEBHOOK_PATH_TOKEN",
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
				s.Shop = desk.Side{Name: "woocommerce", Paused: true, Reason: "the key may only read", Until: store.At(until)}
			},
			says: []string{"the key may only read", "Tried again 39 minutes from now"}, actions: []string{"Try again now"},
		},
		{
			name: "shop refused until somebody asks", publications: map[store.State]int{"live": 5}, level: "bad",
			headline: "The shop cannot be used.",
			change:   func(s *desk.Status) { s.Shop = desk.Side{Paused: true, Reason: "401"} },
			says:     []string{"when its check passes, or when you ask"}, actions: []string{"Try again now"},
		},
		{
			name: "marketplace paused", publications: map[store.State]int{"live": 5}, level: "bad",
			headline: "The marketplace cannot be used.",
			change:   func(s *desk.Status) { s.Marketplace = desk.Side{Paused: true, Reason: "the token is refused"} },
			says:     []string{"the token is refused", "5 of 5 up to date"}, actions: []string{"Try again now"},
		},
		{
			name: "store full", publications: map[store.State]int{"live": 5}, level: "bad",
			headline: "The store cannot be written.", says: []string{"no space left on device"},
			change: func(s *desk.Status) { s.Store.Error, s.Shop.Paused = "no space left on device", true },
		},
		{
			name: "sweep failed", publications: map[store.State]int{"live": 5}, level: "bad",
			headline: "The import list cannot be read.", says: []string{"internal error"}, actions: []string{"Try again now"},
			change: func(s *desk.Status) { s.Sweeps.Incremental.Error = "internal error" },
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
			w.set(func() {
				w.status = fresh
				w.status.Publications = tt.publications
				if tt.change != nil {
					tt.change(&w.status)
				}
			})
			root := parsed(t, w.page, "/")
			verdict := byID(root, "verdict")
			if got := words(byID(root, "headline")); got != tt.headline {
				t.Errorf("headline %q, want %q", got, tt.headline)
			}
			for _, text := range tt.says {
				if got := words(verdict); !strings.Contains(got, text) {
					t.Errorf("says %q, want %q", got, text)
				}
			}
			if got := attr(verdict, "data-level"); got != tt.level {
				t.Errorf("level %q, want %q", got, tt.level)
			}
			var actions []string
			for n := range byID(verdict, "actions").Descendants() {
				dialog := slices.ContainsFunc(slices.Collect(n.Ancestors()), func(n *html.Node) bool {
					return attr(n, "role") == "dialog"
				})
				if !dialog && (n.Data == "a" || n.Data == "button") {
					actions = append(actions, words(n))
				}
			}
			if diff := cmp.Diff(tt.actions, actions); diff != "" {
				t.Errorf("actions %s", diff)
			}
			if got := byID(verdict, "progress").Data != ""; got != tt.progress {
				t.Errorf("progress shown %t, want %t", got, tt.progress)
			}
		})
	}
	w.set(func() { w.fails = errors.New("broken") })
	got := words(byID(parsed(t, w.page, "/"), "verdict"))
	if !strings.Contains(got, "The worker cannot say how things stand.") {
		t.Errorf("of a desk that does not answer: %q", got)
	}
}
