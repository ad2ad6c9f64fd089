// What leaves the import list is withdrawn, and a mass removal is held.

package main_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestAnEmptyListWithdrawsNothing(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(12)
	s.imported()
	s.shop.forget()
	s.market.Inject(sandbox.Fault{Kind: sandbox.EmptyList, Probability: 1})
	s.once("--full")
	s.once("--full")
	if n := len(s.shop.requests("")); n != 0 || s.shop.onSale() != 12 {
		t.Errorf("%d requests of the shop, %d on sale", n, s.shop.onSale())
	}
	s.market.Heal()
	if sum := s.imported("--full"); sum.Withdrawn != 0 || s.shop.onSale() != 12 {
		t.Errorf("after the list is back: %+v", sum)
	}
	// All of it really gone is held too, though it is one enumeration's honest answer.
	for _, p := range s.market.Publications() {
		s.market.Remove(p.ID)
	}
	if sum := s.once("--full"); sum.Exit != 1 || sum.Held != 12 || s.shop.onSale() != 12 {
		t.Errorf("all removed: %+v, %d on sale", sum, s.shop.onSale())
	}
}

func TestARefusedTokenWithdrawsNothingAndEndsTheRunAtOnce(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(5)
	s.imported()
	s.shop.forget()
	s.market.RevokeToken()
	for _, args := range [][]string{
		{"run", "--once", "--json"},
		{"run", "--once", "--full", "--json"},
		{"plan", "--json"},
	} {
		r := s.call(args...)
		if r.code != 3 || r.took > slack*5*time.Second {
			t.Errorf("%v: exit %d, want 3 after %s", args, r.code, r.took)
		}
	}
	if n := len(s.shop.requests("")); n != 0 || s.shop.onSale() != 5 {
		t.Errorf("%d requests of the shop, %d on sale", n, s.shop.onSale())
	}
	s.market.SetToken(marketToken)
	s.imported()
}

func TestThreeRemovalsAreDone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, onRemoved, mode string
		requests              int
		onSale                bool
	}{
		{"by default they are unpublished", "", "unpublish", 3, false},
		{"unpublish", "unpublish", "unpublish", 3, false},
		{"delete", "delete", "delete", 3, false},
		{"keep", "keep", "", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("ON_REMOVED", tt.onRemoved)
			ids := s.lamps(8)
			s.imported()
			s.market.Remove(ids[:3]...)
			if sum := s.imported(); sum.Withdrawn != 0 {
				t.Errorf("a light sweep took absence for a fact: %+v", sum)
			}
			s.shop.forget()
			s.market.Forget()
			if sum := s.imported("--full"); sum.Withdrawn != 3 {
				t.Errorf("the full run: %+v", sum)
			}
			deletes := s.shop.requests(http.MethodDelete)
			if len(deletes) != tt.requests {
				t.Errorf("%d DELETEs, want %d", len(deletes), tt.requests)
			}
			for _, d := range deletes {
				if d.Mode != tt.mode || !slices.Contains(ids[:3], d.ID) {
					t.Errorf("DELETE %s with mode %s", d.ID, d.Mode)
				}
			}
			for i, id := range ids {
				want := "live"
				if i < 3 {
					want = "withdrawn"
				}
				s.expectState(id, want)
				if held, ok := s.shop.holds()[id]; (ok && held.onSale) != (tt.onSale || i >= 3) {
					t.Errorf("%s on sale: %t", id, ok && held.onSale)
				}
			}
			if n := len(s.market.Reports()); n != 0 {
				t.Errorf("%d reports of what is gone", n)
			}
			if sum := s.imported("--full"); sum.Withdrawn != 0 ||
				len(s.shop.requests(http.MethodDelete)) != tt.requests {
				t.Errorf("once more: %+v", sum)
			}
		})
	}
}

func TestTwentyOfFortyAreHeldUntilApproved(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(40)
	s.imported()
	s.market.Remove(ids[:20]...)
	s.shop.forget()
	for range 2 {
		if sum := s.once("--full"); sum.Exit != 1 || sum.Held != 20 || sum.Withdrawn != 0 {
			t.Fatalf("the full run: %+v", sum)
		}
	}
	if n := len(s.shop.requests("")); n != 0 || s.shop.onSale() != 40 {
		t.Errorf("%d requests of the shop, %d on sale", n, s.shop.onSale())
	}
	if held := s.lines("held"); len(held) != 20 || held[ids[0]].Error == "" {
		t.Errorf("%d held, the reason %q", len(held), held[ids[0]].Error)
	}
	// One that is listed again is not to be taken out any more, and one may be approved alone.
	s.market.Restore(ids[0])
	if r := s.call("approve", ids[1]); r.code != 0 {
		t.Fatalf("approve: exit %d, want 0, %s", r.code, r.stderr)
	}
	if sum := s.once("--full"); sum.Held != 18 || sum.Withdrawn != 1 {
		t.Errorf("after one approval: %+v", sum)
	}
	s.expectState(ids[0], "live")
	if r := s.call("approve", "--all"); r.code != 0 {
		t.Fatalf("approve: exit %d, want 0, %s", r.code, r.stderr)
	}
	if sum := s.imported(); sum.Withdrawn != 18 || s.shop.onSale() != 21 {
		t.Errorf("after the approval: %+v, %d on sale", sum, s.shop.onSale())
	}
}

