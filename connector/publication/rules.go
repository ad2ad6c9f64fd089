package publication

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The facts of a store that tell of its rules.
const (
	MetaRules    store.Fact[Rulebook] = "rules"
	MetaFollowed string               = "rules followed" // how many publications the last change of the rules concerned
)

// A Rulebook is the rules that the listings of a store were made by.
type Rulebook struct {
	Prices  string             `json:"prices"`
	Figures string             `json:"figures"`        // the other rules of price and stock
	Content string             `json:"content"`        // those of everything else
	Keep    shopadapter.Fields `json:"keep"`           //
	Set     map[string]string  `json:"set"`            // setting of prices and stock -> digest of the merchant's value
	Held    string             `json:"held,omitempty"` // rules of prices that no setting made: what they move is held
}

// sums is the version of the arithmetic of prices and stock. It changes when the same rules make
// other figures of the same supply.
const sums = 1

// Rulebook is the book of these settings. set is the merchant's settings of prices and stock; nil:
// every change of the rules counts as the merchant's own.
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
	Figures bool               // rules of prices, stock or brakes differ
	Prices  bool               // those of prices among them
	Content bool               // other rules differ
	Freed   shopadapter.Fields // groups that are not the merchant's any more
	Written shopadapter.Fields // groups that the adapter writes otherwise
	Unasked bool               // prices differ without a changed setting
	Set     []string           // the settings that have changed, in order
}

// Revise compares a book with the one before, of which a new store has none.
func (b Rulebook) Revise(before Rulebook) Revision {
	if before.Prices == "" {
		return Revision{Figures: true, Prices: true, Unasked: true}
	}
	v := Revision{Prices: b.Prices != before.Prices, Freed: before.Keep &^ b.Keep}
	v.Figures = v.Prices || b.Figures != before.Figures
	names := slices.AppendSeq(slices.Collect(maps.Keys(b.Set)), maps.Keys(before.Set))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if digest, is := b.Set[name]; !is || before.Set[name] != digest {
			v.Set = append(v.Set, name)
		}
	}
	v.Unasked = v.Prices && b.Set != nil && len(v.Set) == 0
	v.Content = b.Content != before.Content || v.Freed&^figures != 0
	return v
}

// Follow marks a publication that is to follow. It reports whether there is something to write. One that
// is refused or held, which other rules may let on sale, is decided anew too.
func (v Revision) Follow(e *store.Entry, now time.Time) bool {
	r := &e.Record
	held := slices.ContainsFunc(r.Holds, func(h store.Hold) bool {
		return h.Kind == store.HoldPrice || h.Kind == store.HoldFirstPrice
	})
	written := r.WrittenAt != 0 && len(r.Variants) > 0
	stands := written && r.Sale != store.Off || r.Problem.Kind == store.ProblemRejected || r.UntitledSince != 0 || held
	if written {
		r.Dirty |= v.Freed | v.Written
	}
	if Tombstone(*r) || !stands || !v.Figures && !v.Content {
		return written && (v.Freed|v.Written) != 0 // its next look reads it anyway
	}
	// what was read until now does not answer it
	m := store.Mark{At: store.At(now), Class: store.ClassRefresh, Since: store.At(now) + 1}
	if v.Figures { // from the record, before anything is read
		m.Class = store.ClassRules
		eachVariant(r, func(v *store.Variant) { v.Corrected = nil })
	}
	if v.Content {
		r.ReadAt = min(r.ReadAt, 1) // long ago: it is read anew, as a whole
	}
	r.Problem.Content = 0
	e.Note(m)
	return true
}

// Sums are the totals of changes of prices, "" where none has one.
type Sums struct {
	Changes int    `json:"changes"`
	Up      int    `json:"up"`
	Down    int    `json:"down"`
	Old     string `json:"old,omitempty"`     // the sum of the prices as they are
	New     string `json:"new,omitempty"`     // the sum of the prices as they would be
	Largest string `json:"largest,omitempty"` // the largest move, in whole percent of the price before
}

// Add counts one change. Of one that is no price, only that it is one.
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

// Moves reports whether these rules make another price of the figures that a record was written by, on sale or not.
func (s *Settings) Moves(r store.Record) bool {
	price := s.Price.For(r.Terms)
	return !s.Keep.Has(shopadapter.FieldPrice) && slices.ContainsFunc(r.Variants, func(v store.Variant) bool {
		return isSettled(v) && !isMerchants(r, v.ID) && movedByRules(price, v.Written)
	})
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
	old := amountOf(v.Written.Price)
	if !old.IsPositive() || v.Refused != "" {
		return t, false, nil // it is not on sale
	}
	t.Old, t.Cost = v.Written.Price, v.Supply.Cost
	q, err := rules.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP)
	if err == nil {
		t.New, t.Held = q.Price.StringFixed(2), b.movesFar(t.Old, q.Price)
		t.Percent = q.Price.Sub(old).Shift(2).Div(old).InexactFloat64()
	}
	return t, true, err
}
