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

// Whichever side is down: the worker says so once, asks it seldom, is ready and accepts webhooks, and
// does what came meanwhile when the side is back.
func TestASideThatIsDownPausesTheWorker(t *testing.T) {
	t.Parallel()
	for name, side := range map[string]struct {
		says string
		down func(*site)
		up   func(*site)
	}{
		"the shop fails": {
			"shop cannot be used", func(s *site) { s.shop.rules(always(shoptest.Reply{Status: 502})) },
			func(s *site) { s.shop.rules(nil) },
		},
		"the shop refuses the credentials": {"shop cannot be used", func(s *site) {
			s.shop.rules(always(shoptest.Reply{Status: 401}))
			s.shop.healthy(401)
		}, func(s *site) { s.shop.rules(nil); s.shop.healthy(200) }},
		"the marketplace fails": {"marketplace cannot be used", func(s *site) {
			s.market.Inject(sandbox.Fault{Kind: sandbox.ServerError, Probability: 1})
		}, func(s *site) { s.market.Heal() }},
		"the marketplace refuses the token": {"marketplace cannot be used", func(s *site) {
			s.market.Inject(sandbox.Fault{Kind: sandbox.Unauthorized, Probability: 1})
		}, func(s *site) { s.market.Heal() }},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(5)
			w := s.work("SWEEP_SCHEDULE", "@every 1s")
			w.settles(5)
			side.down(s)
			s.lamps(25)
			s.market.Forget()
			s.shop.forget()
			told := func() (n int) {
				for l := range strings.Lines(w.stderr.String()) {
					if strings.Contains(l, side.says) && strings.Contains(l, `"level":"ERROR"`) {
						n++
					}
				}
				return n
			}
			eventually(t, 15*time.Second, "the pause is told", func() bool { return told() > 0 })
			time.Sleep(2 * time.Second) // the outage lasts
			if n := told(); n != 1 {
				t.Errorf("the pause is told %d times", n)
			}
			asked := len(s.shop.requests(shoptest.Publish))
			if strings.HasPrefix(side.says, "marketplace") {
				asked = len(s.market.Requests())
			}
			if asked > 40 {
				t.Errorf("%d requests of a side that is down", asked)
			}
			if res, _ := w.ask("GET", "/readyz", "", nil); res.StatusCode != http.StatusOK {
				t.Errorf("readyz: %s, though webhooks can be stored", res.Status)
			}
			if status := w.hook("PUBLICATION_CREATED", created(s.add(lamp(99)))); status != http.StatusNoContent {
				t.Errorf("a webhook during the outage: %d, want 204", status)
			}
			side.up(s)
			eventually(t, 40*time.Second, "what happened meanwhile is done", func() bool { return s.shop.onSale() == 31 })
			w.settles(31)
			w.stop()
		})
	}
}
