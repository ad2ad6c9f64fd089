package publication

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

// shoes are the terms of a product of three levels that is sent to two groups of countries.
func shoes() store.Terms {
	return store.Terms{
		Known:  true,
		Branch: []string{"FASHION", "FASHION_SHOES", "FASHION_SHOES_BOOTS"},
		Delivery: []store.Delivery{
			{Group: "BE, LU", Costs: "6.50", Days: "3"}, {Group: "NL", Costs: "5.00", Days: "2"},
		},
	}
}

func TestCategoryDepth(t *testing.T) {
	for _, tt := range []struct {
		path   CategoryPath
		branch []string
		want   int
	}{
		{"FASHION", shoes().Branch, 1},
		{"FASHION/SHOES", shoes().Branch, 2},
		{"FASHION/FASHION_SHOES", shoes().Branch, 2},
		{"FASHION_SHOES/BOOTS", shoes().Branch, 3},
		{"FASHION/SHOES/BOOTS", shoes().Branch, 3},
		{"FASHION/BOOTS", shoes().Branch, 0},
		{"SHOES", shoes().Branch, 0},
		{"FASHION/SHOES/BOOTS/RED", shoes().Branch, 0},
		{"FASHION", []string{"fashion"}, 1},
		{"FASHION", nil, 0},
		{"WEAR/SHOES", []string{"WEAR", "SHOES"}, 2},
	} {
		if got := tt.path.Depth(tt.branch); got != tt.want {
			t.Errorf("%s in %v: got %d, want %d", tt.path, tt.branch, got, tt.want)
		}
	}
}

// drawTermed draws a rule with tiers, categories and shipping, and the terms of a product.
func drawTermed(t *rapid.T) (PriceRule, store.Terms) {
	r := drawRule(t)
	percent := rapid.Custom(func(t *rapid.T) decimal.Decimal {
		return decimal.New(rapid.Int64Range(-9000, 30000).Draw(t, "hundredths"), -2)
	})
	from := decimal.Zero
	for range rapid.IntRange(0, 4).Draw(t, "tiers") {
		to := from.Add(amounts(100_000).Draw(t, "tier"))
		r.Tiers = append(r.Tiers, Tier{From: from, To: &to, Markup: percent.Draw(t, "tier's markup")})
		from = to
	}
	if len(r.Tiers) > 0 {
		r.Tiers[len(r.Tiers)-1].To = nil
	}
	for _, path := range []CategoryPath{"FASHION", "FASHION/SHOES", "TOYS"} {
		if rapid.Bool().Draw(t, "category "+string(path)) {
			r.Categories = append(r.Categories, CategoryMarkup{
				Path: path, Markup: percent.Draw(t, "category's markup"), Added: rapid.Bool().Draw(t, "added"),
			})
		}
	}
	r.Shipping = rapid.SampledFrom([]ShippingCosts{ShippingOff, ShippingAdd, ShippingFloor}).Draw(t, "shipping")
	r.Country = "NL"
	terms := shoes()
	terms.Delivery[1].Costs = amounts(10_000).Draw(t, "fixed costs").String()
	return r, terms
}

// Whatever rules come together, nothing is sold below cost and fixed costs, with margin and VAT.
func TestTheMarginHoldsUnderAnyRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, terms := drawTermed(t)
		cost, msrp := amounts(1_000_000).Draw(t, "cost"), amounts(1_000_000).Draw(t, "msrp")
		q := mustQuote(t, r.For(terms), cost, msrp)
		paid, margin := cost, decimal.Zero
		if r.countsSending() {
			paid = paid.Add(dec(terms.Delivery[1].Costs))
		}
		if r.MinMargin != nil {
			margin = *r.MinMargin
		}
		one := decimal.NewFromInt(1)
		floor := paid.Mul(one.Add(margin.Shift(-2))).Mul(one.Add(r.VAT.Shift(-2)))
		if q.Price.LessThan(floor) {
			t.Fatalf("got %s, want %s at least", q.Price, floor)
		}
		if r.Ending != nil && !q.Price.Sub(r.Ending.Decimal).Mod(r.Ending.Step()).IsZero() {
			t.Fatalf("got %s, want the ending %s", q.Price, r.Ending)
		}
	})
}
