package connector_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

func TestImport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(60)
		s := b.Once(false)
		t.Logf("%+v", s)
		if s.Exit != desk.ExitOK || s.Created != 60 || s.Reported != 60 || s.Swept != 60 {
			t.Fatalf("first run: got %+v, want Exit %v, Created 60, Reported 60 and Swept 60", s, desk.ExitOK)
		}
		if got := b.Shop.Count("create"); got != 60 {
			t.Errorf("%d creates, want 60", got)
		}
		if got := len(b.Market.Reports()); got != 60 {
			t.Errorf("%d reports, want 60", got)
		}
		n := len(b.Shop.Since(0))
		s = b.Once(false)
		t.Logf("%+v", s)
		if s.Exit != desk.ExitOK || s.Swept != 0 || s.Requests > 4 || s.Cost > 30 || s.Throttled != 0 {
			t.Errorf(
				"second run is not idle: got %+v, want Exit %v, Swept 0, Requests at most 4, Cost at most 30 and Throttled 0",
				s,
				desk.ExitOK,
			)
		}
		if calls := b.Shop.Since(n); len(calls) != 0 || len(b.Market.Reports()) != 60 {
			t.Errorf("second run wrote: %v, %d reports", calls, len(b.Market.Reports()))
		}
	})
}

// A run tells how far it has come, and how long what is left takes.
func TestARunTellsItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 50})
		b.Market.AddSound(300)
		begun := time.Now()
		var told []desk.Progress
		var at []time.Duration
		_, err := b.Connector().Once(t.Context(), desk.RunOptions{
			Patience: time.Minute,
			Progress: func(p desk.Progress) { told, at = append(told, p), append(at, time.Since(begun)) },
		})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(begun)
		if got, want := len(told), int(took/time.Second); got < want-1 {
			t.Fatalf("got progress %d times in %s, want it every second", got, took)
		}
		half := len(told) / 2
		p, left := told[half], took-at[half]
		if p.Done <= 0 || p.Done >= 300 || p.Listed != 300 {
			t.Errorf("half way: got %+v, want some of 300 listed publications done", p)
		}
		if p.Left < left/2 || p.Left > left*2 {
			t.Errorf("half way: got %s left (%s), want about %s", p.Left, p, left)
		}
	})
}

// A run that has nothing to write asks the shop whether it would take a product: refused
// credentials end it at once, a shop that is down when the patience is over, with the shop's exit
// code, though a product stands rejected. The marketplace is asked no more than by any idle run.
func TestAnIdleRunTellsOfAShopThatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		check   error
		healed  time.Duration // after so long the check passes
		exit    int
		least   time.Duration
		most    time.Duration
		message string
	}{
		{name: "all well", exit: desk.ExitStanding, most: 5 * time.Second},
		{
			name: "wrong credentials", check: shopadapter.Block("the key is refused").Everywhere(), exit: desk.ExitShop,
			most: 5 * time.Second, message: "shop: the key is refused",
		},
		{
			name: "the shop is down", check: errors.New("connection refused"), exit: desk.ExitShop, least: time.Minute,
			most: 3 * time.Minute, message: "connection refused",
		},
		{
			name: "the shop comes back", check: errors.New("connection refused"), healed: 30 * time.Second,
			exit: desk.ExitStanding, least: 30 * time.Second, most: time.Minute,
		},
		{
			name:  "the shop says when it is back, beyond all patience",
			check: shopadapter.Retry("maintenance").Everywhere().After(time.Hour), exit: desk.ExitShop,
			most: 5 * time.Second, message: "maintenance",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				ids := b.Market.AddSound(3)
				b.Shop.Refuse = func(c harness.Call) error {
					if string(c.ID) == ids[0] {
						return shopadapter.Reject("such things are not sold here")
					}
					return nil
				}
				b.Once(false)
				set := func(err error) {
					b.Shop.Lock()
					defer b.Shop.Unlock()
					b.Shop.CheckErr = err
				}
				set(tt.check)
				if tt.healed > 0 {
					heal := time.AfterFunc(tt.healed, func() { set(nil) })
					defer heal.Stop()
				}
				begun, calls := time.Now(), len(b.Shop.Since(0))
				s := b.Once(false)
				took := time.Since(begun)
				if s.Exit != tt.exit || s.Rejected != 1 || took < tt.least || took > tt.most {
					t.Errorf("after %s: %+v", took, s)
				}
				if (s.Error != "") != (tt.message != "") || !strings.Contains(s.Error, tt.message) {
					t.Errorf("error %q, want %q", s.Error, tt.message)
				}
				if s.Requests > 4 || s.Cost > 30 || len(b.Shop.Since(calls)) != 0 {
					t.Errorf(
						"an idle run makes %d requests for %.0f points, and calls %v",
						s.Requests,
						s.Cost,
						b.Shop.Since(calls),
					)
				}
			})
		})
	}
}

// Exit code 3 wins over 4, and 4 over 1: the shop is not asked where the marketplace or the store
// has failed. A plan never asks the shop.
func TestAnIdleRunAsksTheShopLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(1)
		b.Once(false)
		b.Shop.CheckErr = shopadapter.Block("the key is refused").Everywhere()
		if plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), false); plan.Exit != desk.ExitOK ||
			err != nil {
			t.Errorf("the plan: got %+v, %v, want Exit %v and no error", plan, err, desk.ExitOK)
		}
		b.Market.RevokeToken()
		if s := b.Once(false); s.Exit != desk.ExitMarketplace {
			t.Errorf("both sides refuse: got %+v, want Exit %v", s, desk.ExitMarketplace)
		}
	})
}
