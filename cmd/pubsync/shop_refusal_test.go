// What the shop refuses: a product, everything, or for some time.

package main_test

import (
	"net/http"
	"slices"
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

func TestARejectedNewProductIsReportedFailedAndSuccessOnceMended(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 409, 413, 422} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			s := open(t, sandbox.Options{})
			ids := s.lamps(2)
			s.shop.rules(only(ids[0], problem(status, "the title is too short for us")))
			if sum := s.once(); sum.Exit != 1 || sum.Rejected != 1 || sum.Created != 1 || sum.Reported != 2 {
				t.Errorf("the run: %+v", sum)
			}
			l := s.expectState(ids[0], "rejected")
			if !strings.Contains(l.Error, "the title is too short for us") {
				t.Errorf("the merchant is told %q", l.Error)
			}
			if got := s.reported(ids[0]); !slices.Equal(got, []string{"failed"}) {
				t.Errorf("reported %v", got)
			}
			// Until the supplier changes it, it is left alone.
			if sum := s.once(); sum.Exit != 1 || sum.Rejected != 1 || sum.Reported != 0 {
				t.Errorf("the next run: %+v", sum)
			}
			if n := len(s.shop.puts(ids[0])); n != 1 {
				t.Errorf("%d PUTs of what was refused", n)
			}
			s.shop.rules(nil)
			if err := s.market.Update(ids[0],
				func(l *sandbox.Listing) { retext(l, "en", func(t *sandbox.Text) { t.Title += " of good length" }) }); err != nil {
				t.Fatal(err)
			}
			s.imported()
			s.matches(ids[0])
			if got := s.reported(ids[0]); !slices.Equal(got, []string{"failed", "success"}) {
				t.Errorf("reported %v", got)
			}
		})
	}
}

func TestARejectedUpdateLeavesTheOldOnSaleAndReportsNothing(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.imported()
	s.market.Forget()
	s.shop.rules(only(ids[0], problem(422, "no such colour")))
	s.setPrice(ids[0], "10.00", "21.00")
	if sum := s.once(); sum.Exit != 1 || sum.Rejected != 1 || sum.Reported != 0 || sum.Withdrawn != 0 {
		t.Errorf("the run: %+v", sum)
	}
	s.expectState(ids[0], "rejected")
	if held := s.shop.product(t, ids[0]); !held.onSale || held.sent.Variants[0].Price != "20.00" {
		t.Errorf("the shop holds %+v", held)
	}
	if n := len(s.market.Reports()); n != 0 {
		t.Errorf("%d reports", n)
	}
	s.shop.rules(nil)
	s.setPrice(ids[0], "10.00", "22.00")
	s.imported()
	if s.prices(ids[0])[0] != "22.00" || len(s.market.Reports()) != 0 {
		t.Errorf("price %s, %d reports", s.prices(ids[0])[0], len(s.market.Reports()))
	}
	// Whether it is retried because somebody asks shows in what is written: the update that was
	// refused is part of it.
	s.idle(2)
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

func TestTransientAnswersAreTriedAgain(t *testing.T) {
	t.Parallel()
	answers := map[string]reply{
		"408": {
			status: 408,
		}, "425": {status: 425}, "500": {status: 500, body: "<html>"}, "502": {status: 502}, "503": {status: 503},
		"504":              {status: 504},
		"429 with seconds": {status: 429, header: map[string]string{"Retry-After": "1"}},
		"503 with a date": {
			status: 503,
			header: map[string]string{"Retry-After": time.Now().Add(time.Second).UTC().Format(http.TimeFormat)},
		},
		"no answer, not done": {
			cut: cutBefore,
		}, "no answer, done": {cut: cutAfter}, "502, done": {cut: failAfter}, "no id": {cut: emptyAfter},
	}
	for name, v := range answers {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			ids := s.lamps(3)
			tries := 0
			s.shop.mu.Lock()
			s.shop.rule = func(r request) reply {
				s.shop.mu.Lock()
				defer s.shop.mu.Unlock()
				if r.ID != ids[0] {
					return reply{}
				}
				if tries++; tries <= 2 {
					return v
				}
				return reply{}
			}
			s.shop.mu.Unlock()
			if sum := s.imported(); sum.Created != 3 || sum.Reported != 3 {
				t.Errorf("the run: %+v", sum)
			}
			puts := s.shop.puts(ids[0])
			if len(puts) != 3 {
				t.Fatalf("%d PUTs, want three", len(puts))
			}
			if gap := puts[1].At.Sub(puts[0].At); gap > slack*2*time.Second {
				t.Errorf("the first retry came after %s", gap)
			}
			for _, id := range ids {
				s.matches(id)
				if got := s.reported(id); !slices.Equal(got, []string{"success"}) {
					t.Errorf("%s was reported %v", id, got)
				}
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

func TestAShopThatNeverAnswersInTime(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.shop.rules(only(ids[0], reply{status: 500}))
	r := s.call("run", "--once", "--json", "--patience", "2s")
	sum := s.summaryOf(r)
	if sum.Pending != 1 || sum.Created != 1 || sum.Exit != 1 || r.took < 2*time.Second ||
		r.took > slack*20*time.Second {
		t.Errorf("after %s: %+v", r.took, sum)
	}
	s.expectState(ids[0], "pending")
	if n := len(s.reports(ids[0])); n != 0 {
		t.Errorf("%d reports of what is not settled", n)
	}
	s.shop.rules(nil)
	s.imported()
}

func TestFailAfter(t *testing.T) {
	t.Parallel()
	t.Run("new", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.set("FAIL_AFTER", "2s")
		ids := s.lamps(2)
		s.shop.rules(only(ids[0], reply{status: 500}))
		w := s.work()
		eventually(t, 15*time.Second, "reported failed",
			func() bool { return slices.Equal(s.reported(ids[0]), []string{"failed"}) })
		if n := len(s.shop.puts(ids[0])); n < 2 {
			t.Errorf("reported failed after %d tries", n)
		}
		tries := len(s.shop.puts(ids[0]))
		eventually(t, 20*time.Second, "tried on", func() bool { return len(s.shop.puts(ids[0])) > tries })
		s.shop.rules(nil)
		w.post("/api/v1/sweep", `{}`)
		eventually(t, 15*time.Second, "success in the end",
			func() bool { return slices.Equal(s.reported(ids[0]), []string{"failed", "success"}) })
		w.stop()
	})
	t.Run("blocked", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.set("FAIL_AFTER", "2s")
		ids := s.lamps(6)
		s.shop.rules(always(reply{status: 403}))
		s.shop.healthy(403)
		w := s.work()
		start := time.Now()
		for _, id := range ids {
			eventually(t, 15*time.Second, "reported failed",
				func() bool { return slices.Equal(s.reported(id), []string{"failed"}) })
		}
		if took := time.Since(start); took < 1500*time.Millisecond {
			t.Errorf("reported failed after %s", took)
		}
		s.shop.rules(nil)
		s.shop.healthy(200)
		for _, id := range ids {
			eventually(t, 25*time.Second, "success in the end",
				func() bool { return slices.Equal(s.reported(id), []string{"failed", "success"}) })
		}
		w.stop()
	})
	t.Run("on sale", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.set("FAIL_AFTER", "1s")
		ids := s.lamps(2)
		s.imported()
		s.shop.rules(only(ids[0], reply{status: 500}))
		s.setPrice(ids[0], "10.00", "21.00")
		s.once("--patience", "4s")
		if got := s.reported(ids[0]); !slices.Equal(got, []string{"success"}) {
			t.Errorf("reported %v, though the old version is on sale", got)
		}
	})
}
