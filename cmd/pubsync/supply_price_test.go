// A variant without msrp, and a first price far from it.

package main_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A variant without msrp is refused with the setting that would sell it, which then does.
func TestAVariantWithoutMSRP(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.set("PRICE_VAT_PERCENT", "21")
	l := lamp(1)
	l.Variants[0].MSRP, l.Variants[1].MSRP = "", "0.00"
	id := s.add(l)
	s.once()
	if line := s.expectState(id, "rejected"); !strings.Contains(line.Error, "PUBSYNC_PRICE_NO_MSRP=cost") {
		t.Errorf("it is refused for %q, which names no setting", line.Error)
	}
	s.set("PRICE_NO_MSRP", "cost", "PRICE_NO_MSRP_MARKUP_PERCENT", "50")
	if r := s.call("retry", id); r.code != 0 {
		t.Fatalf("retry: exit %d, want 0, %s", r.code, r.stderr)
	}
	s.imported()
	if got := s.prices(id); got[0] != "18.15" || got[1] != "18.15" {
		t.Errorf("sold for %v, want the cost of 10.00 with 50 %% and 21 %% VAT, 18.15", got)
	}
	const told = "it has no msrp, so that its price is made from its cost"
	if r := s.call("explain", id); !strings.Contains(r.stdout, told) {
		t.Errorf("explain does not tell of the cost: %s", r.stdout)
	}
}

// The doctor says what it takes the msrp for, and shows a sum: of the marketplace's product first,
// then of the store's.
func TestTheDoctorShowsTheSumOfAPrice(t *testing.T) {
	const assumed, sum = "the msrp is taken to include VAT",
		"the msrp includes VAT and is not taxed again; msrp 20 × (1 + 0 %) + 0 = 20.00"
	s := open(t, sandbox.Options{})
	tells := func(when string, set []string, facts ...string) {
		t.Helper()
		ok, detail := s.checked(s.callWith(set, "doctor", "--json"))
		for _, fact := range facts {
			if !ok["price"] || !strings.Contains(detail["price"], fact) {
				t.Errorf("%s: no %q in %q", when, fact, detail["price"])
			}
		}
	}
	tells("an empty list", nil, assumed, "no product yet")
	s.lamps(1)
	tells("read of the marketplace", nil, assumed, sum, "Lamp")
	tells("without VAT", []string{"PRICE_MSRP_VAT", "excluded", "PRICE_VAT_PERCENT", "10"}, "taken to be without VAT",
		"= 22.00")
	s.imported()
	away := []string{"MARKETPLACE_URL", "http://127.0.0.1:1"}
	tells("known to the store", away, assumed, sum, "Lamp")
	tells("from the cost", append(away, "PRICE_BASE", "cost"), assumed, "made from the cost", "cost 10 ×")
}

// A markup that nobody meant sells nothing: the new products are held, with the sum that led to
// their prices.
func TestAFirstPriceFarFromTheMSRPIsHeld(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.set("PRICE_MARKUP_PERCENT", "400")
	id := s.lamps(2)[0]
	if p := s.planOf(s.call("plan", "--json")); len(p.Held) != 4 || len(p.Create) != 0 ||
		!strings.Contains(p.Held[0].Reason, "100.00") {
		t.Errorf("planned: %+v, want two variants of two products held", p)
	}
	if sum := s.once(); sum.Held != 2 || sum.Exit != 1 {
		t.Errorf("the run ended with %+v", sum)
	}
	if n := len(s.shop.requests(http.MethodPut)); n != 0 || len(s.reports(id)) != 0 {
		t.Errorf("%d PUTs and %v reported, want the shop and the marketplace left alone", n, s.reports(id))
	}
	const sum = "the first price of Red would be 100.00, more than 3 times its msrp with VAT of 20.00: " +
		"the msrp includes VAT and is not taxed again; msrp 20 × (1 + 400 %) + 0 = 100.00"
	if l := s.expectState(id, "held"); l.Error != sum {
		t.Errorf("it is held for %q, want %q", l.Error, sum)
	}
	if r := s.call("explain", id, "--json"); !strings.Contains(r.stdout, `"kind": "first-price"`) {
		t.Errorf("explain: %s", r.stdout)
	}
	if r := s.call("approve", "--kind", "first-price"); r.code != 0 {
		t.Fatalf("approve: exit %d, want 0, %s", r.code, r.stderr)
	}
	s.imported()
	if got := s.prices(id); got[0] != "100.00" || got[1] != "100.00" || len(s.reported(id)) != 1 {
		t.Errorf("approved: sold for %v, reported %v", got, s.reported(id))
	}
	s.set("BRAKE_FIRST_PRICE", "off")
	other := s.add(lamp(3))
	s.imported()
	if got := s.prices(other); got[0] != "100.00" {
		t.Errorf("without the brake: sold for %v", got)
	}
}
