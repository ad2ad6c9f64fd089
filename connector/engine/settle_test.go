package engine

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/store"
)

// dueOf is the mark of a publication, nil where it is not due.
func dueOf(t *testing.T, s store.Store, id string) *store.Mark {
	t.Helper()
	e, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e.Mark
}

// A shop-wide refusal may settle after the check that passed has looked for refused publications.
func TestBlockedAfterTheCheckPassed(t *testing.T) {
	s := newStore(t)
	x := New(Options{Store: s, Concurrency: 1})
	end := func() {
		x.write(t.Context(), "p1", time.Now(), func(e *store.Entry) bool {
			e.Record.State = store.StateBlocked
			e.Record.Problem = store.Problem{Kind: store.ProblemBlocked, Wide: true}
			return true
		})
	}
	x.ShopSide.Judge("", breaker.Verdict{Wide: true, Refused: true, Reason: "the key is refused"})
	end()
	if m := dueOf(t, s, "p1"); m != nil {
		t.Errorf("while everything is refused: got %+v, want no mark", m)
	}
	x.ShopSide.Release()
	end()
	m := dueOf(t, s, "p1")
	if m == nil {
		t.Fatal("after the check passed: got no mark, want one")
	}
	if m.At > store.At(time.Now()) {
		t.Errorf("due at %s after the check passed, want it due now", m.At.Time())
	}
}
