// retry and approve do the same by the API, beside a worker and without one.

package main_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

func TestRetryAndApprovePrintOneDocument(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.imported()
	for _, tt := range []struct {
		args []string
		code int
		want map[string]int
	}{
		{[]string{"retry", ids[0], ids[1]}, 0, map[string]int{"due": 2}},
		{[]string{"retry", ids[0], "nobody"}, 1, map[string]int{"due": 1}},
		{[]string{"retry", "--failed"}, 0, map[string]int{"due": 0}},
		{[]string{"retry", "--all"}, 0, map[string]int{"due": 2}},
		{[]string{"approve", "--kind", "price"}, 0, map[string]int{"approved": 0}},
		{[]string{"approve", "nobody"}, 1, map[string]int{"approved": 0}},
	} {
		r := s.call(append(tt.args, "--json")...)
		var got map[string]int
		r.decode(t, &got)
		if r.code != tt.code || !maps.Equal(got, tt.want) {
			t.Errorf("%v: exit %d, %v, want %d, %v", tt.args, r.code, got, tt.code, tt.want)
		}
	}
}

func TestRetryAndApproveByAPIAndCommandBesideTheWorkerAndWithoutIt(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"api", "command beside the worker", "command without a worker"} {
		t.Run(way, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			ids := s.lamps(3)
			refused := ids[0]
			s.shop.rules(func(r shoptest.Call) shoptest.Reply {
				if string(r.ID) == refused {
					return problem(422, "No lamps here")
				}
				return shoptest.Reply{}
			})
			w := s.work()
			w.settles(3)
			s.setPrice(ids[1], "10.00", "90.00")
			if status := w.post("/api/v1/sweep", `{"wait":true}`); status != 200 {
				t.Fatalf("sweep: %d, want %d", status, 200)
			}
			s.expectState(refused, "rejected")
			s.expectState(ids[1], "held")
			s.shop.rules(nil)
			// do reports whether the publication was known.
			do := func(action, id string) (found bool) {
				if way == "api" {
					status := w.post("/api/v1/publications/"+id+"/"+action, "")
					if status != 204 && status != 404 {
						t.Errorf("%s: %d, want %d", action, status, 404)
					}
					return status == 204
				}
				r := s.call(action, id)
				if r.code != 0 && !strings.Contains(r.stderr, "no such publication") {
					t.Errorf("%s: exit %d, want 0, %s", action, r.code, r.stderr)
				}
				return r.code == 0
			}
			if way == "command without a worker" {
				w.stop()
			}
			if !do("retry", refused) || !do("approve", ids[1]) {
				t.Error("an action on a known publication was refused")
			}
			if do("retry", "nobody") || do("approve", "nobody") {
				t.Error("an action on an unknown publication was taken")
			}
			if way == "command without a worker" {
				s.imported()
			}
			eventually(t, 8*time.Second, "both are done", func() bool {
				held, ok := s.shop.Products()[refused]
				return ok && held.OnSale && s.prices(ids[1])[0] == "90.00" &&
					slices.Contains(s.reported(refused), "success")
			})
			if way != "command without a worker" {
				w.settles(3)
				w.stop()
			}
			for _, id := range ids {
				s.expectState(id, "live")
			}
		})
	}
}
