package publication

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Sums are the totals of changes of prices.
type Sums struct {
	Changes int
	Up      int // prices that would rise
	Down    int // prices that would fall

	old, now, largest decimal.Decimal
}

// Add counts one change. Of one that is no price, only that it is one.
func (s *Sums) Add(h store.Hold) {
	s.Changes++
	after, err := decimal.NewFromString(h.New)
	if err != nil {
		return
	}
	s.now = s.now.Add(after)
	before, err := decimal.NewFromString(h.Old)
	if err != nil {
		return
	}
	s.old = s.old.Add(before)
	switch after.Cmp(before) {
	case 1:
		s.Up++
	case -1:
		s.Down++
	}
	if before.IsPositive() {
		s.largest = decimal.Max(s.largest, after.Sub(before).Abs().Shift(2).Div(before))
	}
}

// Old is the sum of the prices as they are, "" where none has one.
func (s *Sums) Old() string { return sumText(s.old, 2) }

// New is the sum of the prices as they would be, "" where there are none.
func (s *Sums) New() string { return sumText(s.now, 2) }

// Largest is the largest move in whole percent of the price before, "" where none has one.
func (s *Sums) Largest() string { return sumText(s.largest, 0) }

func sumText(sum decimal.Decimal, places int32) string {
	if !sum.IsPositive() {
		return ""
	}
	return sum.StringFixed(places)
}

// A Trial is what rules would make of a price that stands in the shop.
type Trial struct {
	Old, New string
	Percent  float64 // by which it would move, of Old
	Cost     string  // the supplier's of now
	Held     bool    // the brake would hold it
}

// Try is what rules of prices, and a brake, would make of a written variant by the supplier's
// figures as they were read last. The error says why no price would be made. ok is false where the
// variant has no price.
func (b Brake) Try(rules PriceRule, r store.Record, v store.Variant) (t Trial, ok bool, err error) {
	old, err := decimal.NewFromString(v.Written.Price)
	if err != nil || v.Refused != "" {
		return t, false, nil //nolint:nilerr // it is not on sale
	}
	t.Old, t.Cost = v.Written.Price, v.Supply.Cost
	q, err := rules.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP)
	if err != nil {
		return t, true, err
	}
	t.New, t.Held = q.Price.StringFixed(2), b.movesFar(v.Written.Price, q.Price)
	if old.IsPositive() {
		t.Percent = q.Price.Sub(old).Div(old).InexactFloat64() * 100
	}
	return t, true, nil
}

// A RulesChange is a change of the rules of prices that is held as one, and what a person said of
// it. It is about one set of rules: the next change takes its place.
type RulesChange struct {
	Prices  string       `json:"prices"` // the rules that it is about
	Ruling  store.Ruling `json:"ruling"`
	By      string       `json:"by,omitempty"` // the person who decided
	At      time.Time    `json:"at"`           // when it was held, or decided
	Told    bool         `json:"told"`         // every publication has been told of the decision
	Set     []string     `json:"settings"`     // that have changed; empty: none of the merchant's
	Percent string       `json:"percent"`      // the price brake
	// Products are those on sale whose figures are known. Moved are those of them that get another
	// price, and Far those with a price that moves by more than the brake lets pass.
	Products int `json:"products"`
	Moved    int `json:"moved"`
	Far      int `json:"far"`
	// The prices that move, with their sums before and after, and the largest move in percent.
	Changes int    `json:"changes"`
	Up      int    `json:"up"`
	Down    int    `json:"down"`
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Largest string `json:"largest,omitempty"`
}

// rulesShare is the share of the products, one in so many, above which prices that move far are
// held as one change.
const rulesShare = 5

// Pending reports whether the change waits for a person.
func (c RulesChange) Pending() bool { return c.Ruling == store.RulingHeld }

// String says what the change does.
func (c RulesChange) String() string {
	what := "price rules changed"
	if len(c.Set) > 0 {
		what += " (" + strings.Join(c.Set, ", ") + ")"
	}
	return fmt.Sprintf("%s: %d of %d products get other prices, %d of them by more than %s %%; %d prices rise, %d fall, "+
		"the largest by %s %%; their sum moves from %s to %s",
		what, c.Moved, c.Products, c.Far, c.Percent, c.Up, c.Down, c.Largest, c.Old, c.New)
}

// A Projection judges what rules would make of the prices that stand, record by record, without any
// reading.
type Projection struct {
	settings *Settings
	change   RulesChange
	sums     Sums
}

// NewProjection is a projection by some settings.
func NewProjection(p *Settings) *Projection { return &Projection{settings: p} }

// Add judges one record.
func (p *Projection) Add(r store.Record) {
	s := p.settings
	if s.Keep.Has(shopadapter.FieldPrice) || r.Sale != store.OnSale || r.WrittenAt == 0 ||
		r.Removal != (store.Removal{}) || s.Price.NeedsTerms() && !r.Terms.Known { // it is read first
		return
	}
	price := s.Price.For(r.Terms)
	known, moved, far := 0, 0, 0 // at most 1 each
	for _, v := range r.Variants {
		q, err := price.Quote(v.Supply.Cost, v.Supply.MSRP)
		if !v.Supply.Known || err != nil || q.Lacks != "" || v.Refused != "" {
			continue
		}
		known = 1
		stays := func(h store.Hold) bool { // for a reason that no rule mends
			supplier := h.Kind == store.HoldPrice && h.Cause != "rules" && h.Verdict != store.Approved
			return h.Variant == v.ID && (supplier || h.Verdict == store.Declined && sameAmount(h.New, q.Price))
		}
		if sameAmount(v.Written.Price, q.Price) || slices.ContainsFunc(r.Holds, stays) {
			continue
		}
		moved = 1
		if s.Brake.movesFar(v.Written.Price, q.Price) {
			far = 1
		}
		p.sums.Add(store.Hold{Old: v.Written.Price, New: q.Price.StringFixed(2)})
	}
	p.change.Products, p.change.Moved, p.change.Far = p.change.Products+known, p.change.Moved+moved, p.change.Far+far
}

// Change is the change that was judged, and whether it is held: where more than a fifth of the
// products have a price that moves by more than the brake lets pass, and always where no setting of
// the merchant's has changed.
func (p *Projection) Change(v Revision, b Rulebook, now time.Time) (c RulesChange, held bool) {
	c = p.change
	c.Prices, c.Ruling, c.At, c.Set = b.PriceRules(), store.RulingHeld, now.UTC(), v.Set
	c.Percent = p.settings.Brake.PricePercent.String()
	c.Changes, c.Up, c.Down = p.sums.Changes, p.sums.Up, p.sums.Down
	c.Old, c.New, c.Largest = p.sums.Old(), p.sums.New(), p.sums.Largest()
	return c, c.Moved > 0 && (v.Unasked || c.Far*rulesShare > c.Products)
}
