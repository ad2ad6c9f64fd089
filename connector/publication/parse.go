package publication

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// amountDigits bounds the digits of an amount, before the point and after it: a longer figure is
// the supplier's mistake, and no shop accepts it.
const amountDigits = 12

// parseAmount reads a decimal; the empty string is zero, a negative amount is an error.
func parseAmount(s string) (decimal.Decimal, error) {
	if s = strings.TrimSpace(s); s == "" {
		return decimal.Zero, nil
	}
	if len(s) > 32 {
		return decimal.Zero, errors.New("too long for an amount")
	}
	d, err := decimal.NewFromString(s)
	if err != nil || d.IsNegative() || d.Exponent() < -amountDigits || d.NumDigits()+int(d.Exponent()) > amountDigits {
		return decimal.Zero, errors.New("not an amount")
	}
	return d, nil
}

var plainAmount = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// amountText is an amount as a shop can read it, digits and a point, unchanged where it is that
// already; "" for a text that is no amount.
func amountText(s string) string {
	d, err := parseAmount(s)
	s = strings.TrimSpace(s)
	switch {
	case err != nil || s == "":
		return ""
	case plainAmount.MatchString(s):
		return s
	default:
		return d.String()
	}
}

// amountOf is an amount, zero where the text is none.
func amountOf(s string) decimal.Decimal {
	d, _ := decimal.NewFromString(s) //nolint:errcheck // zero
	return d
}

func sameAmount(text string, amount decimal.Decimal) bool {
	d, err := decimal.NewFromString(text)
	return err == nil && d.Equal(amount)
}

// moved is 1 where a figure rose, -1 where it fell, 0 where it stayed or is none.
func moved(old, now string) int {
	a, err := decimal.NewFromString(old)
	b, wrong := decimal.NewFromString(now)
	if err != nil || wrong != nil {
		return 0
	}
	return b.Cmp(a)
}

// An Ending is what prices end with: the fraction .95 and the step 1, or 9.95 and 10.
type Ending struct{ Fraction, Step decimal.Decimal }

// After is the first price with this ending that is not below one.
func (e Ending) After(price decimal.Decimal) decimal.Decimal {
	up := price.Sub(e.Fraction).Div(e.Step).Ceil()
	return decimal.Max(up, decimal.Zero).Mul(e.Step).Add(e.Fraction)
}

// ParseEnding reads an ending such as .95 or 9.99. 0.95 counts as .95, as many people write it, and
// not as one price in ten. Digits alone are refused: 95 is more likely .95 than one price in a
// hundred.
func ParseEnding(s string) (e Ending, err error) {
	if !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	whole, fraction, pointed := strings.Cut(s, ".")
	digits := whole + fraction
	switch {
	case digits == "" || strings.Trim(digits, "0123456789") != "" || len(fraction) > 2 || len(whole) > 6:
		return e, errors.New("is not an ending such as .95 or 9.99")
	case !pointed && len(digits) > 4:
		return e, errors.New("has neither a dot nor a comma: write .95, or 9.00 for whole amounts")
	case !pointed:
		cents := max(len(digits)-2, 0)
		return e, fmt.Errorf("has neither a dot nor a comma: did you mean %s.%s? Whole amounts have a dot too, such as 9.00",
			digits[:cents], digits[cents:])
	case fraction != "" && strings.Trim(whole, "0") == "":
		whole = ""
	}
	e.Fraction = decimal.RequireFromString("0" + strings.TrimSuffix(s, "."))
	e.Step = decimal.New(1, int32(len(whole)))
	return e, nil
}

// parseList reads the entries of a list, of at most so many. none is the error of a list without any.
func parseList[T any](s, marks string, most int, none error, read func(string) (T, error)) (list []T, err error) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		one, err := read(part)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	if len(list) == 0 || len(list) > most {
		return nil, none
	}
	return list, nil
}

// A Tier is the markup of the bases from one amount on, up to but not including another.
type Tier struct {
	From   decimal.Decimal
	To     *decimal.Decimal // nil: there is no end
	Markup decimal.Decimal
}

