// retry and approve do the same by the API, beside a worker and without one.

package main_test

import (
	"maps"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
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
