package publication

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// The sums of a price are those that the merchant's settings say, in words and to the cent.
func TestQuote(t *testing.T) {
	for _, tt := range []struct {
		name       string
		rule       PriceRule
		cost, msrp string
		want       string
		last       string // the last step
	}{
		{
			"msrp as it is", PriceRule{}, "10.00", "19.95", "19.95", "msrp 19.95 × (1 + 0 %) + 0 = 19.95",
		},
		{
			"never below cost and VAT",
			PriceRule{VAT: *number("21")},
			"20", "19.95", "24.20",
			"raised to the floor, cost 20 × (1 + 0 %) × (1 + 21 % VAT) = 24.20",
		},
		{
			"an ending goes up",
			PriceRule{Ending: &Ending{*number("0.95"), *number("1")}},
			"1", "19.96", "20.95",
			"up to the next ending 0.95 = 20.95",
		},
		{
			"a shop without fractions",
			PriceRule{Whole: true},
			"1", "19.96", "20.00",
			"up to a whole amount, as the shop takes no fractions = 20.00",
		},
		{
			"no msrp",
			PriceRule{},
			"10", "",
			"it has no msrp to make a price from (PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)", "",
		},
		{"thirteen digits", PriceRule{}, "", "1000000000000", "its msrp is not a price", ""},
		{"a word", PriceRule{}, "", "NaN", "its msrp is not a price", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := tt.rule.For(store.Terms{}).Quote(tt.cost, tt.msrp)
			var got, last string
			if err != nil {
				got = err.Error()
			} else {
				steps := q.Steps()
				got, last = q.Price.StringFixed(2), steps[len(steps)-1]
			}
			if got != tt.want || last != tt.last {
				t.Errorf("got %q by %q, want %q by %q", got, last, tt.want, tt.last)
			}
		})
	}
}

// Any rule makes of any figures what the room of before makes of them, in the same words.
func TestQuoteOracle(t *testing.T) {
	figure := rapid.SampledFrom([]string{
		"", "0", "0.01", "7.5", "10.00", "19.95", "1e3", "-1", "x", "99999999999.99", "1234567890123",
	})
	percent := rapid.SampledFrom([]string{"0", "21", "-50", "120", "0.5"})
	terms := []store.Terms{
		{Known: true},
		{
			Known: true, Branch: []string{"FASHION", "FASHION_SHOES"},
			Delivery: []store.Delivery{{Group: "NL, BE", Costs: "4.95", Days: "2-4"}},
		},
		{Known: true, Branch: []string{"GARDEN"}, Rootless: true, Delivery: []store.Delivery{{Group: "DE", Costs: "9"}}},
	}
	tiers, err := ParseTiers("0-10:120%,10-50:80%,50-:50%")
	if err != nil {
		t.Fatal(err)
	}
	categories, err := ParseCategoryMarkups("FASHION=+10%; FASHION/SHOES=80%; GARDEN=-5%")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) bool { return rapid.Bool().Draw(t, name) }
		r := PriceRule{
			Base: rapid.SampledFrom([]string{BaseMSRP, BaseCost}).Draw(t, "base"), NetMSRP: draw("net"),
			Markup: *number(percent.Draw(t, "markup")), VAT: *number(percent.Draw(t, "VAT")), Country: "NL",
			Shipping: rapid.SampledFrom([]ShippingCosts{ShippingOff, ShippingAdd, ShippingFloor}).Draw(t, "sending"),
		}
		if draw("no msrp") {
			r.NoMSRP = number(percent.Draw(t, "no msrp markup"))
		}
		if draw("margin") {
			r.MinMargin = number(percent.Draw(t, "margin percent"))
		}
		if draw("ending") {
			r.Ending = &Ending{*number("9.95"), *number("10")}
		}
		if draw("tiers") {
			r.Tiers = tiers
		}
		if draw("categories") {
			r.Categories = categories
		}
		of := rapid.SampledFrom(terms).Draw(t, "terms")
		cost, msrp := figure.Draw(t, "cost"), figure.Draw(t, "msrp")
		q, err := r.For(of).Quote(cost, msrp)
		was, wrong := oldRule(r).For(of).Explain(cost, msrp)
		if (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() {
			t.Fatalf("got %v, want %v", err, wrong)
		}
		if err == nil && (!q.Price.Equal(was.Price) || !q.Floor.Equal(was.Floor) || q.Lacks != was.Lacks ||
			!cmp.Equal(q.Steps(), was.Steps)) {
			t.Fatalf("got %s of %q, want %s of %q", q.Price, q.Steps(), was.Price, was.Steps)
		}
	})
}

// What a merchant mistypes is told with what was likely meant, in the words of before.
func TestParse(t *testing.T) {
	for _, s := range []string{
		".95", "0.95", "9.95", "9,95", "95", "995", "12345", "9.", "", "x", ".955", "0-10:120%,10-50:80%,50-:50%",
		"0-10:120%",
		"5-:1%", "0-10:120%,20-:50%", "0-20:1%,10-:2%", "0-:1%,5-:2%", "10-5:3%", "0-:+5%", "0-:5", "0-:2000%", "GARDEN=+10%",
		"GARDEN=+10%; FASHION/SHOES=80%", "garden = -5%", "GARDEN=1%;GARDEN=2%", "GARDEN", "G!=1%", "FASHION/SHOES,GARDEN",
		"FASHION/,X", "GARDEN,GARDEN", ";,", "fashion-shoes",
	} {
		fault := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		ending, err := ParseEnding(s)
		was, mod, wrong := publication.ParseEnding(s)
		if fault(err) != fault(wrong) || err == nil && (!ending.Fraction.Equal(was) || !ending.Step.Equal(mod)) {
			t.Errorf("ending %q: got %v, %v, want %v %v, %v", s, ending, err, was, mod, wrong)
		}
		_, err = ParseTiers(s)
		_, wrong = publication.ParseTiers(s)
		if fault(err) != fault(wrong) {
			t.Errorf("tiers %q: got %v, want %v", s, err, wrong)
		}
		_, err = ParseCategoryMarkups(s)
		_, wrong = publication.ParseCategoryMarkups(s)
		if fault(err) != fault(wrong) {
			t.Errorf("markups %q: got %v, want %v", s, err, wrong)
		}
		_, err = ParseCategories(s)
		_, wrong = publication.ParseCategories(s)
		if fault(err) != fault(wrong) {
			t.Errorf("categories %q: got %v, want %v", s, err, wrong)
		}
	}
}

