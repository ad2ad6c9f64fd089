// retry and approve do the same by the API, beside a worker and without one.

package main_test

import (
	"maps"
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

// A worker does at once what is asked of it, by its API and by a command.
func TestRetryAndApproveBesideTheWorker(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(4)
	s.shop.rules(func(r shoptest.Call) shoptest.Reply {
		if id := string(r.ID); id == ids[0] || id == ids[1] {
			return problem(422, "No lamps here")
		}
		return shoptest.Reply{}
	})
	w := s.work()
	w.settles(4)
	s.setPrice(ids[2], "10.00", "90.00")
	s.setPrice(ids[3], "10.00", "90.00")
	if status := w.post("/api/v1/sweep", `{"wait":true}`); status != 200 {
		t.Fatalf("sweep: %d, want 200", status)
	}
	for i, state := range []string{"rejected", "rejected", "held", "held"} {
		s.expectState(ids[i], state)
	}
	s.shop.rules(nil)
	for path, want := range map[string]int{
		ids[0] + "/retry": 204, ids[2] + "/approve": 204, "nobody/retry": 404, "nobody/approve": 404,
	} {
		if status := w.post("/api/v1/publications/"+path, ""); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	for command, want := range map[string]int{
		"retry " + ids[1]: 0, "approve " + ids[3]: 0, "retry nobody": 1, "approve nobody": 1,
	} {
		if r := s.call(strings.Fields(command)...); r.code != want ||
			want == 1 && !strings.Contains(r.stderr, "no such publication") {
			t.Errorf("%s: exit %d, want %d, %s", command, r.code, want, r.stderr)
		}
	}
	eventually(t, 8*time.Second, "all are done", func() bool {
		return s.shop.onSale() == 4 && s.prices(ids[2])[0] == "90.00" && s.prices(ids[3])[0] == "90.00"
	})
	w.settles(4)
	w.stop()
}
