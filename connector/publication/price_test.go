package publication

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

func dec(t testing.TB, s string) decimal.Decimal {
	t.Helper()
	d, err := decimal.NewFromString(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return d
}

// A ruleText is a price rule as a merchant writes it; empty is the default.
type ruleText struct{ base, markup, add, vat, ending, margin, msrpVAT, noMSRP string }

func (x ruleText) rule(t testing.TB) PriceRule {
	t.Helper()
	r := PriceRule{Base: BaseMSRP, NetMSRP: x.msrpVAT == "excluded"}
	if x.base != "" {
		r.Base = x.base
	}
	if x.noMSRP != "" {
		m := dec(t, x.noMSRP)
		r.NoMSRP = &m
	}
	for into, s := range map[*decimal.Decimal]string{&r.Markup: x.markup, &r.Add: x.add, &r.VAT: x.vat} {
		if s != "" {
			*into = dec(t, s)
		}
	}
	if x.margin != "" {
		m := dec(t, x.margin)
		r.MinMargin = &m
	}
	if x.ending != "" {
		ending, err := ParseEnding(x.ending)
		if err != nil {
			t.Fatalf("ending %q: %v", x.ending, err)
		}
		r.Ending = &ending
	}
	return r
}

func TestQuote(t *testing.T) {
	for _, tt := range []struct {
		name       string
		rule       ruleText
		cost, msrp string
		want       string
		floor      string
	}{
		{"msrp as it is", ruleText{}, "10.00", "19.95", "19.95", "10"},
		{"msrp without cents", ruleText{}, "10", "20", "20.00", "10"},
		{"msrp without cost", ruleText{}, "", "19.95", "19.95", "0"},
		{"msrp with a cost of nothing", ruleText{}, "0.00", "19.95", "19.95", "0"},
		{"cost as it is", ruleText{base: BaseCost}, "10.00", "", "10.00", "10"},
		{"cost, whatever the msrp says", ruleText{base: BaseCost}, "10.00", "n/a", "10.00", "10"},
		{"cost and markup", ruleText{base: BaseCost, markup: "60"}, "10.00", "99", "16.00", "10"},
		{"cost, markup and VAT", ruleText{base: BaseCost, markup: "60", vat: "21"}, "10.00", "", "19.36", "12.1"},
		{
			"cost, markup, VAT and an amount behind the VAT",
			ruleText{base: BaseCost, markup: "60", vat: "21", add: "1.50"},
			"10.00", "", "20.86", "12.1",
		},
		{"a markup below nothing is a discount", ruleText{markup: "-10"}, "5", "20", "18.00", "5"},
		{"a discount below the cost stops at the floor", ruleText{markup: "-90"}, "5", "20", "5.00", "5"},
		{"a percentage with a fraction", ruleText{base: BaseCost, vat: "5.5"}, "10", "", "10.55", "10.55"},

		{"an msrp includes VAT", ruleText{vat: "21", ending: ".95"}, "7.50", "17.95", "17.95", "9.08"},
		{"and has the markup and the amount", ruleText{vat: "21", markup: "10", add: "1"}, "7.50", "20", "23.00", "9.08"},
		{"an msrp without VAT", ruleText{vat: "21", msrpVAT: "excluded"}, "7.50", "17.95", "21.72", "9.08"},
		{"whose cost with VAT is above it", ruleText{vat: "21"}, "16.00", "17.95", "19.36", "19.36"},
		{"no msrp, made from the cost", ruleText{vat: "21", noMSRP: "50", markup: "7"}, "10", "", "18.15", "12.1"},
		{"an msrp of nothing, made from the cost", ruleText{vat: "21", noMSRP: "0", add: "1"}, "10", "0.00", "13.10", "12.1"},
		{"no msrp, with a margin", ruleText{noMSRP: "0", margin: "30"}, "10", " ", "13.00", "13"},
		{"an msrp that is there is the base", ruleText{noMSRP: "50"}, "10", "19.95", "19.95", "10"},
		{"cost has one markup, msrp or not", ruleText{base: BaseCost, noMSRP: "50"}, "10", "", "10.00", "10"},

		{"half a cent goes up", ruleText{base: BaseCost, markup: "0.05"}, "10", "", "10.01", "10"},
		{
			"less than half goes down, and not below the floor",
			ruleText{base: BaseCost, vat: "21"},
			"10.01", "", "12.12",
			"12.12",
		},
		{"three places of an msrp", ruleText{}, "", "19.954", "19.95", "0"},

		{"floor is the cost", ruleText{}, "25.00", "19.95", "25.00", "25"},
		{"floor with VAT", ruleText{vat: "21", markup: "-50"}, "25.00", "30", "30.25", "30.25"},
		{"floor with a margin", ruleText{margin: "30"}, "10.00", "11", "13.00", "13"},
		{"floor with a margin and VAT", ruleText{margin: "30", vat: "21"}, "10.00", "11", "15.73", "15.73"},
		{"floor rounds up", ruleText{margin: "33.33"}, "10.01", "11", "13.35", "13.35"},
		{"a margin of nothing", ruleText{margin: "0"}, "10.00", "9", "10.00", "10"},
		{"a margin that is kept anyway", ruleText{margin: "30"}, "10.00", "20", "20.00", "13"},

		{".95 below", ruleText{ending: ".95"}, "", "19.10", "19.95", "0"},
		{".95 met", ruleText{ending: ".95"}, "", "19.95", "19.95", "0"},
		{".95 just missed", ruleText{ending: ".95"}, "", "19.96", "20.95", "0"},
		{".95 from a small price", ruleText{ending: ".95"}, "", "0.10", "0.95", "0"},
		{"0.95 is .95", ruleText{ending: "0.95"}, "", "19.96", "20.95", "0"},
		{".99", ruleText{ending: ".99"}, "", "19.00", "19.99", "0"},
		{".00", ruleText{ending: ".00"}, "", "19.01", "20.00", "0"},
		{".00 met", ruleText{ending: ".00"}, "", "19", "19.00", "0"},
		{".00 of a small price is not nothing", ruleText{ending: ".00"}, "", "0.01", "1.00", "0"},
		{".5 is .50", ruleText{ending: ".5"}, "", "19.51", "20.50", "0"},
		{"9.95", ruleText{ending: "9.95"}, "", "10.00", "19.95", "0"},
		{"9.95 met", ruleText{ending: "9.95"}, "", "29.95", "29.95", "0"},
		{"9.95 from a small price", ruleText{ending: "9.95"}, "", "1", "9.95", "0"},
		{"99.", ruleText{ending: "99."}, "", "100", "199.00", "0"},
		{"with a comma", ruleText{ending: "9,95"}, "", "10.00", "19.95", "0"},
		{"the ending is up from the floor too", ruleText{ending: ".95", margin: "30"}, "10", "11", "13.95", "13"},
		{"a floor that has the ending stays", ruleText{ending: ".00"}, "13.00", "11", "13.00", "13"},

		{"spaces around a figure", ruleText{}, " 10 ", "\t19.95\n", "19.95", "10"},
		{"an exponent", ruleText{}, "1e1", "2E1", "20.00", "10"},
		{"the largest amount", ruleText{}, "", "999999999999", "999999999999.00", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := tt.rule.rule(t).For(store.Terms{}).Quote(tt.cost, tt.msrp)
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

func TestQuoteSteps(t *testing.T) {
	for _, tt := range []struct {
		name       string
		rule       ruleText
		cost, msrp string
		want       []string
	}{
		{
			"every step", ruleText{
				base: BaseCost, markup: "5", vat: "21", add: "0.10", ending: ".95",
				margin: "30",
			}, "10.00", "", []string{
				"cost 10 × (1 + 5 %) × (1 + 21 % VAT) + 0.1 = 12.81",
				"raised to the floor, cost 10 × (1 + 30 %) × (1 + 21 % VAT) = 15.73",
				"up to the next ending 0.95 = 15.95",
			},
		},
		{"an msrp with VAT in it", ruleText{vat: "21"}, "7.50", "17.95", []string{
			"the msrp includes VAT and is not taxed again", "msrp 17.95 × (1 + 0 %) + 0 = 17.95",
		}},
		{"an msrp without VAT", ruleText{vat: "21", msrpVAT: "excluded"}, "7.50", "17.95", []string{
			"the msrp is without VAT", "msrp 17.95 × (1 + 0 %) × (1 + 21 % VAT) + 0 = 21.72",
		}},
		{"no msrp", ruleText{vat: "21", noMSRP: "50"}, "10", "", []string{
			"it has no msrp, so that its price is made from its cost", "cost 10 × (1 + 50 %) × (1 + 21 % VAT) + 0 = " +
				"18.15",
		}},
	} {
		q, err := tt.rule.rule(t).For(store.Terms{}).Quote(tt.cost, tt.msrp)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got, want := strings.Join(q.Steps, "\n"), strings.Join(tt.want, "\n"); got != want {
			t.Errorf("%s: steps\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestQuoteRefuses(t *testing.T) {
	for _, tt := range []struct {
		name       string
		rule       ruleText
		cost, msrp string
		want       string
	}{
		{"no msrp", ruleText{}, "10", "", "it has no msrp to make a price from (PUBSYNC_PRICE_NO_MSRP=cost makes it " +
			"from the cost)"},
		{"an msrp of nothing", ruleText{}, "10", "0.00", "it has no msrp to make a price from " +
			"(PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)"},
		{"an msrp of spaces", ruleText{}, "10", "  ", "it has no msrp to make a price from " +
			"(PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)"},
		{"neither msrp nor cost", ruleText{noMSRP: "0"}, "0", "", "it has neither an msrp nor a cost to make a price " +
			"from"},
		{"garbage for an msrp is no missing one", ruleText{noMSRP: "0"}, "10", "n/a", "its msrp is not a price"},
		{"garbage for the cost in its place", ruleText{noMSRP: "0"}, "n/a", "", "its cost is not a price"},
		{"no cost", ruleText{base: BaseCost}, "", "10", "it has no cost to make a price from"},
		{"garbage for an msrp", ruleText{}, "10", "twenty", "its msrp is not a price"},
		{"a currency", ruleText{}, "10", "€ 20", "its msrp is not a price"},
		{"a comma", ruleText{}, "10", "19,95", "its msrp is not a price"},
		{"not a number", ruleText{}, "10", "NaN", "its msrp is not a price"},
		{"infinity", ruleText{}, "10", "Inf", "its msrp is not a price"},
		{"negative msrp", ruleText{}, "10", "-19.95", "its msrp is not a price"},
		{"negative cost", ruleText{}, "-10", "19.95", "its cost is not a price"},
		{"negative cost as base", ruleText{base: BaseCost}, "-10", "", "its cost is not a price"},
		{"garbage for a cost, which could hide a floor", ruleText{}, "?", "19.95", "its cost is not a price"},
		{"a billion noughts", ruleText{}, "10", "1e999999999", "its msrp is not a price"},
		{"a billion noughts behind the point", ruleText{}, "10", "1e-999999999", "its msrp is not a price"},
		{"an exponent out of any range", ruleText{}, "10", "1e99999999999999999999", "its msrp is not a price"},
		{"a million millions", ruleText{}, "10", "1000000000000", "its msrp is not a price"},
		{"the same with an exponent", ruleText{}, "10", "1e12", "its msrp is not a price"},
		{"twenty digits", ruleText{}, "10", "99999999999999999999", "its msrp is not a price"},
		{"a long tail", ruleText{}, "10", "1." + strings.Repeat("0", 40), "its msrp is not a price"},
		{"an endless figure", ruleText{}, "10", strings.Repeat("9", 1<<20), "its msrp is not a price"},
		{"a margin without a cost", ruleText{margin: "30"}, "", "19.95", "its cost is not known, so the margin " +
			"cannot be kept"},
		{"a margin with a cost of nothing", ruleText{margin: "30"}, "0", "19.95", "its cost is not known, so the " +
			"margin cannot be kept"},
		{"a discount of everything", ruleText{markup: "-100"}, "", "19.95", "its price would not be above zero"},
		{"a deduction of more than the price", ruleText{add: "-20"}, "", "19.95", "its price would not be above zero"},
		{"the same with an ending", ruleText{add: "-20", ending: ".95"}, "", "19.95", "its price would not be above " +
			"zero"},
		{"less than a cent", ruleText{}, "", "0.004", "its price would not be above zero"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := tt.rule.rule(t).For(store.Terms{}).Quote(tt.cost, tt.msrp)
			if err == nil {
				t.Fatalf("priced at %s, want %q", q.Price, tt.want)
			}
			if err.Error() != tt.want {
				t.Errorf("%q, want %q", err, tt.want)
			}
		})
	}
}

func TestAmountText(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"10.00", "10.00"},
		{"10", "10"},
		{"0.00", "0.00"},
		{" 10.5 ", "10.5"},
		{"1e2", "100"},
		{"+5", "5"},
		{".5", "0.5"},
		{"5.", "5"},
		{"", ""},
		{"-5", ""},
		{"n/a", ""},
		{"<b>5</b>", ""},
		{"1e999999999", ""},
	} {
		if got := amountText(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// amounts draws an amount with two places.
func amounts(most int64) *rapid.Generator[decimal.Decimal] {
	return rapid.Custom(
		func(t *rapid.T) decimal.Decimal { return decimal.New(rapid.Int64Range(1, most).Draw(t, "cents"), -2) },
	)
}

// drawRule draws a rule without a deduction, under which every amount has a price.
func drawRule(t *rapid.T) PriceRule {
	percent := rapid.Custom(func(t *rapid.T) decimal.Decimal {
		return decimal.New(rapid.Int64Range(0, 30000).Draw(t, "hundredths"), -2)
	})
	r := PriceRule{
		Base:   rapid.SampledFrom([]string{BaseMSRP, BaseCost}).Draw(t, "base"),
		Markup: percent.Draw(t, "markup"), VAT: percent.Draw(t, "vat"),
		Add: amounts(5000).Draw(t, "add"),
	}
	r.NetMSRP = rapid.Bool().Draw(t, "msrp without VAT")
	if rapid.Bool().Draw(t, "without msrp from the cost") {
		m := percent.Draw(t, "markup without msrp")
		r.NoMSRP = &m
	}
	if rapid.Bool().Draw(t, "with margin") {
		m := percent.Draw(t, "margin")
		r.MinMargin = &m
	}
	if s := rapid.SampledFrom([]string{"", ".95", ".99", ".00", ".5", "9.95", "99.", "4.99"}).Draw(t, "ending"); s != "" {
		ending, err := ParseEnding(s)
		if err != nil {
			t.Fatal(err)
		}
		r.Ending = &ending
	}
	return r
}

func mustQuote(t *rapid.T, p *Pricer, cost, msrp decimal.Decimal) Quote {
	t.Helper()
	q, err := p.Quote(cost.String(), msrp.String())
	if err != nil {
		t.Fatalf("cost %s, msrp %s: %v", cost, msrp, err)
	}
	return q
}

func TestQuoteKeepsTheFloorAndTheEnding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, cost, msrp := drawRule(t), amounts(1_000_000).Draw(t, "cost"), amounts(1_000_000).Draw(t, "msrp")
		q := mustQuote(t, r.For(store.Terms{}), cost, msrp)

		one, margin := decimal.NewFromInt(1), decimal.Zero
		if r.MinMargin != nil {
			margin = *r.MinMargin
		}
		vat := one.Add(r.VAT.Shift(-2))
		floor := cost.Mul(one.Add(margin.Shift(-2))).Mul(vat)
		base, taxed := msrp, one
		if r.Base == BaseCost {
			base = cost
		}
		if r.Base == BaseCost || r.NetMSRP {
			taxed = vat
		}
		asked := decimal.Max(base.Mul(one.Add(r.Markup.Shift(-2))).Mul(taxed).Add(r.Add).Round(2), floor)
		if q.Price.LessThan(floor) {
			t.Fatalf("got %s, want the floor %s at least", q.Price, floor)
		}
		if !q.Price.Equal(q.Price.Round(2)) {
			t.Fatalf("got %s, want whole cents", q.Price)
		}
		step := decimal.New(1, -2) // between two prices that the rule may give
		if r.Ending != nil {
			step = r.Ending.Step
			if !q.Price.Sub(r.Ending.Fraction).Mod(r.Ending.Step).IsZero() {
				t.Fatalf("got %s, want the ending %s", q.Price, r.Ending.Fraction)
			}
		}
		if q.Price.LessThan(asked) {
			t.Fatalf("got %s, want %s at least", q.Price, asked)
		}
		if below := q.Price.Sub(step); below.IsPositive() && below.GreaterThanOrEqual(asked) {
			t.Fatalf("got %s, want %s, the least with this ending from %s", q.Price, below, asked)
		}
	})
}

func TestQuoteIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, cost, msrp := drawRule(t), amounts(1_000_000).Draw(t, "cost"), amounts(1_000_000).Draw(t, "msrp")
		q := mustQuote(t, r.For(store.Terms{}), cost, msrp)
		dearer, higher := cost.Add(amounts(1000).Draw(t, "more cost")), msrp.Add(amounts(1000).Draw(t, "more msrp"))
		more := mustQuote(t, r.For(store.Terms{}), dearer, higher)
		if more.Price.LessThan(q.Price) {
			t.Fatalf("a dearer supplier: got %s, want %s at least", more.Price, q.Price)
		}
	})
}

func TestQuoteTakesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		figure := rapid.OneOf(
			rapid.String(), rapid.StringMatching(`[-+]?[0-9]{0,24}\.?[0-9]{0,24}([eE][-+]?[0-9]{0,12})?`),
		)
		cost, msrp := figure.Draw(t, "cost"), figure.Draw(t, "msrp")
		q, err := drawRule(t).For(store.Terms{}).Quote(cost, msrp)
		if err == nil && !q.Price.IsPositive() {
			t.Fatalf("cost %q, msrp %q: got %s, want a price above zero", cost, msrp, q.Price)
		}
	})
}

// A shop whose currency has no fractions shows whole amounts, none of which is below the sum.
func TestQuoteOfAShopWithoutFractions(t *testing.T) {
	q, err := PriceRule{Whole: true}.For(store.Terms{}).Quote("1", "19.96")
	if err != nil {
		t.Fatal(err)
	}
	steps := q.Steps
	const want = "up to a whole amount, as the shop takes no fractions = 20.00"
	if got := steps[len(steps)-1]; q.Price.StringFixed(2) != "20.00" || got != want {
		t.Errorf("got %s by %q, want 20.00 by %q", q.Price, got, want)
	}
}
