package e2e_test

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// variant is the one of a publication's id.
func (s *shop) variant(id string) Variant {
	s.Helper()
	for _, v := range s.only().Variants {
		if v.CustomFields.PubsyncID == id {
			return v
		}
	}
	s.Errorf("there is no variant %s", id)
	return Variant{}
}

// A channel whose prices do not include tax is given the nearest price without it: what a visitor
// pays is what was written, to the cent, and that is what is told of it.
func TestNetPrices(t *testing.T) {
	s := fresh(t)
	inclusive := func(value bool) {
		s.must(s.Do(t.Context(), `mutation ($value: Boolean!) {
			updateChannel(input: { id: "1", pricesIncludeTax: $value }) { __typename ... on ErrorResult { message } } }`,
			vars{"value": value}))
	}
	defer inclusive(true)
	for _, row := range []struct {
		name      string
		inclusive bool
		setting   string
		stored    int // of 20.02
		paid      int // by a visitor
	}{
		{"with tax", true, "auto", 2002, 2002},
		{"without tax", false, "auto", 1655, 2003},
		{"without tax, written gross", false, "gross", 2002, 2422},
		{"without tax, written net", false, "net", 1655, 2003},
	} {
		t.Run(row.name, func(t *testing.T) {
			inclusive(row.inclusive)
			a, p := s.open("PRICES", row.setting), lamp("p", 3)
			p.Variants[0].Price, p.Variants[1].Price, p.Variants[2].Price = "20.02", "24.20", "19.95"
			l := s.publish(a, p, shopadapter.AllFields)
			got := s.only().Variants[0]
			if stored := got.Prices[0].Price; stored != row.stored || got.PriceWithTax != row.paid {
				t.Errorf("stored is %d, a visitor pays %d, want %d and %d", stored, got.PriceWithTax, row.stored, row.paid)
			}
			is, err := a.Check(t.Context())
			if s.must(err); is.Prices.Net() != (row.stored < 2002) || is.Prices.Net() && is.Prices.Places != 2 {
				t.Errorf("prices are told as %+v", is.Prices)
			}
			told := s.list(a, shopadapter.Query{})[p.ID].Variants
			for i, v := range p.Variants {
				if !is.Prices.Alike(told[i].Price, v.Price) {
					t.Errorf("of %s is told %s", v.Price, told[i].Price)
				}
			}
			if want := fmt.Sprintf("%d.%02d", row.paid/100, row.paid%100); row.setting != "gross" && told[0].Price != want {
				t.Errorf("of 20.02 is told %s, want %s", told[0].Price, want)
			}
			p.Variants[0].Price = "24.20"
			_, err = a.Publish(t.Context(), ref(p, l), p.OnlyFigures(), shopadapter.FieldPrice)
			s.must(err)
			if got := s.only().Variants[0].PriceWithTax; row.setting == "auto" && got != 2420 {
				t.Errorf("figures alone: a visitor pays %d, want 2420", got)
			}
		})
	}
}
