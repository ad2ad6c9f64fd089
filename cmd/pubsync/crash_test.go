package main_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

var (
	crashSeed = flag.Uint64("crash.seed", 1, "seed of the crash campaign")
	kills     = flag.Int("crash.kills", 15, "how often the worker is killed")
)

// TestFifteenKillsUnderFaultsLoseAndDoubleNothing kills the worker at random moments while both sides lose answers, before and after they did what
// was asked, and holds what is left to the laws: each publication of the list is on sale once as the supplier last had it, and reported.
func TestFifteenKillsUnderFaultsLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	servers := map[string]sandbox.Options{
		"sorted":                    {},
		"unsorted and tight-lipped": {NoUpdatedAtSort: true, NoIntrospection: true, Status: sandbox.StatusEnumUpper, Throttle: sandbox.Bare429},
	}
	for name, o := range servers {
		t.Run(name, func(t *testing.T) {
			o.Seed = *crashSeed
			s := open(t, o)
			t.Logf("seed %d", o.Seed)
			s.campaign(rand.New(rand.NewPCG(o.Seed, 2)), *kills)
			s.market.Heal()
			s.shop.rules(nil)
			s.imported("--full", "--patience", "30s")
			s.lawful()
			s.imported()
			if o.NoUpdatedAtSort {
				s.shop.forget()
				if s.imported(); len(s.shop.requests("")) != 0 {
					t.Error("a run with nothing to do wrote to the shop")
				}
				return
			}
			s.idle(60)
		})
	}
}

// campaign kills the worker again and again.
func (s *site) campaign(dice *rand.Rand, kills int) {
	s.t.Helper()
	s.market.AddSound(60)
	on := func(kind sandbox.FaultKind, executed bool) sandbox.Fault {
		return sandbox.Fault{Kind: kind, Probability: 0.04, Executed: executed, Status: 503}
	}
	s.market.Inject(
		on(sandbox.Cut, false), on(sandbox.Cut, true), on(sandbox.CutBody, false), on(sandbox.ServerError, false), on(sandbox.ServerError, true),
		on(sandbox.ThrottledNow, false), on(sandbox.InternalError, true), on(sandbox.TruncatedJSON, false),
		sandbox.Fault{Kind: sandbox.Slow, Delay: 30 * time.Millisecond, Probability: 0.3},
	)
	faults := []reply{
		{cut: cutBefore},
		{cut: cutAfter},
		{cut: failAfter},
		{cut: emptyAfter},
		{status: 500},
		{status: 502, body: "<html>"},
		{status: 503},
		{wait: 50 * time.Millisecond},
	}
	shopDice := rand.New(rand.NewPCG(dice.Uint64(), 3))
	s.shop.rules(func(request) reply {
		s.shop.mu.Lock()
		defer s.shop.mu.Unlock()
		if n := shopDice.IntN(32); n < len(faults) {
			return faults[n]
		}
		return reply{}
	})
	removed := 0
	for range kills {
		w := launch(s.t, s.dir, s.env.with("ADMIN_LISTEN", "off", "SWEEP_SCHEDULE", "@every 1s", "RESYNC_SCHEDULE", "@every 2s"), "run")
		s.changeAtRandom(dice)
		if removed < 8 && dice.IntN(4) == 0 { // not so many that the brake holds them
			removed++
			list := s.market.Publications()
			s.market.Remove(list[dice.IntN(len(list))].ID)
		}
		select {
		case <-time.After(time.Duration(50+dice.IntN(450)) * time.Millisecond):
		case <-w.ended:
			s.t.Fatalf("the worker ended: %s", tail(w.stderr.String()))
		}
		w.kill()
	}
}

// changeAtRandom has the suppliers change a few things, and the retailer import another product.
func (s *site) changeAtRandom(dice *rand.Rand) {
	s.t.Helper()
	all := s.market.Publications()
	for range 4 {
		p := all[dice.IntN(len(all))]
		if err := s.market.Update(p.ID, func(l *sandbox.Listing) {
			v := &l.Variants[dice.IntN(len(l.Variants))]
			v.Quantity = dice.IntN(100)
			retext(l, "en", func(t *sandbox.Text) { t.Title = fmt.Sprintf("Title %d", dice.IntN(1000)) })
		}); err != nil {
			s.t.Fatal(err)
		}
	}
	s.market.AddSound(1)
}

// lawful compares the shop and the marketplace's statuses with the import list.
func (s *site) lawful() {
	s.t.Helper()
	list := s.market.Publications()
	held := s.shop.holds()
	listed := map[string]bool{}
	for _, p := range list {
		listed[p.ID] = true
	}
	for id, h := range held {
		if h.onSale != listed[id] {
			s.t.Errorf("%s is on sale %t, and on the list %t", id, h.onSale, listed[id])
		}
	}
	shopIDs := map[string]bool{}
	for _, p := range list {
		s.matches(p.ID)
		h := held[p.ID]
		if shopIDs[h.shopID] {
			s.t.Errorf("two publications share %s", h.shopID)
		}
		shopIDs[h.shopID] = true
		if p.Status != "success" || p.ProductURL != s.shop.address(h.shopID) {
			s.t.Errorf("the marketplace holds %s %q for %s, which is at %s", p.Status, p.ProductURL, p.ID, s.shop.address(h.shopID))
		}
		if got := s.reported(p.ID); slices.Contains(got, "failed") {
			s.t.Errorf("%s was reported %v, though nothing ever refused it", p.ID, got)
		}
		if text := p.Listing.Texts["en"].Title; text != "" && h.sent.Language == "en" && h.sent.Title != text {
			s.t.Errorf("%s is titled %q, its supplier says %q", p.ID, h.sent.Title, text)
		}
	}
	for _, c := range s.shop.requests(http.MethodDelete) {
		if listed[c.ID] {
			s.t.Errorf("%s was withdrawn, though it never left the list", c.ID)
		}
	}
}
