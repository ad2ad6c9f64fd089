package connector

import (
	"errors"
	"net/http"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Approving one kind of held change leaves the other kinds held, by the store's owner and over the
// admin listener.
func TestApproveOneKind(t *testing.T) {
	for _, tt := range []struct {
		kind store.HoldKind
		want map[string]bool // what is let through
	}{
		{"price", map[string]bool{"p": true, "q": true}},
		{"removal", map[string]bool{"r": true}},
		{"foreign", map[string]bool{"f": true}},
		{"", map[string]bool{"p": true, "q": true, "r": true, "f": true}},
	} {
		for _, way := range []string{"command", "api"} {
			t.Run(way+" "+string(tt.kind), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					b := heldOfEveryKind(t)
					if way == "command" {
						if n, err := ApproveAll(b.store, tt.kind); n != len(tt.want) || err != nil {
							t.Errorf("%d approved, %v", n, err)
						}
					} else if code, text := posted(b.connector(), "/api/v1/approve-all?kind="+string(tt.kind)); code != http.StatusOK || text[9] != byte('0'+len(tt.want)) {
						t.Errorf("answered %d %s", code, text)
					}
					for _, id := range []string{"f", "p", "q", "r", "s"} {
						r := b.record(id)
						m := b.entry(id).Mark
						marked := m != nil
						through := len(r.Approved) > 0 || r.Removal.Go
						if through != tt.want[id] || marked != tt.want[id] || marked && m.Class == store.ClassAsked {
							t.Errorf("%s: approved %+v, removal %+v, mark %+v", id, r.Approved, r.Removal, m)
						}
					}
				})
			})
		}
	}
	t.Run("unknown", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			b := heldOfEveryKind(t)
			if n, err := ApproveAll(b.store, "prices"); n != 0 || !errors.Is(err, desk.ErrKind) {
				t.Errorf("%d approved, %v", n, err)
			}
			if code, _ := posted(b.connector(), "/api/v1/approve-all?kind=prices"); code != http.StatusBadRequest {
				t.Errorf("answered %d", code)
			}
			if r := b.record("p"); len(r.Approved) > 0 {
				t.Errorf("approved %+v", r.Approved)
			}
		})
	})
}

// heldOfEveryKind is a store in which two prices, a removal and a taking over are held, and one
// publication is live.
func heldOfEveryKind(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, sandbox.Options{})
	for _, r := range []store.Record{
		{ID: "f", Holds: []store.Hold{{Kind: store.HoldForeign}}},
		{ID: "p", OnSale: true, ShopID: "1", Holds: []store.Hold{{Kind: store.HoldPrice, Variant: "v", Old: "1.00", New: "2.00"}}},
		{ID: "q", OnSale: true, ShopID: "2", Holds: []store.Hold{{Kind: store.HoldPrice, Variant: "v", Old: "1.00", New: "2.00"}, {Kind: store.HoldPrice, Variant: "w"}}},
		{ID: "r", OnSale: true, ShopID: "3", Removal: store.Removal{Reason: store.RemovalAbsent}, Holds: []store.Hold{{Kind: store.HoldRemoval}}},
		{ID: "s", OnSale: true, ShopID: "4"},
	} {
		r.State = publication.StateOf(r)
		if _, err := b.store.Settle(b.t.Context(), store.Settlement{Record: r}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}
