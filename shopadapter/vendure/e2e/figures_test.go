package e2e_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// Figures alone take two requests, a look and one change. They touch nothing else of the product, nor
// what the merchant has added to it, nor the stock at another location.
func TestRestockWritesFiguresAlone(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 5)
	made := s.publish(a, p, shopadapter.AllFields)
	shed := s.shed()
	s.must(
		s.AddVariant(t.Context(), made.ID, "MY-OWN", s.unsold()...),
		s.Edit(t.Context(), made.ID, shopadapter.FieldTitle),
		s.UpdateVariant(t.Context(), made.ShopIDs()[p.Variants[2].ID], vars{
			"stockLevels": []vars{{"stockLocationId": shed, "stockOnHand": 55}},
		}),
	)
	p.Variants[1].Price, p.Variants[1].Quantity = "66.50", 66
	p.Variants[2].Price, p.Variants[2].Quantity, p.Variants[2].Backorders = "123.45", 7, true
	want := s.only()
	for i := range want.Variants {
		switch v := &want.Variants[i]; v.CustomFields.PubsyncID {
		case p.Variants[1].ID:
			v.Prices[0].Price, v.PriceWithTax, v.StockOnHand = 6650, 6650, 66
		case p.Variants[2].ID:
			v.Prices[0].Price, v.PriceWithTax, v.StockOnHand, v.OutOfStockThreshold = 12345, 12345, 7+55, -1_000_000
		}
	}
	s.took()
	for _, requests := range [][]string{{"ReadProduct", "UpdateVariants"}, {"ReadProduct"}} {
		l, err := a.Publish(t.Context(), ref(p, made), p.OnlyFigures(), figures)
		s.must(err)
		if diff := cmp.Diff(made, l); diff != "" {
			t.Errorf("the listing (-made +restocked):\n%s", diff)
		}
		if diff := cmp.Diff(requests, s.took()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, s.only()); diff != "" {
			t.Errorf("the product (-want +got):\n%s", diff)
		}
	}
}

// What a whole product would do more than figures for is left to it, and nothing is written.
func TestRestockAsksForTheWhole(t *testing.T) {
	type call struct {
		*shop
		a    shopadapter.Adapter
		p    shopadapter.Product
		made shopadapter.Listing
		ref  shopadapter.Ref
	}
	for _, row := range []struct {
		name   string
		change func(*call)
	}{
		{"a variant that is there twice", func(c *call) {
			c.must(c.AddVariant(c.Context(), c.made.ID, "TWICE", c.unsold()...))
			for _, v := range c.only().Variants {
				if v.SKU == "TWICE" {
					c.must(c.UpdateVariant(c.Context(), v.ID, vars{"customFields": vars{"pubsyncId": c.p.Variants[1].ID}}))
				}
			}
		}},
		{"a variant that the shop lacks, without a price", func(c *call) {
			c.p.Variants = append(c.p.Variants, shopadapter.Variant{ID: "more"})
		}},
		{"a price that is none", func(c *call) { c.p.Variants[1].Price = "on request" }},
		{"a price beyond the shop's", func(c *call) { c.p.Variants[1].Price = "19.999" }},
		{"a product that was never finished", func(c *call) {
			c.stamp(strings.Replace(c.note(), `"product":`, `"former":`, 1))
		}},
		{"a damaged note", func(c *call) { c.stamp("mine") }},
		{"a draft of a late creation", func(c *call) {
			c.copyOf(c.only(), c.only().In("en").Name, strings.Replace(c.note(), `"product":`, `"former":`, 1))
		}},
		{"a product that a person asks to be put on sale", func(c *call) {
			c.must(c.Hide(c.Context(), c.made.ID))
			c.ref.OnSale = false
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fresh(t)
			c := &call{shop: s, a: s.open(), p: lamp("p", 5)}
			c.made = s.publish(c.a, c.p, shopadapter.AllFields)
			c.p, c.ref = laws.Revise(c.p, 1), ref(c.p, c.made)
			row.change(c)
			before, err := s.Products(t.Context())
			s.must(err)
			s.took()
			if l, err := c.a.Publish(t.Context(), c.ref, c.p.OnlyFigures(), figures); !errors.Is(err, shopadapter.ErrWhole) {
				t.Errorf("%+v, %v, want ErrWhole", l, err)
			}
			if diff := cmp.Diff([]string{"ReadProduct"}, s.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			after, err := s.Products(t.Context())
			s.must(err)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the shop (-before +after):\n%s", diff)
			}
		})
	}
}

// unsold is an option of each of the product's two groups that no variant has together.
func (s *shop) unsold() []string {
	s.Helper()
	p := s.only()
	for _, one := range p.OptionGroups[0].Options {
		for _, other := range p.OptionGroups[1].Options {
			if !slices.ContainsFunc(p.Variants, func(v Variant) bool {
				return strings.Contains(fmt.Sprint(v.Options), one.Name) && strings.Contains(fmt.Sprint(v.Options), other.Name)
			}) {
				return []string{one.ID, other.ID}
			}
		}
	}
	s.Fatal("each choice is sold")
	return nil
}

// note is what the product says of itself; stamp makes it say something else.
func (s *shop) note() string { return s.only().CustomFields.PubsyncStamp }

func (s *shop) stamp(note string) {
	s.Helper()
	listing := shopadapter.ListingID(s.only().ID)
	s.must(s.Update(s.Context(), listing, vars{"customFields": vars{"pubsyncStamp": note}}))
}

// A variant whose figures the shop refuses holds up no other.
func TestRestockIsRefusedByVariant(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 3)
	l := s.publish(a, p, shopadapter.AllFields)
	p.Variants[0].Price, p.Variants[1].Price, p.Variants[2].Price = "11.00", "66.50", "22.00"
	p.Variants[1].Quantity = -7 // Vendure takes none below zero
	l, err := a.Publish(t.Context(), ref(p, l), p.OnlyFigures(), figures)
	s.must(err)
	if len(l.Refused) != 1 || !strings.Contains(l.Refused[p.Variants[1].ID], "stockOnHand") || len(l.Variants) != 3 {
		t.Errorf("the listing is %+v", l)
	}
	for _, v := range s.only().Variants {
		prices := map[string]int{p.Variants[0].ID: 1100, p.Variants[1].ID: 2095, p.Variants[2].ID: 2200}
		if want := prices[v.CustomFields.PubsyncID]; v.PriceWithTax != want {
			t.Errorf("%s costs %d, want %d", v.CustomFields.PubsyncID, v.PriceWithTax, want)
		}
	}
}

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