// A supplier's text can neither run, load nor break out of a shop's page.
func TestSanitize(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text in lines", "A lamp.\nE27.\r\nNew.", "A lamp.<br/>\nE27.<br/>\nNew."},
		{"signs", "R&D: 3 < 5 \"so\"", "R&amp;D: 3 &lt; 5 &#34;so&#34;"},
		{"formatting stays", "<P>A <B>red</B> lamp</P>", "<p>A <b>red</b> lamp</p>"},
		{"a list is closed", "<ul><li>one<li>two</ul>", "<ul><li>one</li><li>two</li></ul>"},
		{"a script", "<p>a</p><script>alert(1)</script><p onclick=x()>b</p>", "<p>a</p><p>b</p>"},
		{"a shortcode", "[gallery]", "&#91;gallery&#93;"},
		{"a foreign frame and picture", `a<iframe src="//e"></iframe><img src=x onerror=y>b`, "ab"},
		{
			"a link", `<a href="javascript:x()">a</a> <a href="https://e.example/">b</a>`,
			`a <a href="https://e.example/" rel="nofollow">b</a>`,
		},
		{"an entity that hides a control character", "a&#7;b", "ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sanitize(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"<p>", "</p>", "<b>", "</b>", "<ul>", "<li>", "</ul>", "<table>", "<td>", "<script>",
			"<a href=\"javascript:x\">", "text ",
			"&lt;", "&", "[x]", "\n", "<!--", "-->", "<b", "é", "\x00", "<svg>", "<br>",
		}), 0, 20).Draw(t, "parts")
		once := sanitize(strings.Join(parts, ""))
		if again := sanitize(once); again != once {
			t.Fatalf("%q becomes %q", once, again)
		}
		if strings.Contains(once, "<script") || strings.Contains(once, "javascript:") || strings.ContainsAny(once, "[]\x00") {
			t.Fatalf("%q stays", once)
		}
	})
	if deep := sanitize(strings.Repeat("<b><i>", 5000) + "x"); len(deep) > 1<<20 {
		t.Errorf("ten thousand tags become %d bytes", len(deep))
	}
}

// A description is cut where a reader expects it, and never within a tag, an entity or a character.
func TestCut(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"short", "A lamp.", "A lamp."},
		{"after a sentence", "A fine lamp it is. And more follows here", "A fine lamp it is."},
		{"after a paragraph", "<p>A fine lamp</p><p>and much more here", "<p>A fine lamp</p>"},
		{"after a word", "averyveryverylongword and more", "averyveryverylongword…"},
		{"not within a tag", `A fine lamp,it is<a href="https://e.example/">b</a>`, "A fine lamp,it…"},
		{"not within an entity", "aaaaaaaaaaaaaaaaaaaaaa&eacute;", "aaaaaaaaaaaaaaaaaaaaaa"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := cut(tt.in, 25); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"<p>", "</p>", "a. ", "é", "&amp;", "word", " ", "<br/>"})
		text := strings.Join(rapid.SliceOf(part).Draw(t, "text"), "")
		got := cut(text, 40)
		tokens := html.NewTokenizer(strings.NewReader(got))
		for tokens.Next() != html.ErrorToken {
			if strings.Contains(string(tokens.Raw()), "<") && !strings.HasSuffix(string(tokens.Raw()), ">") {
				t.Fatalf("%q is cut within a tag: %q", text, got)
			}
		}
		if len(got) > 40+len("…") {
			t.Fatalf("%q has %d bytes", got, len(got))
		}
	})
}

// A mark that comes counts with the one that waits.
func TestMarkMerge(t *testing.T) {
	now := store.At(time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC))
	hour := store.Instant(time.Hour.Milliseconds())
	for _, tt := range []struct {
		name string
		a, b Mark
		want Mark
	}{
		{
			"a refresh gives way",
			Mark{Class: ClassRefresh, At: now + hour},
			Mark{Class: ClassSweep, At: now, Seen: "2"},
			Mark{Class: ClassSweep, At: now, Seen: "2", Gen: 1},
		},
		{
			"changed rules do not shorten a backoff",
			Mark{Class: ClassSweep, At: now + hour, Tries: 5},
			Mark{Class: ClassRules, At: now},
			Mark{Class: ClassSweep, At: now + hour, Tries: 5, Gen: 1},
		},
		{
			"a person does",
			Mark{Class: ClassSweep, At: now + hour, Tries: 5},
			Mark{Class: ClassAsked, At: now},
			Mark{Class: ClassAsked, At: now, Tries: 5, Gen: 1},
		},
		{
			"a seen change does",
			Mark{Class: ClassSweep, At: now + hour, Tries: 5},
			Mark{Class: ClassSweep, At: now, Seen: "2"},
			Mark{Class: ClassSweep, At: now, Seen: "2", Gen: 1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.a.Merge(tt.b)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
