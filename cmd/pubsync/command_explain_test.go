// explain tells all that is known of a publication.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// All that is known of a publication is told, in words and as JSON. It is found by its title or a part
// of it, too; where several have it a command that lists them is named.
func TestExplainTellsAllThatIsKnown(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	id := ids[0]
	s.set("PRICE_MARKUP_PERCENT", "10", "PRICE_ENDING", ".95", "STOCK_BUFFER", "2")
	s.imported()
	// The price moves too far, the stock a little, and the shop does not like the blue one.
	s.shop.rules(func(r shoptest.Call) shoptest.Reply {
		return shoptest.Reply{Refused: map[string]string{r.Product.Variants[1].ID: "the shop knows no blue"}}
	})
	if err := s.market.Update(id, func(l *sandbox.Listing) {
		l.Variants[0].MSRP, l.Variants[0].Quantity = "90.00", 1
	}); err != nil {
		t.Fatal(err)
	}
	s.once()
	p, _ := s.market.Publication(id)
	shopID := s.shop.product(t, id).Listing
	facts := []string{
		"held",                            // state
		p.Listing.ID, p.Listing.ProductID, // source
		string(shopID), addressOf(shopID), "L1-R", // mapping
		"20 ", "10 %", "22.95", // how the price came about
		"offered 1 - 2 kept back = 0", "offered 7 - 2 kept back = 5", // and the stock
		"the shop knows no blue", "99.95", // what is refused and what is held
		"created", "stock of Red 10 -> 0", "reported success", // last attempts
	}
	told := func(code int, want []string, args ...string) {
		t.Helper()
		r := s.ends(code, append([]string{"explain"}, args...)...)
		for _, fact := range want {
			if !strings.Contains(r.stdout+r.stderr, fact) {
				t.Errorf("explain %q: no %q in %s%s", args, fact, r.stdout, r.stderr)
			}
		}
	}
	told(0, facts, "lamp 1")
	told(0, facts, id, "--json")
	told(2, []string{"several titles", `publications "lamp"`}, "lamp")
	told(1, []string{"no such publication"}, "no such title")
	if r := s.ends(0, "publications", "AMP 2"); !strings.Contains(r.stdout, ids[1]) || strings.Contains(r.stdout, id) {
		t.Errorf("publications of a part of a title: %s", r.stdout)
	}
	s.set("PRICE_MARKUP_PERCENT", "50")
	told(0, []string{"the shop has 22.95: the settings have changed"}, id)
}
