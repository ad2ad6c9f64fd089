// explain tells all that is known of a publication.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A publication is found by its title or a part of it, with a worker and without. Where several have
// it they are listed with their ids.
func TestExplainTakesATitle(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(6)
	s.imported()
	check := func(when string) {
		t.Helper()
		for _, tt := range []struct {
			text string
			code int
			want []string
		}{
			{"lamp 3", 0, []string{"Lamp 3"}},
			{"AMP 3", 0, []string{"Lamp 3"}},
			{"lamp", 2, []string{"several titles", ids[0], ids[5], "Lamp 3"}},
			{"no such title", 1, []string{"no such publication"}},
		} {
			r := s.call("explain", tt.text)
			if r.code != tt.code {
				t.Errorf("%s, explain %q: exit %d, want %d: %s", when, tt.text, r.code, tt.code, r.stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(r.stdout+r.stderr, want) {
					t.Errorf("%s, explain %q: no %q in %s%s", when, tt.text, want, r.stdout, r.stderr)
				}
			}
		}
		r := s.call("publications", "AMP 3")
		if r.code != 0 || strings.Count(r.stdout, "Lamp") != 1 || !strings.Contains(r.stdout, "Lamp 3") {
			t.Errorf("%s, publications: exit %d, want 0 and Lamp 3 alone: %s", when, r.code, r.stdout)
		}
	}
	check("alone")
	w := s.work()
	check("beside the worker")
	w.stop()
}

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
		"created", "stock of Red 10 -> 0", "reported success", // last attempts
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
