// What the shop refuses: a product, everything, or for some time.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// problem is an answer in the form of RFC 9457.
func problem(status int, detail string) reply {
	return reply{status: status, body: `{"type":"about:blank","title":"Refused","detail":"` + detail + `"}`}
}

// only answers the PUTs of one publication so, and all else as usual.
func only(id string, v reply) func(request) reply {
	return func(r request) reply {
		if r.ID == id {
			return v
		}
		return reply{}
	}
}

func TestARefusalOfTheWholeShopBlocks(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 405, 410, 301, 308} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			s := open(t, sandbox.Options{})
			ids := s.lamps(5)
			elsewhere := openShop(t)
			s.shop.rules(always(reply{status: status, header: map[string]string{"Location": elsewhere.server.URL}}))
			s.shop.healthy(map[bool]int{true: status, false: 200}[status < 405])
			r := s.call("run", "--once", "--json")
			sum := s.summaryOf(r)
			if r.code != 4 || sum.Created != 0 || sum.Reported != 0 || r.took > slack*10*time.Second {
				t.Errorf("exit %d, want 4 after %s, %+v", r.code, r.took, sum)
			}
			if n := len(s.shop.requests(http.MethodPut)); n > 5 || n == 0 {
				t.Errorf("%d PUTs to a shop that refuses everything", n)
			}
			if len(elsewhere.requests("")) != 0 {
				t.Error("a redirect was followed")
			}
			if blocked := s.lines("blocked"); len(blocked) == 0 {
				t.Errorf("nothing is blocked: %v", s.lines(""))
			} else {
				for _, l := range blocked {
					if !strings.Contains(l.Error, "PUBSYNC_HTTP_") {
						t.Errorf("the merchant is told %q", l.Error)
					}
				}
			}
			if strings.Contains(r.stderr+r.stdout, shopToken) {
				t.Error("the token is shown")
			}
			// Mended, the next run makes all of them.
			s.shop.rules(nil)
			s.shop.healthy(200)
			if sum := s.imported(); sum.Created != 5 || sum.Reported != 5 {
				t.Errorf("the next run: %+v", sum)
			}
			for _, id := range ids {
				s.matches(id)
			}
		})
	}
}

func TestARetryAfterPausesTheWholeShop(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]reply{
		"429": {status: 429, header: map[string]string{"Retry-After": "3"}},
		"503": {status: 503, header: map[string]string{"Retry-After": "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(12)
			var until time.Time
			s.shop.rules(func(request) reply {
				s.shop.mu.Lock()
				defer s.shop.mu.Unlock()
				if until.IsZero() {
					until = time.Now().Add(3 * time.Second)
					return v
				}
				return reply{}
			})
			s.imported("--patience", "20s")
			early := 0
			s.shop.mu.Lock()
			end := until
			s.shop.mu.Unlock()
			for _, p := range s.shop.requests(http.MethodPut) {
				// What was under way when the answer came is no fault.
				if p.At.After(end.Add(-2*time.Second)) && p.At.Before(end.Add(-100*time.Millisecond)) {
					early++
				}
			}
			if early > 0 {
				t.Errorf("%d PUTs within the pause that the shop asked for", early)
			}
		})
	}
}
