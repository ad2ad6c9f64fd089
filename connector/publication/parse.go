package publication

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// amountDigits bounds the digits before and after the point: a longer figure is the supplier's mistake.
const amountDigits = 12

// parseAmount reads an empty string as zero.
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

// amountText returns digits and a point, as shops read them; "" for what is no amount.
func amountText(s string) string {
	d, err := parseAmount(s)
	if err != nil || strings.TrimSpace(s) == "" {
		return ""
	}
	return d.StringFixed(-d.Exponent())
}

func amountOf(s string) decimal.Decimal {
	d, _ := decimal.NewFromString(s) //nolint:errcheck // zero
	return d
}

func sameAmount(text string, amount decimal.Decimal) bool { return amountOf(text).Equal(amount) }

// An Ending is what prices end with, such as .95 or 9.95.
type Ending struct{ decimal.Decimal }

// Step is the distance between two prices with this ending.
func (e Ending) Step() decimal.Decimal {
	step := decimal.New(1, 0)
	for step.LessThanOrEqual(e.Decimal) {
		step = step.Shift(1)
	}
	return step
}

// After returns the first price with this ending that is not below price.
func (e Ending) After(price decimal.Decimal) decimal.Decimal {
	up := price.Sub(e.Decimal).Div(e.Step()).Ceil()
	return decimal.Max(up, decimal.Zero).Mul(e.Step()).Add(e.Decimal)
}

var endingText = regexp.MustCompile(`^(0?|[1-9][0-9]{0,5})[.,][0-9]{1,2}$`)

// ParseEnding reads an ending such as .95 or 9.99. It refuses digits alone: 95 is more likely .95 than one price in a
// hundred.
func ParseEnding(s string) (e *Ending, err error) {
	switch e = (&Ending{}); {
	case s != "" && strings.Trim(s, "0123456789") == "":
		return e, errors.New("has neither a dot nor a comma: write .95, or 9.00 for whole amounts")
	case !endingText.MatchString(s):
		return e, errors.New("is not an ending such as .95 or 9.99")
	}
	e.Decimal, err = decimal.NewFromString("0" + strings.ReplaceAll(s, ",", "."))
	return e, err
}

func parseList[T any](s, marks string, none error, read func(string) (T, error)) (list []T, err error) {
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
	if len(list) == 0 {
		return nil, none
	}
	return list, nil
}

// A Tier is the markup of the bases from From up to, but not including, To.
type Tier struct {
	From   decimal.Decimal
	To     *decimal.Decimal // nil: no end
	Markup decimal.Decimal
}

// String returns the bounds as a merchant writes them.
func (t Tier) String() string {
	if t.To == nil {
		return t.From.String() + "-"
	}
	return t.From.String() + "-" + t.To.String()
}

var errTiers = errors.New("is not a list of tiers such as 0-10:120%,10-50:80%,50-:50%")

// ParseTiers reads tiers such as 0-10:120%,10-50:80%,50-:50%. Every base must have one markup.
func ParseTiers(s string) ([]Tier, error) {
	tiers, err := parseList(s, ",", errTiers, parseTier)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tiers, func(a, b Tier) int { return a.From.Cmp(b.From) })
	end := &decimal.Zero // of the tiers so far
	for _, t := range tiers {
		switch {
		case end == nil || t.From.LessThan(*end):
			return nil, fmt.Errorf("has two tiers for a base of %s", t.From)
		case t.From.GreaterThan(*end):
			return nil, fmt.Errorf("has no tier for a base of %s", end)
		}
		end = t.To
	}
	if end != nil {
		return nil, fmt.Errorf("has no tier for a base of %s and more", end)
	}
	return tiers, nil
}

// tierText does not match an added markup such as +10%.
var tierText = regexp.MustCompile(`^\s*([0-9]+(?:\.[0-9]+)?)\s*-\s*([0-9]+(?:\.[0-9]+)?)?\s*:([^+]*)$`)

func parseTier(s string) (t Tier, err error) {
	parts := tierText.FindStringSubmatch(s)
	if parts == nil {
		return t, errTiers
	}
	from, wrong := parseAmount(parts[1])
	to, err := parseAmount(parts[2])
	if t.From = from; parts[2] != "" {
		t.To = &to
	}
	if err != nil || wrong != nil || t.To != nil && !to.GreaterThan(from) {
		return t, errTiers
	}
	t.Markup, err = parsePercent(strings.TrimSpace(parts[3]))
	return t, err
}

// parsePercent refuses a markup that no merchant means, since it would soon be on sale.
func parsePercent(s string) (decimal.Decimal, error) {
	const least, most = -90, 1000
	number, found := strings.CutSuffix(s, "%")
	number = strings.TrimSpace(number)
	d, err := decimal.NewFromString(number)
	switch {
	case err != nil || !found || len(number) > 20 || d.Exponent() > 6:
		return decimal.Zero, errors.New("has a markup that is no percentage such as 80%")
	case d.LessThan(decimal.NewFromInt(least)) || d.GreaterThan(decimal.NewFromInt(most)):
		return decimal.Zero, fmt.Errorf("has a markup that is not from %d%% to %d%%", least, most)
	}
	return d, nil
}

// A CategoryPath names a branch of the marketplace's categories: FASHION_SHOES as a path, or FASHION/SHOES by levels.
// Each level is a path, or what the path adds to the one above.
type CategoryPath string

// A CategoryMarkup is the markup of one branch.
type CategoryMarkup struct {
	Path   CategoryPath
	Markup decimal.Decimal
	Added  bool // to the markup that counts otherwise; false: in its place
}

// ParseCategories reads a list of branches such as FASHION/SHOES,GARDEN.
func ParseCategories(s string) ([]CategoryPath, error) {
	return parseList(s, ",;", errors.New("is not a list of categories such as FASHION/SHOES,GARDEN"), parseCategory)
}

// ParseCategoryMarkups reads markups such as GARDEN=+10%; FASHION/SHOES=80%.
func ParseCategoryMarkups(s string) ([]CategoryMarkup, error) {
	none := errors.New("is not a list of categories and markups such as GARDEN=+10%; FASHION/SHOES=80%")
	met := map[CategoryPath]bool{}
	return parseList(s, ";", none, func(part string) (c CategoryMarkup, err error) {
		path, percent, found := strings.Cut(part, "=")
		if !found {
			return c, none
		}
		if c.Path, err = parseCategory(path); err != nil {
			return c, err
		}
		if met[c.Path] {
			return c, errors.New("has two rules for one category")
		}
		met[c.Path] = true
		percent = strings.TrimSpace(percent)
		c.Added = strings.HasPrefix(percent, "+") || strings.HasPrefix(percent, "-")
		c.Markup, err = parsePercent(strings.TrimPrefix(percent, "+"))
		return c, err
	})
}

func parseCategory(s string) (CategoryPath, error) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	levels := strings.Split(s, "/")
	for i, level := range levels {
		levels[i] = categoryWord(level)
		if levels[i] == "" || strings.Trim(levels[i], letters) != "" {
			return "", errors.New("has a category that is no path such as GARDEN or FASHION/SHOES")
		}
	}
	return CategoryPath(strings.Join(levels, "/")), nil
}

// categoryWord returns a text in the form of the marketplace's paths.
func categoryWord(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(strings.TrimSpace(s)))
}
