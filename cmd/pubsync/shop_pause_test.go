// A shop under maintenance, and a call that hangs.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// WordPress asks for ten minutes whenever it is under maintenance, which takes seconds.
func TestMaintenanceWithARetryAfterOfMinutes(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	s.imported()
	s.shop.healthy(http.StatusServiceUnavailable)
	s.shop.rules(
		always(
			reply{
				status: http.StatusServiceUnavailable,
				header: map[string]string{"Retry-After": "600"},
				body:   "Briefly unavailable",
			},
		),
	)
	s.setPrice(ids[0], "10.00", "21.00")
	w := s.work()
	eventually(t, 15*time.Second, "the pause is told",
		func() bool { return said(w.stderr.String(), "shop cannot be used") > 0 })
	r := s.call("run", "--once", "--json", "--patience", "3s")
	if sum := s.summaryOf(r); sum.Exit != 4 || !strings.Contains(sum.Error, "asked for a pause until") ||
		r.took < 2*time.Second {
		t.Errorf("a run beside the worker, after %s: %+v", r.took, sum)
	}
	if r := s.call("retry", ids[0]); r.code != 0 || !strings.Contains(r.stderr, "asked for a pause until") {
		t.Errorf("retry: exit %d, want 0, %s", r.code, r.stderr)
	}
	s.shop.rules(nil)
	s.shop.healthy(http.StatusOK)
	time.Sleep(2 * time.Second) // checks that are asked for are no closer together
	if r := s.call("retry", ids[0]); r.code != 0 || strings.Contains(r.stderr, "asked for a pause") {
		t.Errorf("retry: exit %d, want 0, %s", r.code, r.stderr)
	}
	eventually(t, 10*time.Second, "the new price is shown", func() bool { return s.prices(ids[0])[0] == "21.00" })
	w.stop()
}

// The patience holds for a call that hangs, as one does during which the shop downloads a picture
// from a server that does not answer.
func TestARunIsNotHeldByACallThatHangs(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	s.shop.rules(only(ids[0], reply{wait: 2 * time.Minute}))
	r := s.call("run", "--once", "--json", "--patience", "5s")
	sum := s.summaryOf(r)
	if sum.Exit != 1 || sum.Created != 2 || sum.Pending != 1 || !strings.Contains(sum.Error, "patience") ||
		r.took > slack*40*time.Second {
		t.Errorf("after %s: %+v", r.took, sum)
	}
	s.shop.rules(nil)
	if sum := s.imported(); sum.Created != 1 {
		t.Errorf("the next run: %+v", sum)
	}
}
