package alert

import (
	"slices"
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
	ago := func(d time.Duration) store.Instant { return store.At(now.Add(-d)) }
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
				s.Webhook.Refused = listener.Refused{InARow: 6, Says: "not signed"}
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

// Each cause is told when it is new, at most once an hour, and when it has been gone for a minute.
func TestBook(t *testing.T) {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	shop, three, four := Cause{"shop", "shop away"}, Cause{"blocked", "3 blocked"}, Cause{"blocked", "4 blocked"}
	b := book{}
	for _, step := range []struct {
		name        string
		after       time.Duration
		found       []Cause
		fresh, gone []string
	}{
		{"nothing", 0, nil, nil, nil},
		{"two at once", time.Minute, []Cause{three, shop}, []string{"3 blocked", "shop away"}, nil},
		{"they last", 2 * time.Minute, []Cause{three, shop}, nil, nil},
		{"one is gone", 3 * time.Minute, []Cause{three}, nil, nil},
		{"and stays away", 4 * time.Minute, []Cause{three}, nil, []string{"shop away"}},
		{"it is told once", 5 * time.Minute, []Cause{three}, nil, nil},
		{"it comes back within the hour", 10 * time.Minute, []Cause{three, shop}, nil, nil},
		{"it goes, and nobody was told", 11 * time.Minute, []Cause{three}, nil, nil},
		{"nobody is told that either", 13 * time.Minute, []Cause{three}, nil, nil},
		{"more within the hour", 20 * time.Minute, []Cause{four}, nil, nil},
		{"still more after the hour", 62 * time.Minute, []Cause{four, shop}, []string{"4 blocked", "shop away"}, nil},
		{"the same for hours", 5 * time.Hour, []Cause{four, shop}, nil, nil},
		{"a moment of peace", 5*time.Hour + time.Minute, nil, nil, nil},
		{"it was none", 5*time.Hour + 2*time.Minute - time.Second, []Cause{four, shop}, nil, nil},
		{"all well", 6 * time.Hour, nil, nil, nil},
		{"all told", 6*time.Hour + time.Minute, nil, nil, []string{"4 blocked", "shop away"}},
		{"all forgotten", 9 * time.Hour, nil, nil, nil},
	} {
		fresh, gone := b.update(step.found, begun.Add(step.after), resolvedAfter)
		if !slices.Equal(fresh, step.fresh) {
			t.Errorf("%s: got told %q, want %q", step.name, fresh, step.fresh)
		}
		if !slices.Equal(gone, step.gone) {
			t.Errorf("%s: got resolved %q, want %q", step.name, gone, step.gone)
		}
	}
	if len(b) != 0 {
		t.Errorf("got %v left, want an empty book", b)
	}
}
