package vendure

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func TestSlug(t *testing.T) {
	for _, tc := range []struct{ name, title, want string }{
		{"words", "Reading Lamp, 40 cm", "reading-lamp-40-cm"},
		{"accents stay for Vendure to fold", "Crème brûlée", "crème-brûlée"},
		{"another script", "電気 スタンド", "電気-スタンド"},
		{"markup", "<b>Lamp</b> & Co.", "b-lamp-b-co"},
		{"long", strings.Repeat("lamp ", 40), strings.TrimSuffix(strings.Repeat("lamp-", 16), "-")},
		{"nothing to read", "!!! ???", "product-" + kit.Digest("key", 4)},
		{"one endless word", strings.Repeat("x", 200), "product-" + kit.Digest("key", 4)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := slugFor(tc.title, "key"); got != tc.want {
				t.Errorf("slug is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMinor(t *testing.T) {
	for _, tc := range []struct {
		name, amount string
		precision    int32
		want         int64
		why          string
	}{
		{"two decimals", "19.95", 2, 1995, ""},
		{"none", "20", 2, 2000, ""},
		{"three digits in the shop", "19.95", 3, 19950, ""},
		{"none in the shop", "20.00", 0, 20, ""},
		{"a fraction of the unit", "19.95", 0, 0, "more decimals"},
		{"negative", "-1.00", 2, 0, "not an amount"},
		{"empty", "", 2, 0, "not an amount"},
		{"words", "cheap", 2, 0, "not an amount"},
		{"the largest", "21474836.47", 2, 2147483647, ""},
		{"larger", "21474836.48", 2, 0, "larger"},
		{"absurd", strings.Repeat("9", 20), 2, 0, "larger"},
		{"with an exponent", "1e300", 2, 0, "not an amount"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, why := minor(tc.amount, tc.precision)
			if got != tc.want || (why == "") != (tc.why == "") || !strings.Contains(why, tc.why) {
				t.Errorf("got %d %q, want %d %q", got, why, tc.want, tc.why)
			}
		})
	}
}

func TestCategoryCode(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   shopadapter.Category
		want string
	}{
		{"path", shopadapter.Category{Path: "HOME_AND_GARDEN", Name: "Garden"}, "home-and-garden"},
		{"only a name", shopadapter.Category{Name: "Garden"}, "garden-" + kit.Digest("Garden", 4)},
		{"none", shopadapter.Category{}, ""},
		{"hostile", shopadapter.Category{Path: "../A,B"}, "a-b-" + kit.Digest("../A,B", 4)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := categoryCode(tc.in); got != tc.want {
				t.Errorf("code is %q, want %q", got, tc.want)
			}
		})
	}
	if categoryCode(shopadapter.Category{Path: "A_B"}) == categoryCode(shopadapter.Category{Path: "A-B"}) {
		t.Error("two paths have one code")
	}
}

func TestOptionCodeTellsValuesApart(t *testing.T) {
	seen := map[string]string{}
	for _, value := range []string{
		"Red", "red", "RED ", "Röd", "赤", "", "1/2", "1-2", strings.Repeat("x", 100), strings.Repeat("x", 101),
	} {
		code := optionCode(value)
		if other, ok := seen[code]; ok {
			t.Errorf("%q and %q have the code %q", value, other, code)
		}
		if len(code) > 60 || strings.ContainsAny(code, " /") {
			t.Errorf("the code of %q is %q", value, code)
		}
		seen[code] = value
	}
}

func TestPartsFitARequest(t *testing.T) {
	var list []input
	for range 40 {
		list = append(list, input{"description": strings.Repeat("<", 1000)}) // six bytes each in JSON
	}
	runs := parts(list, 1000)
	total := 0
	for _, run := range runs {
		total += len(run)
		if n := size(run); n > maxRequest {
			t.Errorf("a run measures %d bytes", n)
		}
	}
	if total != len(list) || len(runs) != 3 {
		t.Errorf("%d values in %d runs", total, len(runs))
	}
	if got := len(parts(list, 7)); got != 6 {
		t.Errorf("%d runs of at most 7", got)
	}
	if got := parts([]input(nil), 7); got != nil {
		t.Errorf("runs of nothing: %v", got)
	}
}

// TestConfigLines holds the README and the configuration of the end-to-end tests' shop to the lines
// that the error shows.
func TestConfigLines(t *testing.T) {
	for lines, files := range map[string][]string{
		ConfigLines: {"e2e/fixture/shop.cjs", "README.md"},
		detailLines: {"e2e/fixture/shop.cjs", "README.md"},
	} {
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(trimmed(string(text)), trimmed(lines)) {
				t.Errorf("%s does not hold the lines\n%s", file, lines)
			}
		}
	}
}

// trimmed is a text without what stands before and after each of its lines.
func trimmed(text string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "//")))
	}
	return strings.Join(lines, "\n")
}

func TestSecretsAreHidden(t *testing.T) {
	a, err := Open(shopadapter.Options{Settings: map[string]string{
		"URL": "https://vendure.example", "USERNAME": "owner", "PASSWORD": "pa55word",
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, s := range []session{{secret: "second-token"}, {secret: "session=abc"}} {
		a.session.Store(&s)
		got = a.wire.Clean("pa55word " + "\n" + s.secret + "\x1b[31m " + strings.Repeat("é", 300))
		for _, secret := range []string{"pa55word", "second-token", "session=abc", "\n", "\x1b"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q shows %q", got, secret)
			}
		}
	}
	if utf8.RuneCountInString(got) > 301 {
		t.Errorf("it has %d characters", utf8.RuneCountInString(got))
	}
}

// detailLines are what an owner who wants the details of variants in the shop adds to the fields of
// ProductVariant.
const detailLines = `{ name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
{ name: 'ean', type: 'string', nullable: true },
{ name: 'weight', type: 'float', nullable: true },
{ name: 'length', type: 'float', nullable: true },
{ name: 'width', type: 'float', nullable: true },
{ name: 'height', type: 'float', nullable: true },
{ name: 'diameter', type: 'float', nullable: true },
{ name: 'volume', type: 'string', nullable: true },
{ name: 'origin', type: 'string', nullable: true },
{ name: 'materials', type: 'string', list: true, nullable: true },
{ name: 'tags', type: 'string', list: true, nullable: true },
{ name: 'leadTime', type: 'string', nullable: true },
{ name: 'caseQuantity', type: 'int', nullable: true },`
