// The exit codes of a run, and what the two signals do.

package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// noConversion is what is said where the shop sells in another currency.
const noConversion = "nothing is converted, so 10.00 EUR would be sold for 10.00 USD"

func nobody(t *testing.T) string { return "http://" + freePort(t) }

func TestExitCodesOfARun(t *testing.T) {
	unraced(t)
	t.Parallel()
	for _, tt := range []struct {
		name  string
		upset func(*site)
		code  int
	}{
		{"all well", func(*site) {}, 0},
		{"one stands rejected", func(s *site) { s.shop.rules(always(problem(422, "no"))) }, 1},
		{
			"one stands pending",
			func(s *site) { s.shop.rules(only(s.market.Publications()[0].ID, shoptest.Reply{Status: 500})) }, 1,
		},
		{"a setting is wrong", func(s *site) { s.set("PRICE_BASE", "x") }, 2},
		{
			"the shop sells in another currency", func(s *site) { s.shop.Can(shoptest.Abilities{Currency: "USD"}) }, 2,
		},
		{"the marketplace cannot be reached", func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t)) }, 3},
		{"the marketplace refuses the token", func(s *site) { s.set("MARKETPLACE_TOKEN", "old") }, 3},
		{"the marketplace's list breaks off", func(s *site) {
			s.market.Inject(sandbox.Fault{Kind: sandbox.ServerError, Probability: 1, On: []sandbox.Kind{sandbox.KindList}})
		}, 3},
		{"the shop cannot be reached", func(s *site) { s.set("HTTP_URL", nobody(s.t)) }, 4},
		{
			"the shop refuses the credentials", func(s *site) { s.set("HTTP_TOKEN", "old"); s.shop.healthy(401) }, 4,
		},
		{"the store is another account's", func(s *site) {
			s.imported()
			other := sandbox.Start(sandbox.Options{Token: marketToken, Account: "somebody-else", RestoreRate: 2000})
			s.t.Cleanup(other.Close)
			s.set("MARKETPLACE_URL", other.URL)
		}, 5},
		{"the store cannot be opened", func(s *site) { s.set("STORE_PATH", s.dir) }, 5},
		{
			"both sides are away: the marketplace counts",
			func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t), "HTTP_URL", nobody(s.t)) }, 3,
		},
		{
			"the store and the marketplace: the store counts",
			func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t), "STORE_PATH", s.dir) }, 5,
		},
		{"the shop and a rejection: the shop counts", func(s *site) {
			s.lamps(3)
			rejected := s.market.Publications()[0].ID
			s.shop.rules(func(r shoptest.Call) shoptest.Reply {
				if string(r.ID) == rejected {
					return problem(422, "no")
				}
				return shoptest.Reply{Status: 401}
			})
			s.shop.healthy(401)
			s.set("SHOP_CONCURRENCY", "1")
		}, 4},
		{
			"configuration and store: configuration counts", func(s *site) { s.set("PRICE_BASE", "x", "STORE_PATH", s.dir) }, 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(2)
			tt.upset(s)
			r := s.call("run", "--once", "--json", "--patience", "3s")
			if r.code != tt.code {
				t.Errorf("exit %d, want %d\n%s", r.code, tt.code, tail(r.stderr))
			}
			if sum := s.summaryOf(r); (sum.Error != "") != (tt.code > 1) { // also where none could be begun
				t.Errorf("error %q at exit %d", sum.Error, sum.Exit)
			}
			if strings.HasPrefix(tt.name, "one stands") || strings.Contains(tt.name, "away") {
				s.ends(tt.code, "status", "--check")
			}
			for _, secret := range []string{marketToken, shopToken} {
				if strings.Contains(r.stdout+r.stderr, secret) {
					t.Errorf("%s is shown", secret)
				}
			}
		})
	}
}

func TestInterruptedTwiceEndsAtOnce(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.shop.rules(always(shoptest.Reply{Wait: time.Minute}))
	p := launch(t, s.dir, s.env.with("ADMIN_LISTEN", "off"), "run")
	eventually(t, 10*time.Second, "a PUT is under way", func() bool { return len(s.contentReads()) == 1 })
	time.Sleep(100 * time.Millisecond) // let the request reach the shop
	p.signal(sigint)
	throughout(t, 300*time.Millisecond, "it waits for what is under way", p.running)
	p.signal(sigint)
	if code := p.code(3 * time.Second); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
}
