package marketplace

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestProbeBelievesOnlyARefusal is what an answer to introspection comes to: forms, assumed or
// read, or an error after which nothing is kept.
func TestProbeBelievesOnlyARefusal(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		body   string
		list   string // the answer to a look at the list, where there is one
		kind   Kind
		fails  bool
	}{
		{
			name: "refused", status: 200, body: `{"errors":[{"message":"GraphQL introspection is not allowed"}]}`,
			list: `{"errors":"no"}`,
		},
		{name: "null without an error", status: 200, body: `{"data":{"__schema":null}}`},
		{
			name: "forbidden, but the list is there", status: 403, body: "",
			list: data(`{"publications":{"pageInfo":{"hasNextPage":false}}}`),
		},
		{
			name: "forbidden", status: 403, body: "", list: `{"errors":[{"message":"Forbidden"}]}`, kind: Unauthorized,
			fails: true,
		},
		{name: "401", status: 401, kind: Unauthorized, fails: true},
		{
			name: "internal error", status: 200, body: `{"data":null,"errors":[{"message":"Internal server error"}]}`,
			fails: true,
		},
		{name: "5xx", status: 503, body: "introspection is not allowed", fails: true},
		{name: "throttled", status: 200, body: `{"errors":[{"message":"Throttled"}]}`, kind: Throttled, fails: true},
		{name: "words nobody knows", status: 200, body: `{"errors":[{"message":"Nope"}]}`, list: `{"errors":"no"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWire{answer: func(_ int, s sent) (int, string) {
					if s.OperationName == "Listable" {
						return 200, row.list
					}
					return row.status, row.body
				}}
				c := connect(t, w)
				forms, err := c.Probe(t.Context())
				if (err != nil) != row.fails || KindOf(err) != row.kind {
					t.Fatalf("%v, %v", forms, err)
				}
				if err == nil && (forms.Introspected || !forms.Sorted) {
					t.Errorf("%v", forms)
				}
				sent := len(w.seen)
				if row.status == 401 && sent != 1 {
					t.Errorf("%d requests: a 401 needs no second opinion", sent)
				}
				if _, err := c.Probe(t.Context()); (err != nil) != row.fails {
					t.Errorf("the second probe: %v; (err != nil): got %v, want %v", err, (err != nil), row.fails)
				}
				if again := len(w.seen) > sent; again != row.fails {
					t.Errorf("probed again: %v, want %v", again, row.fails)
				}
			})
		})
	}
}

// TestProbesAreShared lets many callers meet a slow probe that fails: it is asked once, and once
// more by the next that comes.
func TestProbesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{answer: func(int, sent) (int, string) {
			time.Sleep(time.Second)
			return 502, ""
		}}
		c := connect(t, w)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				if _, err := c.Probe(t.Context()); err == nil {
					t.Error("no error")
				}
			})
		}
		group.Wait()
		if n := len(w.seen); n != 1 {
			t.Errorf("%d probes, want 1", n)
		}
		if _, err := c.Probe(t.Context()); err == nil || len(w.seen) != 2 {
			t.Errorf("%d probes after the next call, want 2: %v", len(w.seen), err)
		}
	})
}
