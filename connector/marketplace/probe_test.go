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
		kind   Kind
		fails  bool
	}{
		{name: "refused", status: 200, body: `{"errors":[{"message":"GraphQL introspection is not allowed"}]}`},
		{name: "null without an error", status: 200, body: `{"data":{"__schema":null}}`},
		{name: "forbidden, as the token may be too", status: 403, body: ""},
		{name: "401", status: 401, kind: Unauthorized, fails: true},
		{
			name: "internal error", status: 200, body: `{"data":null,"errors":[{"message":"Internal server error"}]}`,
			fails: true,
		},
		{name: "5xx", status: 503, body: "introspection is not allowed", fails: true},
		{name: "throttled", status: 200, body: `{"errors":[{"message":"Throttled"}]}`, kind: Throttled, fails: true},
		{name: "words nobody knows", status: 200, body: `{"errors":[{"message":"Nope"}]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := always(row.status, row.body)
				c := connect(t, w)
				forms, err := c.Probe(t.Context())
				if (err != nil) != row.fails || KindOf(err) != row.kind {
					t.Fatalf("%v, %v", forms, err)
				}
				if err == nil && (forms.Introspected || !forms.Sorted) {
					t.Errorf("%v", forms)
				}
				sent := len(w.seen)
				if _, err := c.Probe(t.Context()); (err != nil) != row.fails {
					t.Errorf("the second probe: %v; (err != nil): got %v, want %v", err, (err != nil), row.fails)
				}
				if again := len(w.seen) > sent; again != row.fails {
					t.Errorf("probed again: %v, want %v", again, row.fails)
				}
				sent = len(w.seen)
				if c.SetToken("another token"); !row.fails {
					_, _ = c.Probe(t.Context()) //nolint:errcheck // only whether it asks
					if len(w.seen) == sent {
						t.Error("with another token the schema is not asked for again")
					}
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
