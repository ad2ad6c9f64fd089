package publication

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

var dec = decimal.RequireFromString

// A ruleText is a price rule as a merchant writes it; empty is the default.
type ruleText struct {
	base, markup, add, vat, ending, margin, msrpVAT, noMSRP, tiers, categories string
	shipping                                                                   ShippingCosts
	whole                                                                      bool
}

func (x ruleText) rule(t testing.TB) PriceRule {
	t.Helper()
	r := PriceRule{
		Base: cmp.Or(x.base, BaseMSRP), NetMSRP: x.msrpVAT == "excluded", Shipping: x.shipping, Country: "nl", Whole: x.whole,
	}
	if x.noMSRP != "" {
		r.NoMSRP = new(dec(x.noMSRP))
	}
	for into, s := range map[*decimal.Decimal]string{&r.Markup: x.markup, &r.Add: x.add, &r.VAT: x.vat} {
		if s != "" {
			*into = dec(s)
		}
	}
	if x.margin != "" {
		r.MinMargin = new(dec(x.margin))
	}
	var wrong [3]error
	if x.ending != "" {
		r.Ending, wrong[0] = ParseEnding(x.ending)
	}
	if x.tiers != "" {
		r.Tiers, wrong[1] = ParseTiers(x.tiers)
	}
	if x.categories != "" {
		r.Categories, wrong[2] = ParseCategoryMarkups(x.categories)
	}
	if err := errors.Join(wrong[:]...); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestQuote(t *testing.T) {
	const tiers = "0-10:120%,10-50:80%,50-:50%"
	for _, tt := range []struct {
		name       string
		rule       ruleText
		cost, msrp string
		want       string
		floor      string
	}{
		{"msrp as it is", ruleText{}, "10.00", "19.95", "19.95", "10"},
		{"msrp without cost", ruleText{}, "", "19.95", "19.95", "0"},
		{"cost, whatever the msrp says", ruleText{base: BaseCost}, "10.00", "n/a", "10.00", "10"},
		{"cost, markup and VAT", ruleText{base: BaseCost, markup: "60", vat: "21"}, "10.00", "", "19.36", "12.1"},
		{
			"cost, markup, VAT and an amount behind the VAT",
			ruleText{base: BaseCost, markup: "60", vat: "21", add: "1.50"},
			"10.00", "", "20.86", "12.1",
		},
		{"a markup below nothing is a discount", ruleText{markup: "-10"}, "5", "20", "18.00", "5"},
		{"a discount below the cost stops at the floor", ruleText{markup: "-90"}, "5", "20", "5.00", "5"},

		{"an msrp includes VAT", ruleText{vat: "21", ending: ".95"}, "7.50", "17.95", "17.95", "9.08"},
		{"an msrp without VAT", ruleText{vat: "21", msrpVAT: "excluded"}, "7.50", "17.95", "21.72", "9.08"},
		{"whose cost with VAT is above it", ruleText{vat: "21"}, "16.00", "17.95", "19.36", "19.36"},
		{"no msrp, made from the cost", ruleText{vat: "21", noMSRP: "50", markup: "7"}, "10", "", "18.15", "12.1"},
		{"an msrp of nothing, made from the cost", ruleText{vat: "21", noMSRP: "0", add: "1"}, "10", "0.00", "13.10", "12.1"},
		{"no msrp, with a margin", ruleText{noMSRP: "0", margin: "30"}, "10", " ", "13.00", "13"},
		{"cost has one markup, msrp or not", ruleText{base: BaseCost, noMSRP: "50"}, "10", "", "10.00", "10"},

		{"half a cent goes up", ruleText{base: BaseCost, markup: "0.05"}, "10", "", "10.01", "10"},
		{
			"less than half goes down, and not below the floor",
			ruleText{base: BaseCost, vat: "21"},
			"10.01", "", "12.12",
			"12.12",
		},
		{"three places of an msrp", ruleText{}, "", "19.954", "19.95", "0"},

		{"floor with VAT", ruleText{vat: "21", markup: "-50"}, "25.00", "30", "30.25", "30.25"},
		{"floor with a margin and VAT", ruleText{margin: "30", vat: "21"}, "10.00", "11", "15.73", "15.73"},
		{"floor rounds up", ruleText{margin: "33.33"}, "10.01", "11", "13.35", "13.35"},
		{"a margin of nothing", ruleText{margin: "0"}, "10.00", "9", "10.00", "10"},

		{".95 below", ruleText{ending: ".95"}, "", "19.10", "19.95", "0"},
		{".95 met", ruleText{ending: ".95"}, "", "19.95", "19.95", "0"},
		{".95 just missed", ruleText{ending: ".95"}, "", "19.96", "20.95", "0"},
		{"0.95 is .95", ruleText{ending: "0.95"}, "", "19.96", "20.95", "0"},
		{".00 met", ruleText{ending: ".00"}, "", "19", "19.00", "0"},
		{".00 of a small price is not nothing", ruleText{ending: ".00"}, "", "0.01", "1.00", "0"},
		{"9.95", ruleText{ending: "9.95"}, "", "10.00", "19.95", "0"},
		{"99.00", ruleText{ending: "99.00"}, "", "100", "199.00", "0"},
		{"the ending is up from the floor too", ruleText{ending: ".95", margin: "30"}, "10", "11", "13.95", "13"},

		{"spaces around a figure", ruleText{}, " 10 ", "\t19.95\n", "19.95", "10"},
		{"an exponent", ruleText{}, "1e1", "2E1", "20.00", "10"},
		{"the largest amount", ruleText{}, "", "999999999999", "999999999999.00", "0"},

		{"the first tier", ruleText{base: BaseCost, tiers: tiers}, "9.99", "", "21.98", "9.99"},
		{"a bound belongs to the tier above", ruleText{base: BaseCost, tiers: tiers}, "10", "", "18.00", "10"},
		{"the last tier", ruleText{base: BaseCost, tiers: tiers}, "100", "", "150.00", "100"},
		{"a tier is by the base before VAT", ruleText{base: BaseCost, vat: "21", tiers: tiers}, "9", "", "23.96", "10.89"},
		{"an msrp is compared without its VAT", ruleText{vat: "21", tiers: "0-10:10%,10-:0%"}, "1", "12.09", "13.30", "1.21"},
		{
			"a tier takes the place of the markup",
			ruleText{base: BaseCost, markup: "7", tiers: tiers},
			"20", "", "36.00", "20",
		},
		{"no tier for what replaces an msrp", ruleText{noMSRP: "50", tiers: "0-:10%"}, "10", "", "15.00", "10"},

		{"a category's markup", ruleText{base: BaseCost, categories: "FASHION=80%"}, "10", "", "18.00", "10"},
		{
			"a category's markup that is added",
			ruleText{base: BaseCost, markup: "30", categories: "FASHION=+10%"},
			"10", "", "14.00", "10",
		},
		{"and taken away", ruleText{base: BaseCost, markup: "30", categories: "FASHION=-10%"}, "10", "", "12.00", "10"},
		{
			"the deepest branch",
			ruleText{base: BaseCost, categories: "FASHION/SHOES=80%; FASHION=20%; FASHION_SHOES_BOOTS=90%"},
			"10", "", "19.00", "10",
		},
		{"another branch", ruleText{base: BaseCost, categories: "FASHION/HATS=80%"}, "10", "", "10.00", "10"},
		{
			"a category is added to a tier",
			ruleText{base: BaseCost, tiers: tiers, categories: "fashion / shoes=+10%"},
			"20", "", "38.00", "20",
		},
		{"or takes its place", ruleText{base: BaseCost, tiers: tiers, categories: "FASHION=10%"}, "20", "", "22.00", "20"},
		{
			"what replaces an msrp has what is added",
			ruleText{noMSRP: "50", categories: "FASHION=+10%"},
			"10", "", "16.00", "10",
		},
		{"and nothing in the place of its own", ruleText{noMSRP: "50", categories: "FASHION=10%"}, "10", "", "15.00", "10"},

		{"costs in the price", ruleText{base: BaseCost, shipping: ShippingAdd}, "10", "", "15.00", "15"},
		{"sent with VAT", ruleText{base: BaseCost, vat: "21", shipping: ShippingAdd}, "10", "", "18.15", "18.15"},
		{"costs beside an msrp", ruleText{shipping: ShippingAdd}, "10", "20", "25.00", "15"},
		{
			"costs are added before the price is rounded",
			ruleText{markup: "10", vat: "7.1", shipping: ShippingAdd},
			"10", "14.95", "21.80", "16.07",
		},
		{"costs in the floor, and the price above it", ruleText{shipping: ShippingFloor}, "10", "20", "20.00", "15"},
		{"costs in the floor", ruleText{base: BaseCost, vat: "21", shipping: ShippingFloor}, "10", "", "18.15", "18.15"},
		{
			"the margin counts for the costs too",
			ruleText{base: BaseCost, margin: "20", shipping: ShippingAdd},
			"10", "", "18.00", "18",
		},
		{"costs left out", ruleText{base: BaseCost, shipping: ShippingOff}, "10", "", "10.00", "10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := tt.rule.rule(t).For(shoes()).Quote(tt.cost, tt.msrp)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Price.StringFixed(2); got != tt.want || !q.Floor.Equal(dec(tt.floor)) {
				t.Errorf("price %s, floor %s, want %s, %s\n%s", got, q.Floor, tt.want, tt.floor, strings.Join(q.Steps, "\n"))
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
		{"a shop without fractions", ruleText{whole: true}, "1", "19.96", []string{
			"the msrp includes VAT and is not taxed again", "msrp 19.96 × (1 + 0 %) + 0 = 19.96",
			"up to a whole amount, as the shop takes no fractions = 20.00",
		}},
		{"no msrp", ruleText{vat: "21", noMSRP: "50"}, "10", "", []string{
			"it has no msrp, so that its price is made from its cost", "cost 10 × (1 + 50 %) × (1 + 21 % VAT) + 0 = " +
				"18.15",
		}},
		{
			"every term", ruleText{
				base: BaseCost, vat: "21", margin: "100", tiers: "0-10:120%,10-:80%", categories: "FASHION=+10%",
				shipping: ShippingAdd,
			}, "20.00", "", []string{
				"the tier of a base of 10- before VAT has a markup of 80 %",
				"the category FASHION adds 10 % to the markup of 80 %",
				"cost 20 × (1 + 90 %) × (1 + 21 % VAT) + 0 = 45.98",
				"fixed costs of sending to nl 5 × (1 + 21 % VAT) on top = 52.03",
				"raised to the floor, (cost 20 + fixed costs of sending to nl 5) × (1 + 100 %) × (1 + 21 % VAT) = 60.50",
			},
		},
	} {
		q, err := tt.rule.rule(t).For(shoes()).Quote(tt.cost, tt.msrp)
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
		{"neither msrp nor cost", ruleText{noMSRP: "0"}, "0", "", "it has no cost to make a price from"},
		{"garbage for an msrp is no missing one", ruleText{noMSRP: "0"}, "10", "n/a", "its msrp is not a price"},
		{"garbage for the cost in its place", ruleText{noMSRP: "0"}, "n/a", "", "its cost is not a price"},
		{"a currency", ruleText{}, "10", "€ 20", "its msrp is not a price"},
		{"a comma", ruleText{}, "10", "19,95", "its msrp is not a price"},
		{"not a number", ruleText{}, "10", "NaN", "its msrp is not a price"},
		{"negative msrp", ruleText{}, "10", "-19.95", "its msrp is not a price"},
		{"garbage for a cost, which could hide a floor", ruleText{}, "?", "19.95", "its cost is not a price"},
		{"a billion noughts", ruleText{}, "10", "1e999999999", "its msrp is not a price"},
		{"a million millions", ruleText{}, "10", "1000000000000", "its msrp is not a price"},
		{"a long tail", ruleText{}, "10", "1." + strings.Repeat("0", 40), "its msrp is not a price"},
		{"an endless figure", ruleText{}, "10", strings.Repeat("9", 1<<20), "its msrp is not a price"},
		{"a margin without a cost", ruleText{margin: "30"}, "", "19.95", "its cost is not known, so the margin " +
			"cannot be kept"},
		{"a discount of everything", ruleText{markup: "-100"}, "", "19.95", "its price would not be above zero"},
		{"a deduction of more than the price", ruleText{add: "-20"}, "", "19.95", "its price would not be above zero"},
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
	for in, want := range map[string]string{
		"10.00": "10.00", "0.00": "0.00", " 10.5 ": "10.5", "1e2": "100", "+5": "5", ".5": "0.5", "5.": "5", "": "",
		"-5": "", "<b>5</b>": "", "1e999999999": "",
	} {
		if got := amountText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
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
		r.NoMSRP = new(percent.Draw(t, "markup without msrp"))
	}
	if rapid.Bool().Draw(t, "with margin") {
		r.MinMargin = new(percent.Draw(t, "margin"))
	}
	endings := []string{"", ".95", ".99", ".00", ".5", "9.95", "99.00", "4.99"}
	if s := rapid.SampledFrom(endings).Draw(t, "ending"); s != "" {
		ending, err := ParseEnding(s)
		if err != nil {
			t.Fatal(err)
		}
		r.Ending = ending
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
			step = r.Ending.Step()
			if !q.Price.Sub(r.Ending.Decimal).Mod(step).IsZero() {
				t.Fatalf("got %s, want the ending %s", q.Price, r.Ending)
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