func TestRemovalsOfADayAreJudgedTogether(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(40)
	s.imported()
	// 8 are a fifth of 40; 3 more within the day are 11, more than 10 and more than a fifth.
	s.market.Remove(ids[:8]...)
	if sum := s.imported("--full"); sum.Withdrawn != 8 {
		t.Errorf("eight: %+v", sum)
	}
	s.market.Remove(ids[8:11]...)
	if sum := s.once("--full"); sum.Held != 3 || sum.Withdrawn != 0 || sum.Exit != 1 {
		t.Errorf("three more: %+v", sum)
	}
}

func TestAnEntryListedAgainIsPublishedAndReportedAnew(t *testing.T) {
	t.Parallel()
	for _, onRemoved := range []string{"unpublish", "delete", "keep"} {
		t.Run(onRemoved, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("ON_REMOVED", onRemoved)
			ids := s.lamps(4)
			s.imported()
			s.market.Remove(ids[0])
			s.imported("--full")
			s.expectState(ids[0], "withdrawn")
			s.shop.forget()
			s.market.Forget()
			s.market.Restore(ids[0])
			s.imported()
			if n := len(s.shop.puts(ids[0])); n != 1 {
				t.Errorf("%d PUTs", n)
			}
			s.matches(ids[0])
			s.expectState(ids[0], "live")
			if got := s.reported(ids[0]); !slices.Equal(got, []string{"success"}) {
				t.Errorf("reported %v", got)
			}
		})
	}
}

func TestWhatCannotBeListedAsItIs(t *testing.T) {
	t.Parallel()
	none := map[string]func(*site, string){
		"no listing": func(s *site, id string) {
			if err := s.market.SetListing(id, nil); err != nil {
				s.t.Fatal(err)
			}
		},
		"no variant": func(s *site, id string) {
			if err := s.market.Update(id, func(l *sandbox.Listing) { l.Variants = nil }); err != nil {
				s.t.Fatal(err)
			}
		},
	}
	for name, empty := range none {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			ids := s.lamps(5)
			fresh := s.add(lamp(9))
			empty(s, fresh)
			if sum := s.once(); sum.Exit != 1 || sum.Pending != 1 || sum.Created != 5 {
				t.Errorf("the first run: %+v", sum)
			}
			s.expectState(fresh, "pending")
			if n := len(s.shop.puts(fresh)) + len(s.reports(fresh)); n != 0 {
				t.Errorf("%d PUTs and reports of what cannot be listed", n)
			}
			// What was on sale is withdrawn, under the brake: one of five is let pass.
			empty(s, ids[0])
			if sum := s.once(); sum.Withdrawn != 1 {
				t.Errorf("the second run: %+v", sum)
			}
			if s.shop.product(t, ids[0]).onSale {
				t.Error("it is on sale still")
			}
			s.expectState(ids[0], "withdrawn")
			// And it comes back.
			for _, id := range []string{ids[0], fresh} {
				if err := s.market.SetListing(id, lamp(30)); err != nil {
					t.Fatal(err)
				}
			}
			s.imported()
			s.matches(ids[0])
			s.matches(fresh)
		})
	}
	t.Run("no listing, of all", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		ids := s.lamps(15)
		s.imported()
		for _, id := range ids[:12] {
			none["no listing"](s, id)
		}
		if sum := s.once(); sum.Exit != 1 || sum.Held != 12 || s.shop.onSale() != 15 {
			t.Errorf("the run: %+v, %d on sale", sum, s.shop.onSale())
		}
	})
	t.Run("no title", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		id := s.add(
			&sandbox.Listing{
				Texts:    map[string]sandbox.Text{"en": {Description: "<p>Nameless</p>"}},
				Variants: lamp(1).Variants,
			},
		)
		if sum := s.once(); sum.Exit != 1 || sum.Pending != 1 || sum.Rejected != 0 {
			t.Errorf("the run: %+v", sum)
		}
		s.expectState(id, "pending")
		if got := s.reported(id); len(got) != 0 {
			t.Errorf("reported %v before FAIL_AFTER", got)
		}
		w := s.work("FAIL_AFTER", "3s")
		eventually(t, 15*time.Second, "it is rejected after FAIL_AFTER",
			func() bool { return slices.Equal(s.reported(id), []string{"failed"}) })
		s.expectState(id, "rejected")
		if err := s.market.Update(id, func(l *sandbox.Listing) { l.Texts = lamp(1).Texts }); err != nil {
			t.Fatal(err)
		}
		if sum := s.once(); sum.Exit != 0 || sum.Created != 1 || sum.Reported != 1 {
			t.Errorf("the run once it has a title: %+v", sum)
		}
		s.matches(id)
		w.stop()
	})
}
