// explain tells all that is known of a publication.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// All that is known of a publication is told, in words and as JSON, with a worker and without.
func TestExplainTellsAllThatIsKnown(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	s.set("PRICE_MARKUP_PERCENT", "10", "PRICE_ENDING", ".95", "STOCK_BUFFER", "2")
	s.imported()
	// The price moves too far, the stock a little, and the shop does not like the blue one.
	s.shop.rules(func(r request) reply {
		return reply{refused: map[string]string{r.Sent.Variants[1].ID: "the shop knows no blue"}}
	})
	if err := s.market.Update(id, func(l *sandbox.Listing) {
		l.Variants[0].MSRP, l.Variants[0].Quantity = "90.00", 1
	}); err != nil {
		t.Fatal(err)
	}
	s.once()
	p, _ := s.market.Publication(id)
	shopID := s.shop.product(t, id).shopID
	facts := []string{
		"held",                            // state
		p.Listing.ID, p.Listing.ProductID, // source
		shopID, s.shop.address(shopID), "L1-R", // mapping
		"20 ", "10 %", "22.95", // how the price came about
		"offered no more than the 2 kept back", "offered 7 - 2 kept back = 5", // and the stock
		"the shop knows no blue", "99.95", // what is refused and what is held
		"created", "updated", "reported success", // last attempts
		"not read for long", // the next, and why
	}
	check := func(when string) {
		t.Helper()
		for _, form := range [][]string{{"explain", id}, {"explain", id, "--json"}} {
			r := s.call(form...)
			for _, fact := range facts {
				if r.code != 0 || !strings.Contains(r.stdout, fact) {
					t.Errorf("%s, pubsync %s: exit %d, want 0, no %q in %s", when, strings.Join(form, " "), r.code, fact, r.stdout)
				}
			}
		}
		if r := s.call("explain", "nobody"); r.code != 1 || !strings.Contains(r.stderr, "no such publication") {
			t.Errorf("%s, of nobody: exit %d, want 1, %s", when, r.code, r.stderr)
		}
	}
	check("alone")
	w := s.work()
	check("beside the worker")
	w.stop()
	facts = []string{"the shop has 22.95: the settings have changed"}
	s.set("PRICE_MARKUP_PERCENT", "50")
	check("with other settings")
}
