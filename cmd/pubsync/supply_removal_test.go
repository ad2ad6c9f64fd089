// What leaves the import list is withdrawn, and a mass removal is held.

package main_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

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

// What is gone from the list is withdrawn by a full run in the way that the setting says, and is on
// sale again once it is listed again. The sweeper's tests have each way, and the publication's each
// rule of the brake.
func TestThreeRemovalsAreDone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, onRemoved, mode string }{
		{"by default they are unpublished", "", "unpublish"},
		{"delete", "delete", "delete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("ON_REMOVED", tt.onRemoved)
			ids := s.lamps(8)
			s.imported()
			s.market.Remove(ids[:3]...)
			if sum := s.imported(); sum.Withdrawn != 0 {
				t.Errorf("a light sweep: got %d withdrawn, want 0", sum.Withdrawn)
			}
			s.shop.forget()
			s.market.Forget()
			if sum := s.imported("--full"); sum.Withdrawn != 3 {
				t.Errorf("the full run: got %d withdrawn, want 3", sum.Withdrawn)
			}
			deletes := s.shop.requests(http.MethodDelete)
			if got, want := len(deletes), 3; got != want {
				t.Errorf("got %d DELETEs, want %d", got, want)
			}
			for _, d := range deletes {
				if d.Mode != tt.mode || !slices.Contains(ids[:3], d.ID) {
					t.Errorf("got DELETE %s with mode %s, want one of %v with mode %s", d.ID, d.Mode, ids[:3], tt.mode)
				}
			}
			for i, id := range ids {
				want := "live"
				if i < 3 {
					want = "withdrawn"
				}
				s.expectState(id, want)
				if held, ok := s.shop.holds()[id]; (ok && held.onSale) != (i >= 3) {
					t.Errorf("%s: got on sale %t, want %t", id, ok && held.onSale, i >= 3)
				}
			}
			if n := len(s.market.Reports()); n != 0 {
				t.Errorf("got %d reports of what is gone, want 0", n)
			}
			if sum := s.imported("--full"); sum.Withdrawn != 0 {
				t.Errorf("once more: got %d withdrawn, want 0", sum.Withdrawn)
			}
			s.market.Restore(ids[0])
			s.imported()
			if n := len(s.shop.puts(ids[0])); n != 1 {
				t.Errorf("listed again: got %d PUTs, want 1", n)
			}
			s.matches(ids[0])
			s.expectState(ids[0], "live")
			if got, want := s.reported(ids[0]), []string{"success"}; !slices.Equal(got, want) {
				t.Errorf("listed again: got %v reported, want %v", got, want)
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

func TestWhatCannotBeListedAsItIs(t *testing.T) {
	t.Parallel()
	t.Run("no listing", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		empty := func(id string) {
			if err := s.market.SetListing(id, nil); err != nil {
				t.Fatal(err)
			}
		}
		ids := s.lamps(5)
		fresh := s.add(lamp(9))
		empty(fresh)
		if sum := s.once(); sum.Exit != 1 || sum.Pending != 1 || sum.Created != 5 {
			t.Errorf("the first run: got %+v, want exit 1, 1 pending and 5 created", sum)
		}
		s.expectState(fresh, "pending")
		if n := len(s.shop.puts(fresh)) + len(s.reports(fresh)); n != 0 {
			t.Errorf("got %d PUTs and reports of what cannot be listed, want 0", n)
		}
		// What was on sale is withdrawn, under the brake: one of five is let pass.
		empty(ids[0])
		if sum := s.once(); sum.Withdrawn != 1 {
			t.Errorf("the second run: got %d withdrawn, want 1", sum.Withdrawn)
		}
		if s.shop.product(t, ids[0]).onSale {
			t.Error("without a listing: got it on sale still, want it withdrawn")
		}
		s.expectState(ids[0], "withdrawn")
		for _, id := range []string{ids[0], fresh} { // and it comes back
			if err := s.market.SetListing(id, lamp(30)); err != nil {
				t.Fatal(err)
			}
		}
		s.imported()
		s.matches(ids[0])
		s.matches(fresh)
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

// A removal is found by runs of cron alone, and published on the same product when it is listed
// again.
func TestARemovalIsFoundByCron(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.set("RESYNC_SCHEDULE", "@every 1s")
	ids := s.lamps(3)
	s.imported()
	before := s.shop.product(t, ids[0])
	s.market.Remove(ids[0])
	eventually(t, 10*time.Second, "a run of cron takes it out", func() bool { return s.imported().Withdrawn == 1 })
	s.expectState(ids[0], "withdrawn")
	s.market.Restore(ids[0])
	s.imported()
	s.expectState(ids[0], "live")
	if after := s.shop.product(t, ids[0]); !after.onSale || after.shopID != before.shopID || len(s.shop.holds()) != 3 {
		t.Errorf("listed again it is %+v, and was %+v; the shop holds %d", after, before, len(s.shop.holds()))
	}
}