// String is the tier's bounds as a merchant writes them.
func (t Tier) String() string {
	if t.To == nil {
		return t.From.String() + "-"
	}
	return t.From.String() + "-" + t.To.String()
}

var errTiers = errors.New("is not a list of tiers such as 0-10:120%,10-50:80%,50-:50%")

const mostTiers = 100

// ParseTiers reads tiers such as 0-10:120%,10-50:80%,50-:50%. An error says how they leave a base
// without a markup, or with two.
func ParseTiers(s string) ([]Tier, error) {
	tiers, err := parseList(s, ",", mostTiers, errTiers, parseTier)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tiers, func(a, b Tier) int { return a.From.Cmp(b.From) })
	return tiers, seamless(tiers)
}

func parseTier(s string) (t Tier, err error) {
	bounds, percent, found := strings.Cut(s, ":")
	least, most, ranged := strings.Cut(bounds, "-")
	if !found || !ranged {
		return t, errTiers
	}
	if t.From, err = parseBound(least); err != nil {
		return t, err
	}
	if strings.TrimSpace(most) != "" {
		to, err := parseBound(most)
		if err != nil {
			return t, err
		}
		if !to.GreaterThan(t.From) {
			return t, fmt.Errorf("has the tier %s-%s, which holds no base: did you mean %[2]s-%[1]s?", t.From, to)
		}
		t.To = &to
	}
	if percent = strings.TrimSpace(percent); strings.HasPrefix(percent, "+") {
		return t, errors.New(
			"has a percentage with a +: a tier's is the whole markup, and not added to one, so write it without",
		)
	}
	t.Markup, err = parsePercent(percent)
	return t, err
}

func parseBound(s string) (decimal.Decimal, error) {
	s = strings.TrimSpace(s)
	d, err := parseAmount(s)
	if err != nil || s == "" || strings.Trim(s, "0123456789.") != "" {
		return decimal.Zero, errTiers
	}
	return d, nil
}

// seamless is why sorted tiers leave a base without a markup, or with two; nil where they do not.
func seamless(tiers []Tier) error {
	if first := tiers[0]; first.From.IsPositive() {
		return fmt.Errorf("has no tier for a base below %s: did you mean 0-%s?",
			first.From, strings.TrimPrefix(first.String(), first.From.String()+"-"))
	}
	for i, t := range tiers[:len(tiers)-1] {
		next := tiers[i+1]
		switch {
		case t.To == nil:
			return fmt.Errorf("has two tiers for a base from %s on: did you mean %s-%[1]s?", next.From, t.From)
		case t.To.GreaterThan(next.From):
			end := *t.To
			if next.To != nil {
				end = decimal.Min(end, *next.To)
			}
			return fmt.Errorf("has two tiers for a base from %s to %s: did you mean %s-%[1]s?", next.From, end, t.From)
		case t.To.LessThan(next.From):
			return fmt.Errorf("has no tier for a base from %s to %s: did you mean %s-%[2]s?", t.To, next.From, t.From)
		}
	}
	if last := tiers[len(tiers)-1]; last.To != nil {
		return fmt.Errorf("has no tier for a base of %s and more: did you mean %s-?", last.To, last.From)
	}
	return nil
}

// parsePercent reads a markup such as 80%. One that no merchant means is a fault, since it would
// soon be on sale.
func parsePercent(s string) (decimal.Decimal, error) {
	const least, most = -90, 1000
	number, found := strings.CutSuffix(s, "%")
	number = strings.TrimSpace(number)
	d, err := decimal.NewFromString(number)
	switch {
	case err != nil || len(number) > 20 || d.Exponent() > 6:
		return decimal.Zero, errors.New("has a markup that is no percentage such as 80%")
	case !found:
		return decimal.Zero, fmt.Errorf("has a percentage without its sign: did you mean %s%%?", d)
	case d.LessThan(decimal.NewFromInt(least)) || d.GreaterThan(decimal.NewFromInt(most)):
		return decimal.Zero, fmt.Errorf("has a markup that is not from %d%% to %d%%", least, most)
	}
	return d, nil
}
