package e2e_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// detailed is a lamp with all details, after the supplier's n-th change of them.
func detailed(variants, n int) shopadapter.Product { return laws.WithDetails(lamp("p", variants), n) }

// A variant of which the shop refuses a detail is sold without its details.
func TestRefusedDetail(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), detailed(2, 0)
	const refused = "3000000000" // the field is a whole number of 32 bits
	p.Variants[0].CaseQuantity = refused
	if l := s.publish(a, p, shopadapter.AllFields); len(l.Refused) > 0 {
		t.Errorf("refused: got %v, want none", l.Refused)
	}
	for i, want := range []string{"", "1150"} {
		if got := s.variant(p.Variants[i].ID).CustomFields.Weight; string(got) != want {
			t.Errorf("weight of variant %d: got %q, want %q", i, got, want)
		}
	}
	p.Variants[0].CaseQuantity = "6"
	s.publish(a, p, shopadapter.FieldDetails)
	if got := s.variant(p.Variants[0].ID).CustomFields.Weight; got != "1050" {
		t.Errorf("weight after the supplier's change: got %q, want 1050", got)
	}
	p.Variants[0].CaseQuantity, p.Variants[0].Weight, p.Variants[0].SKU = refused, "3", "ANOTHER"
	s.publish(a, p, shopadapter.AllFields)
	if got := s.variant(p.Variants[0].ID); got.SKU != "ANOTHER" || got.CustomFields.Weight != "1050" {
		t.Errorf("got SKU %s and weight %s, want ANOTHER and 1050", got.SKU, got.CustomFields.Weight)
	}
}
