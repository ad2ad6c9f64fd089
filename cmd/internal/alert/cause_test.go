package alert

import (
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

// Only what needs a person is a cause.
func TestCausesOfAStatus(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	well := func() desk.Status {
		return desk.Status{
			Publications: map[store.State]int{store.StateLive: 9, store.StateRejected: 3, store.StatePending: 2},
			Started:      now.Add(-time.Hour * 24),
			Sweeps:       desk.Sweeps{Incremental: desk.LastSweep{Completed: now.Add(-time.Minute)}},
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*desk.Status)
		key    string // "": none
		text   string
	}{
		{"all well", func(*desk.Status) {}, "", ""},
		{"a short pause", func(s *desk.Status) { s.Shop = desk.Side{Paused: true, Since: ago(time.Minute)} }, "", ""},
		{
			"a long pause",
			func(s *desk.Status) {
				s.Shop = desk.Side{Paused: true, Since: ago(time.Hour), Reason: "the <key> of\n@all is refused."}
			},
			"shop", "the shop cannot be used since 11:00 UTC: the ‹key› of ＠all is refused. See: pubsync doctor",
		},
		{
			"held", func(s *desk.Status) { s.Publications[store.StateHeld] = 2 }, "held",
			"products with a change that waits for your approval: 2.",
		},
		{"blocked", func(s *desk.Status) { s.Publications[store.StateBlocked] = 3 }, "blocked", "blocked: 3. See"},
		{"reports refused", func(s *desk.Status) { s.Refused = 1 }, "reports", "reports that the marketplace refuses: 1."},
		{
			"no right to report", func(s *desk.Status) { s.Refused, s.Denied = 4, "the token may not report" }, "reports",
			"the token may not report; reports that wait: 4",
		},
		{
			"webhooks refused",
			func(s *desk.Status) {
				s.Webhook.Refused = &listener.Refused{InARow: 6, Says: "not signed"}
			},
			"webhooks", "6 webhooks in a row were refused (not signed); after 19",
		},
		{
			"no sweep", func(s *desk.Status) { s.Sweeps.Incremental.Completed = now.Add(-4 * time.Hour) }, "sweeps",
			"no sweep has been completed for 4h0m",
		},
		{
			"no sweep since a start", func(s *desk.Status) { s.Sweeps, s.Started = desk.Sweeps{}, now.Add(-time.Hour) }, "", "",
		},
		{"a full disk", func(s *desk.Status) { s.Store.Error = "no space left" }, "store", "no space left"},
	} {
		s := well()
		tt.change(&s)
		got := Causes(s, now)
		switch {
		case tt.key == "" && len(got) == 0:
		case len(got) != 1 || got[0].Key != tt.key:
			t.Errorf("%s: got %+v, want the cause %q", tt.name, got, tt.key)
		case !strings.Contains(got[0].Text, tt.text):
			t.Errorf("%s: got %q, want %q in it", tt.name, got[0].Text, tt.text)
		}
	}
}

// A run that the shop ended early is another cause than one that the marketplace ended: each is told, within the same
// hour too. One that ended with something standing is none.
func TestCausesOfARun(t *testing.T) {
	shop := OfRun(desk.Summary{Exit: desk.ExitShop, Error: "the shop refuses the token"})
	market := OfRun(desk.Summary{Exit: desk.ExitMarketplace, Error: "the marketplace refuses the token"})
	if len(shop) != 1 || len(market) != 1 || shop[0].Key == market[0].Key {
		t.Errorf("got %v and %v, want two causes", shop, market)
	}
	if stands := OfRun(desk.Summary{Exit: desk.ExitStanding}); len(stands) > 0 {
		t.Errorf("got %v of a run that ended well, want none", stands)
	}
}
