package publication

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A shop that changes a figure each time that it is put right is left alone after some tries, and
// is tried again once there is a reason to.
func TestACorrectionThatDoesNotLast(t *testing.T) {
	by := tableDecider(t, nil)
	reprices := func(s *till) { s.price = "5.00" }
	restocks := func(s *till) { s.quantity = 999 }
	const offered = 7
	rounds := func(s *till, n int) {
		for range n {
			s.compare(by)
			s.look(by, offered, nil)
		}
	}
	for _, tt := range []struct {
		name   string
		onSave func(*till)
		then   func(*till)
		writes int // after the first one
		left   bool
	}{
		{"a price", reprices, func(s *till) { rounds(s, 9) }, 3, true},
		{"a quantity", restocks, func(s *till) { rounds(s, 9) }, 3, true},
		{"both", func(s *till) { reprices(s); restocks(s) }, func(s *till) { rounds(s, 9) }, 3, true},
		{"another price each time", func(s *till) { s.price = string(rune('1'+s.writes%5)) + ".00" }, func(s *till) {
			rounds(s, 5)
		}, 5, false},
		{"the supplier's price moves", reprices, func(s *till) {
			rounds(s, 9)
			dearer := func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "21.00" }
			for range 9 {
				s.look(by, offered, dearer)
				s.compare(by)
			}
		}, 3 + 1 + 3, true},
		{"a person asks", reprices, func(s *till) {
			rounds(s, 9)
			s.cause = store.CauseAsked
			s.look(by, offered, nil)
			s.cause = 0
			rounds(s, 9)
		}, 3 + 1 + 2, true},
		{"the shop shows ours again", reprices, func(s *till) {
			rounds(s, 9)
			s.price = "20.00"
			rounds(s, 1)
			s.price = "5.00"
			rounds(s, 9)
		}, 3 + 3, true},
		{"the plugin is switched off", reprices, func(s *till) {
			rounds(s, 2)
			s.onSave = nil
			rounds(s, 9)
		}, 3, false},
		{"the rules change", reprices, func(s *till) {
			rounds(s, 9)
			end := store.Settlement{Record: s.r}
			Revision{Figures: true}.Apply(&end, s.now)
			s.r = end.Record
			rounds(s, 9)
		}, 3 + 3, true},
		{"a title is written meanwhile", reprices, func(s *till) {
			rounds(s, 9)
			s.look(by, offered, func(p *marketplace.Publication) {
				p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
			})
			s.compare(by)
		}, 3 + 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
			s.look(by, offered, nil)
			s.onSave, s.writes = tt.onSave, 0
			tt.onSave(s)
			tt.then(s)
			s.compare(by)
			if s.writes != tt.writes {
				t.Errorf("written %d times, want %d", s.writes, tt.writes)
			}
			if got := Recurs(s.r); got != tt.left {
				t.Errorf("left: %t, want %t: %+v, %+v", got, tt.left, s.r.Drift, s.r.Corrections)
			}
			price, stock := DriftSteps(s.r, s.r.Variants[0])
			if line := "written 3 times: left"; strings.Contains(historyText(s.r), line) != tt.left &&
				tt.name != "the rules change" {
				t.Errorf("history:\n%s\nwant %q in it: %t", historyText(s.r), line, tt.left)
			}
			told := strings.Contains(strings.Join(append(price, stock...), "\n"), "changed it each time")
			if told != tt.left {
				t.Errorf("explained as left: %t, want %t: %q", told, tt.left, append(price, stock...))
			}
		})
	}
}

// Prices that were put right by an approval, and that the shop changed again, are not held a second
// time: the person has said what they want.
func TestAnApprovedPriceThatComesBackIsNotHeldAgain(t *testing.T) {
	by := tableDecider(t, nil)
	s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
	s.look(by, 7, nil)
	s.onSave = func(s *till) { s.price = "5.00" }
	s.price = "5.00"
	s.group = Group{Held: true, Differing: 12, Products: 30}
	s.compare(by)
	if got := s.r.State; got != store.StateHeld {
		t.Fatalf("%s, want held", got)
	}
	end := store.Settlement{Record: s.r}
	Approve(&end, Choice{Group: string(store.HoldDrift)}, store.ClassSweep, "anna", s.now)
	s.r, s.cause = end.Record, store.CauseAsked
	s.look(by, 7, nil)
	if s.cause = 0; s.writes != 2 {
		t.Fatalf("written %d times, want 2", s.writes)
	}
	s.compare(by)
	if got := s.r.State; got != store.StateLive {
		t.Errorf("%s, want live", got)
	}
	s.look(by, 7, nil)
	if s.writes != 3 {
		t.Errorf("written %d times, want 3", s.writes)
	}
}
