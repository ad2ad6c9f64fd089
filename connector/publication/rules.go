package publication

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// MetaRules holds a Rulebook.
const MetaRules store.Fact[Rulebook] = "rules"

// A Rulebook is the rules by which listings were made.
type Rulebook struct {
	Prices  string             `json:"prices"`
	Figures string             `json:"figures"` // other rules of price and stock
	Content string             `json:"content"`
	Keep    shopadapter.Fields `json:"keep"`
	Set     map[string]string  `json:"set"`            // setting of prices and stock -> value
	Held    string             `json:"held,omitempty"` // price rules that no setting made: what they move is held
}

// sums is the version of the arithmetic, which rises when the same rules make other figures.
const sums = 1

// Rulebook returns the book of these settings. With a nil set every change counts as the merchant's own.
func (s *Settings) Rulebook(set map[string]string) Rulebook {
	return Rulebook{
		Prices: text([]any{sums, s.Price}),
		Figures: text([]any{
			s.StockBuffer, s.Rules.Keep & figures, s.HideSoldOut, s.Skip, s.AsDraft, s.Brake.PricePercent, s.Brake.FirstPrice,
		}),
		Content: text([]any{s.Languages, s.SKUPrefix, s.Details, s.Units}),
		Keep:    s.Rules.Keep, Set: set,
	}
}

// Same reports whether two books are equal.
func (b Rulebook) Same(other Rulebook) bool { return text(b) == text(other) }

// A Revision is how rules differ from those of the last process.
type Revision struct {
	Figures bool // rules of prices, stock or brakes differ
	Prices  bool
	Content bool               // other rules differ
	Freed   shopadapter.Fields // groups no longer the merchant's
	Written shopadapter.Fields // groups that the adapter writes otherwise
	Unasked bool               // prices differ without a changed setting
	Set     []string           // changed settings, sorted
}

// Revise compares a book with the one before, which is zero in a new store.
func (b Rulebook) Revise(before Rulebook) Revision {
	if before.Prices == "" {
		return Revision{Figures: true, Prices: true, Unasked: true}
	}
	v := Revision{Prices: b.Prices != before.Prices, Freed: before.Keep &^ b.Keep}
	v.Figures = v.Prices || b.Figures != before.Figures
	names := slices.AppendSeq(slices.Collect(maps.Keys(b.Set)), maps.Keys(before.Set))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if value, is := b.Set[name]; !is || before.Set[name] != value {
			v.Set = append(v.Set, name)
		}
	}
	v.Unasked = v.Prices && b.Set != nil && len(v.Set) == 0
	v.Content = b.Content != before.Content || v.Freed&^figures != 0
	return v
}

// Follow marks a publication that the revision concerns, even a refused or held one: other rules may let it on sale.
func (v Revision) Follow(e *store.Entry, now time.Time) bool {
	r := &e.Record
	held := slices.ContainsFunc(r.Holds, func(h store.Hold) bool {
		return h.Kind == store.HoldPrice || h.Kind == store.HoldFirstPrice
	})
	written := r.WrittenAt != 0 && len(r.Variants) > 0
	stands := written && r.Sale != store.Off && !r.Removal.Done || r.Problem.Kind == store.ProblemRejected ||
		r.UntitledSince != 0 || held
	if written {
		r.Dirty |= v.Freed | v.Written
	}
	if Tombstone(*r) || !stands || !v.Figures && !v.Content {
		return written && (v.Freed|v.Written) != 0 // its next look reads it anyway
	}
	// earlier readings do not answer it
	m := store.Mark{At: store.At(now), Class: store.ClassRefresh, Since: store.At(now) + 1}
	if v.Figures { // without a reading
		m.Class = store.ClassRules
		eachVariant(r, func(v *store.Variant) { v.Corrected = nil })
	}
	if v.Content {
		r.ReadAt = min(r.ReadAt, 1) // so that it is read whole
	}
	r.Problem.Content = 0
	e.Note(m)
	return true
}

// Sums are the totals of price changes.
type Sums struct {
	Changes int    `json:"changes"`
	Up      int    `json:"up"`
	Down    int    `json:"down"`
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Largest string `json:"largest,omitempty"` // move, in whole percent
}

// Add counts a change; one without a New price counts in Changes alone.
func (s *Sums) Add(h store.Hold) {
	before, after := amountOf(h.Old), amountOf(h.New)
	s.Changes++
	if !after.IsPositive() {
		return
	}
	s.New = amountOf(s.New).Add(after).StringFixed(2)
	if !before.IsPositive() {
		return
	}
	s.Old = amountOf(s.Old).Add(before).StringFixed(2)
	share := after.Sub(before).Shift(2).Div(before)
	if s.Largest = decimal.Max(amountOf(s.Largest), share.Abs()).StringFixed(0); share.IsPositive() {
		s.Up++
	} else if share.IsNegative() {
		s.Down++
	}
}

// Moves reports whether these rules make another price of the figures that a record was written by.
func (s *Settings) Moves(r store.Record) bool {
	price := s.Price.For(r.Terms)
	return !s.Keep.Has(shopadapter.FieldPrice) && slices.ContainsFunc(r.Variants, func(v store.Variant) bool {
		return isSettled(v) && !isMerchants(r, v.ID) && movedByRules(price, v.Written)
	})
}

// A Trial is what rules would make of a price in the shop.
type Trial struct {
	Old, New string
	Percent  float64 // of Old
	Cost     string
	Held     bool // by the brake
}

// Try applies price rules and a brake to the supplier's figures as last read. The error says why no price is made; ok
// is false without a present price.
func (b Brake) Try(rules PriceRule, r store.Record, v store.Variant) (t Trial, ok bool, err error) {
	old := amountOf(v.Written.Price)
	if !old.IsPositive() || v.Refused != "" {
		return t, false, nil
	}
	t.Old, t.Cost = v.Written.Price, v.Supply.Cost
	q, err := rules.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP)
	if err == nil {
		t.New, t.Held = q.Price.StringFixed(2), b.movesFar(t.Old, q.Price)
		t.Percent = q.Price.Sub(old).Shift(2).Div(old).InexactFloat64()
	}
	return t, true, err
}
