package publication

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Where the shop refuses what the supplier has now, the version on sale stays while it sells what the supplier still
// gives. With another price, or fewer pieces, it is taken out of sale, and the whole comes back once it is accepted.
func TestAnEarlierVersion(t *testing.T) {
	by := tableDecider(t, nil)
	const offered = 7
	renamed := func(change func(*marketplace.Variant)) func(*marketplace.Publication) {
		return func(p *marketplace.Publication) {
			p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
			if change != nil {
				change(&p.Listing.Variants[0])
			}
		}
	}
	quantity := func(n int) func(*marketplace.Variant) { return func(v *marketplace.Variant) { v.Quantity = &n } }
	for _, tt := range []struct {
		name   string
		err    error
		sold   int
		change func(*marketplace.Variant)
		onSale bool
	}{
		{"another title", shopadapter.Reject("no"), 0, nil, true},
		{"more pieces", shopadapter.Reject("no"), 0, quantity(50), true},
		{"fewer pieces", shopadapter.Reject("no"), 0, quantity(6), false},
		{"fewer pieces, which the shop has sold", shopadapter.Reject("no"), 2, quantity(5), true},
		{"another price", shopadapter.Reject("no"), 0, func(v *marketplace.Variant) { v.MSRP = "22.00" }, false},
		{"a price that is held", shopadapter.Reject("no"), 0, func(v *marketplace.Variant) { v.MSRP = "60.00" }, true},
		{"another variant in its place", shopadapter.Reject("no"), 0, func(v *marketplace.Variant) { v.ID = "v2" }, false},
		{"blocked in the shop", shopadapter.Block("no"), 0, quantity(0), false},
		{"the whole shop is blocked", shopadapter.Block("no").Everywhere(), 0, quantity(0), true},
		{"the shop is away", shopadapter.Retry("no"), 0, quantity(0), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
			s.look(by, offered, nil)
			s.quantity -= tt.sold
			s.compare(by)
			s.refuses = tt.err
			s.look(by, offered, renamed(tt.change))
			if s.r.OnSale != tt.onSale || s.r.State == store.StateLive {
				t.Fatalf("%s, on sale %t, want %t: %s", s.r.State, s.r.OnSale, tt.onSale, s.r.Problem.Message)
			}
			if told := strings.Contains(historyText(s.r), "taken out of sale"); told == tt.onSale {
				t.Errorf("told: %t, want %t:\n%s", told, !tt.onSale, historyText(s.r))
			}
			if tt.onSale {
				return
			}
			s.quantity = 0
			s.cause = store.CauseAsked
			s.look(by, offered, renamed(nil))
			if s.r.State != store.StateLive || !s.r.OnSale || s.quantity != offered {
				t.Errorf("accepted again: %s, on sale %t with %d, want live with %d", s.r.State, s.r.OnSale, s.quantity, offered)
			}
		})
	}
}

func historyText(r store.Record) string {
	lines := make([]string, len(r.History))
	for i, e := range r.History {
		lines[i] = e.What
	}
	return strings.Join(lines, "\n")
}
