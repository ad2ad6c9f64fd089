// A side that is down pauses the worker, which goes on when it is back.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// said counts the lines of a log that are errors and speak of something.
func said(log, of string) int {
	n := 0
	for l := range strings.Lines(log) {
		if strings.Contains(l, of) && strings.Contains(l, `"level":"ERROR"`) {
			n++
		}
	}
	return n
}

func TestAShopThatIsDownPausesTheWorkerWhichGoesOnWhenItIsBack(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]shoptest.Reply{
		"5xx": {Status: 502}, "cut": {Cut: shoptest.Before}, "401": {Status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(30)
			s.shop.rules(always(down))
			if down.Status == 401 {
				s.shop.healthy(401)
			}
			w := s.work()
			eventually(t, 15*time.Second, "the pause is told",
				func() bool { return said(w.stderr.String(), "shop cannot be used") > 0 })
			time.Sleep(2 * time.Second) // the outage lasts
			if n := said(w.stderr.String(), "shop cannot be used"); n != 1 {
				t.Errorf("the pause is told %d times", n)
			}
			if n := len(s.shop.requests(shoptest.Publish)); n > 20 {
				t.Errorf("%d PUTs to a shop that is down", n)
			}
			if !w.running() {
				t.Fatal("the worker ended")
			}
			if res, _ := w.ask("GET", "/readyz", "", nil); res.StatusCode != http.StatusOK {
				t.Errorf("readyz: %s, though webhooks can be stored", res.Status)
			}
			var st struct {
				Shop      struct{ Paused bool }
				LastError any
			}
			w.get("/api/v1/status", &st)
			if st.LastError == nil {
				t.Error("status tells of no error")
			}
			if status := w.hook("PUBLICATION_CREATED", created(s.add(lamp(99)))); status != 204 {
				t.Errorf("a webhook during the outage: %d, want %d", status, 204)
			}
			s.shop.rules(nil)
			s.shop.healthy(200)
			eventually(t, 20*time.Second, "all are on sale", func() bool { return s.shop.onSale() == 31 })
			w.settles(31)
			if n := len(s.market.Reports()); n != 31 {
				t.Errorf("%d reports", n)
			}
			w.stop()
		})
	}
}

func TestAMarketplaceThatIsDownPausesTheWorkerWhichGoesOnWhenItIsBack(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]sandbox.Fault{
		"5xx": {Kind: sandbox.ServerError, Probability: 1}, "cut": {Kind: sandbox.Cut, Probability: 1},
		"HTML":           {Kind: sandbox.HTML, Probability: 1},
		"internal error": {Kind: sandbox.InternalError, Probability: 1}, "401": {Kind: sandbox.Unauthorized, Probability: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(5)
			w := s.work("SWEEP_SCHEDULE", "@every 1s")
			w.settles(5)
			s.market.Inject(down)
			s.market.Forget()
			eventually(t, 15*time.Second, "the pause is told",
				func() bool { return said(w.stderr.String(), "marketplace cannot be used") > 0 })
			time.Sleep(2 * time.Second) // the outage lasts
			if n := said(w.stderr.String(), "marketplace cannot be used"); n != 1 {
				t.Errorf("the pause is told %d times", n)
			}
			if n := len(s.market.Requests()); n > 40 {
				t.Errorf("%d requests of a marketplace that is down", n)
			}
			if res, _ := w.ask("GET", "/readyz", "", nil); res.StatusCode != http.StatusOK {
				t.Errorf("readyz: %s", res.Status)
			}
			id := s.add(lamp(50))
			if status := w.hook("PUBLICATION_CREATED", created(id)); status != 204 {
				t.Errorf("a webhook during the outage: %d, want %d", status, 204)
			}
			if s.shop.onSale() != 5 {
				t.Errorf("%d on sale during the outage", s.shop.onSale())
			}
			s.market.Heal()
			eventually(t, 40*time.Second, "what happened meanwhile is done", func() bool { return len(s.reported(id)) == 1 })
			w.stop()
		})
	}
}
