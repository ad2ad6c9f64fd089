package publication

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// A Tier is the markup of the bases from one amount on, up to but not including another.
type Tier struct {
	From   decimal.Decimal  `json:"from"`
	To     *decimal.Decimal `json:"to,omitempty"` // nil: there is no end
	Markup decimal.Decimal  `json:"markup"`
}

// String is the tier's bounds as a merchant writes them.
func (t Tier) String() string {
	if t.To == nil {
		return t.From.String() + "-"
	}
	return t.From.String() + "-" + t.To.String()
}

// tierOf is the tier of a base before VAT. Every base has one where there are tiers.
func (r PriceRule) tierOf(base decimal.Decimal) (Tier, bool) {
	i := slices.IndexFunc(r.Tiers, func(t Tier) bool { return t.To == nil || base.LessThan(*t.To) })
	if i < 0 {
		return Tier{}, false
	}
	return r.Tiers[i], true
}

var errTiers = errors.New("is not a list of tiers such as 0-10:120%,10-50:80%,50-:50%")

// mostTiers bounds a list of tiers.
const mostTiers = 100

// ParseTiers reads tiers such as 0-10:120%,10-50:80%,50-:50%. An error says how they leave a base
// without a markup, or with two.
func ParseTiers(s string) (tiers []Tier, err error) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		t, err := parseTier(part)
		if err != nil {
			return nil, err
		}
		tiers = append(tiers, t)
	}
	if len(tiers) == 0 || len(tiers) > mostTiers {
		return nil, errTiers
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
	if most = strings.TrimSpace(most); most != "" {
		to, err := parseBound(most)
		if err != nil {
			return t, err
		}
		if !to.GreaterThan(t.From) {
			return t, fmt.Errorf("has the tier %s-%s, which holds no base: did you mean %[2]s-%[1]s?", t.From, to)
		}
		t.To = &to
	}
	percent = strings.TrimSpace(percent)
	if strings.HasPrefix(percent, "+") {
		return t, errors.New(
			"has a percentage with a +: a tier's is the whole markup, and not added to one, so write it without",
		)
	}
	t.Markup, err = parsePercent(percent)
	return t, err
}

func parseBound(s string) (decimal.Decimal, error) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return decimal.Zero, errTiers
	}
	d, err := parseAmount(s)
	if err != nil {
		return decimal.Zero, errTiers
	}
	return d, nil
}

// seamless is why sorted tiers leave a base without a markup, or with two; nil where they do not.
func seamless(tiers []Tier) error {
	if first := tiers[0]; first.From.IsPositive() {
		return fmt.Errorf("has no tier for a base below %s: did you mean 0-%s?", first.From, endOf(first))
	}
	for i, t := range tiers[:len(tiers)-1] {
		next := tiers[i+1]
		switch {
		case t.To == nil:
			return fmt.Errorf("has two tiers for a base from %s on: did you mean %s-%[1]s?", next.From, t.From)
		case t.To.GreaterThan(next.From):
			return fmt.Errorf("has two tiers for a base from %s to %s: did you mean %s-%[1]s?",
				next.From, decimal.Min(*t.To, endsBy(next, *t.To)), t.From)
		case t.To.LessThan(next.From):
			return fmt.Errorf("has no tier for a base from %s to %s: did you mean %s-%[2]s?", t.To, next.From, t.From)
		}
	}
	if last := tiers[len(tiers)-1]; last.To != nil {
		return fmt.Errorf("has no tier for a base of %s and more: did you mean %s-?", last.To, last.From)
	}
	return nil
}

// endOf is the end of a tier's bounds as a merchant writes it, "" where there is none.
func endOf(t Tier) string {
	if t.To == nil {
		return ""
	}
	return t.To.String()
}

// endsBy is the end of a tier, or an amount where it has none.
func endsBy(t Tier, otherwise decimal.Decimal) decimal.Decimal {
	if t.To == nil {
		return otherwise
	}
	return *t.To
}

// The bounds of a markup, in percent. One that no merchant means is a fault, since it would soon be
// on sale.
const (
	leastMarkup = -90
	mostMarkup  = 1000
)

// parsePercent reads a markup such as 80%.
func parsePercent(s string) (decimal.Decimal, error) {
	number, found := strings.CutSuffix(s, "%")
	number = strings.TrimSpace(number)
	d, err := decimal.NewFromString(number)
	switch {
	case err != nil || len(number) > 20 || d.Exponent() > 6:
		return decimal.Zero, errors.New("has a markup that is no percentage such as 80%")
	case !found:
		return decimal.Zero, fmt.Errorf("has a percentage without its sign: did you mean %s%%?", d)
	case d.LessThan(decimal.NewFromInt(leastMarkup)) || d.GreaterThan(decimal.NewFromInt(mostMarkup)):
		return decimal.Zero, fmt.Errorf("has a markup that is not from %d%% to %d%%", leastMarkup, mostMarkup)
	}
	return d, nil
}
