// A variant without msrp, and a first price far from it.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

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
