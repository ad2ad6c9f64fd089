package publication

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// What a merchant mistypes is a fault.
func TestParse(t *testing.T) {
	ending := func(s string) (string, error) {
		e, err := ParseEnding(s)
		return e.String() + " " + e.Step().String(), err
	}
	tiers := func(s string) (string, error) {
		list, err := ParseTiers(s)
		return fmt.Sprint(list), err
	}
	markups := func(s string) (string, error) {
		list, err := ParseCategoryMarkups(s)
		return fmt.Sprint(list), err
	}
	categories := func(s string) (string, error) {
		list, err := ParseCategories(s)
		return fmt.Sprint(list), err
	}
	const (
		noEnding   = "is not an ending such as .95 or 9.99"
		noTiers    = "is not a list of tiers such as 0-10:120%,10-50:80%,50-:50%"
		noMarkups  = "is not a list of categories and markups such as GARDEN=+10%; FASHION/SHOES=80%"
		noPath     = "has a category that is no path such as GARDEN or FASHION/SHOES"
		noPercent  = "has a markup that is no percentage such as 80%"
		noCategory = "is not a list of categories such as FASHION/SHOES,GARDEN"
	)
	for _, tt := range []struct {
		parse    func(string) (string, error)
		in, want string // what it is, or what is wrong
	}{
		{ending, ".95", "0.95 1"},
		{ending, "0.95", "0.95 1"},
		{ending, "9.95", "9.95 10"},
		{ending, "9,95", "9.95 10"},
		{ending, "9.00", "9 10"},
		{ending, "10,5", "10.5 100"},
		{ending, "9.", noEnding},
		{ending, "09.95", noEnding},
		{ending, "999999.99", "999999.99 1000000"},
		{ending, "0", "has neither a dot nor a comma: write .95, or 9.00 for whole amounts"},
		{ending, "1234567.00", noEnding},
		{ending, "1,000.00", noEnding},
		{ending, "-.95", noEnding},
		{ending, "٩", noEnding},
		{ending, "95", "has neither a dot nor a comma: write .95, or 9.00 for whole amounts"},
		{ending, "995", "has neither a dot nor a comma: write .95, or 9.00 for whole amounts"},
		{ending, "12345", "has neither a dot nor a comma: write .95, or 9.00 for whole amounts"},
		{ending, "", noEnding},
		{ending, "x", noEnding},
		{ending, ".955", noEnding},

		{tiers, "0-10:120%,10-50:80%,50-:50%", "[0-10 10-50 50-]"},
		{tiers, "0-10:120%", "has no tier for a base of 10 and more"},
		{tiers, "5-:1%", "has no tier for a base of 0"},
		{tiers, "0-10:120%,20-:50%", "has no tier for a base of 10"},
		{tiers, "0-20:1%,10-:2%", "has two tiers for a base of 10"},
		{tiers, "0-:1%,5-:2%", "has two tiers for a base of 5"},
		{tiers, "10-5:3%", noTiers},
		{tiers, "0-:+5%", noTiers},
		{tiers, "0-:5", noPercent},
		{tiers, "0-:2000%", "has a markup that is not from -90% to 1000%"},
		{tiers, " 10-50: 80% ,0-10:120 %, 50-:-5%", "[0-10 10-50 50-]"},
		{tiers, "0-10:120%,2-5:3%,10-:50%", "has two tiers for a base of 2"},
		{tiers, "0-10:much,10-:80%", noPercent},
		{tiers, "0-1e9:1%", noTiers},
		{tiers, "0-99999999999999999999999:1%,", noTiers},
		{tiers, "", noTiers},
		{tiers, "x", noTiers},

		{markups, "GARDEN=+10%; FASHION/SHOES=80%", "[{GARDEN 10 true} {FASHION/SHOES 80 false}]"},
		{markups, "garden = -5%", "[{GARDEN -5 true}]"},
		{markups, "GARDEN=1%;garden=2%", "has two rules for one category"},
		{markups, "Fashion/garden tools = 80 %;", "[{FASHION/GARDEN_TOOLS 80 false}]"},
		{markups, "GARDEN=10", noPercent},
		{markups, "A=+2000%", "has a markup that is not from -90% to 1000%"},
		{markups, "GÄRTEN=10%", noPath},
		{markups, "A//B=10%", noPath},
		{markups, "G!=1%", noPath},
		{markups, "GARDEN", noMarkups},
		{markups, ";,", noMarkups},
		{markups, "", noMarkups},

		{categories, "FASHION/SHOES,GARDEN", "[FASHION/SHOES GARDEN]"},
		{categories, "fashion-shoes", "[FASHION_SHOES]"},
		{categories, "FASHION/,X", noPath},
		{categories, "G!=1%", noPath},
		{categories, ";,", noCategory},
		{categories, "", noCategory},
	} {
		got, err := tt.parse(tt.in)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A description is cut where a reader expects it, and never within a tag, an entity or a character.
func TestCut(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"short", "A lamp.", "A lamp."},
		{"after a sentence", "A fine lamp it is. And more follows here", "A fine lamp it is."},
		{"after a paragraph", "<p>A fine lamp</p><p>and much more here", "<p>A fine lamp</p>"},
		{"not within a tag", `A fine lamp,it is<a href="https://e.example/">b</a>`, "A fine lamp,it is"},
		{"not within a character", "aaaaaaaaaaaaaaaaaaaaaaaaé", "aaaaaaaaaaaaaaaaaaaaaaaa"},
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
		if len(got) > 40 {
			t.Fatalf("%q has %d bytes", got, len(got))
		}
	})
}
