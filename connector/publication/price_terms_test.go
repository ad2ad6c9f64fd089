package publication

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

// termed is a rule with tiers, categories and shipping as a merchant writes them.
type termed struct {
	ruleText
	tiers, categories string
	shipping          ShippingCosts
}

func (x termed) rule(t testing.TB) PriceRule {
	t.Helper()
	r := x.ruleText.rule(t)
	r.Shipping, r.Country = x.shipping, "nl"
	var err error
	if x.tiers != "" {
		if r.Tiers, err = ParseTiers(x.tiers); err != nil {
			t.Fatal(err)
		}
	}
	if x.categories != "" {
		if r.Categories, err = ParseCategoryMarkups(x.categories); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

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

func TestQuoteByTerms(t *testing.T) {
	const tiers = "0-10:120%,10-50:80%,50-:50%"
	cost := ruleText{base: BaseCost}
	taxed := ruleText{base: BaseCost, vat: "21"}
	for _, tt := range []struct {
		name       string
		rule       termed
		cost, msrp string
		want       string
		floor      string
	}{
		{"the first tier", termed{ruleText: cost, tiers: tiers}, "9.99", "", "21.98", "9.99"},
		{"a bound belongs to the tier above", termed{ruleText: cost, tiers: tiers}, "10", "", "18.00", "10"},
		{"the last tier", termed{ruleText: cost, tiers: tiers}, "100", "", "150.00", "100"},
		{"a tier is by the base before VAT", termed{ruleText: taxed, tiers: tiers}, "9", "", "23.96", "10.89"},
		{
			"an msrp is compared without its VAT",
			termed{ruleText: ruleText{vat: "21"}, tiers: "0-10:10%,10-:0%"},
			"1", "12.09", "13.30", "1.21",
		},
		{
			"a tier takes the place of the markup",
			termed{ruleText: ruleText{base: BaseCost, markup: "7"}, tiers: tiers},
			"20", "", "36.00", "20",
		},
		{
			"no tier for what replaces an msrp",
			termed{ruleText: ruleText{noMSRP: "50"}, tiers: "0-:10%"},
			"10", "", "15.00", "10",
		},

		{"a category's markup", termed{ruleText: cost, categories: "FASHION=80%"}, "10", "", "18.00", "10"},
		{
			"a category's markup that is added",
			termed{ruleText: ruleText{base: BaseCost, markup: "30"}, categories: "FASHION=+10%"},
			"10", "", "14.00", "10",
		},
		{
			"and taken away",
			termed{ruleText: ruleText{base: BaseCost, markup: "30"}, categories: "FASHION=-10%"},
			"10", "", "12.00", "10",
		},
		{
			"the deepest branch",
			termed{ruleText: cost, categories: "FASHION/SHOES=80%; FASHION=20%; FASHION_SHOES_BOOTS=90%"},
			"10", "", "19.00", "10",
		},
		{"another branch", termed{ruleText: cost, categories: "FASHION/HATS=80%"}, "10", "", "10.00", "10"},
		{
			"a category is added to a tier",
			termed{ruleText: cost, tiers: tiers, categories: "fashion / shoes=+10%"},
			"20", "", "38.00", "20",
		},
		{
			"or takes its place",
			termed{ruleText: cost, tiers: tiers, categories: "FASHION=10%"},
			"20", "", "22.00", "20",
		},
		{
			"what replaces an msrp has what is added",
			termed{ruleText: ruleText{noMSRP: "50"}, categories: "FASHION=+10%"},
			"10", "", "16.00", "10",
		},
		{
			"and nothing in the place of its own",
			termed{ruleText: ruleText{noMSRP: "50"}, categories: "FASHION=10%"},
			"10", "", "15.00", "10",
		},

		{"costs in the price", termed{ruleText: cost, shipping: ShippingAdd}, "10", "", "15.00", "15"},
		{"costs in the price, with VAT", termed{ruleText: taxed, shipping: ShippingAdd}, "10", "", "18.15", "18.15"},
		{"costs beside an msrp", termed{shipping: ShippingAdd}, "10", "20", "25.00", "15"},
		{"costs in the floor, and the price above it", termed{shipping: ShippingFloor}, "10", "20", "20.00", "15"},
		{"costs in the floor alone", termed{ruleText: taxed, shipping: ShippingFloor}, "10", "", "18.15", "18.15"},
		{
			"the margin counts for the costs too",
			termed{ruleText: ruleText{base: BaseCost, margin: "20"}, shipping: ShippingAdd},
			"10", "", "18.00", "18",
		},
		{"costs left out", termed{ruleText: cost, shipping: ShippingOff}, "10", "", "10.00", "10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := tt.rule.rule(t).For(shoes()).Quote(tt.cost, tt.msrp)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Price.StringFixed(2); got != tt.want {
				t.Errorf("price %s, want %s\n%s", got, tt.want, strings.Join(q.Steps, "\n"))
			}
			if !q.Floor.Equal(dec(t, tt.floor)) {
				t.Errorf("floor %s, want %s", q.Floor, tt.floor)
			}
			if last := q.Steps[len(q.Steps)-1]; !strings.HasSuffix(last, " = "+tt.want) {
				t.Errorf("the last step does not come to the price %s: %s", tt.want, last)
			}
		})
	}
}

// Each figure is told in the words of the settings.
func TestStepsByTerms(t *testing.T) {
	x := termed{
		ruleText: ruleText{base: BaseCost, vat: "21", margin: "100"}, tiers: "0-10:120%,10-:80%",
		categories: "FASHION=+10%", shipping: ShippingAdd,
	}
	q, err := x.rule(t).For(shoes()).Quote("20.00", "")
	if err != nil {
		t.Fatal(err)
	}
	want := "the tier of a base of 10- before VAT has a markup of 80 %; " +
		"the category FASHION adds 10 % to the markup of 80 %; " +
		"cost 20 × (1 + 90 %) × (1 + 21 % VAT) + 0 = 45.98; " +
		"fixed costs of sending to nl 5 × (1 + 21 % VAT) on top = 52.03; " +
		"raised to the floor, (cost 20 + fixed costs of sending to nl 5) × (1 + 100 %) × (1 + 21 % VAT) = 60.50"
	if got := strings.Join(q.Steps, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
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
			paid = paid.Add(dec2(t, terms.Delivery[1].Costs))
		}
		if r.MinMargin != nil {
			margin = *r.MinMargin
		}
		one := decimal.NewFromInt(1)
		floor := paid.Mul(one.Add(margin.Shift(-2))).Mul(one.Add(r.VAT.Shift(-2)))
		if q.Price.LessThan(floor) {
			t.Fatalf("got %s, want %s at least", q.Price, floor)
		}
		if r.Ending != nil && !q.Price.Sub(r.Ending.Fraction).Mod(r.Ending.Step).IsZero() {
			t.Fatalf("got %s, want the ending %s", q.Price, r.Ending.Fraction)
		}
	})
}

func dec2(t *rapid.T, s string) decimal.Decimal {
	d, err := decimal.NewFromString(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
