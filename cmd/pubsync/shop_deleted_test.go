// A listing that was deleted in the shop by hand.

package main_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestAnEndpointThatTellsOfADeletion has a listing deleted by hand behind the http protocol: it
// stays away, and is made anew by the word for it once a person asks.
func TestAnEndpointThatTellsOfADeletion(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.imported()
	var gone atomic.Bool
	gone.Store(true)
	s.shop.mu.Lock()
	delete(s.shop.products, ids[0])
	s.shop.rule = func(c request) reply {
		switch {
		case c.ID != ids[0] || c.Method != http.MethodPut || !gone.Load():
			return reply{}
		case c.Recreate:
			gone.Store(false)
			return reply{}
		}
		return reply{status: http.StatusGone, body: `{"deleted":true}`}
	}
	s.shop.mu.Unlock()
	s.setPrice(ids[0], "10.00", "21.00")
	sum := s.once()
	if sum.Exit != 1 || sum.Blocked != 1 || !gone.Load() {
		t.Errorf("the run: %+v, still gone %t", sum, gone.Load())
	}
	if got := s.reported(ids[0]); !slices.Equal(got, []string{"success", "failed"}) {
		t.Errorf("reported %v", got)
	}
	if r := s.call("retry", ids[0]); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if s.once(); gone.Load() {
		t.Error("asked for, it stays away")
	}
	s.expectState(ids[0], "live")
}
