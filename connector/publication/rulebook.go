package publication

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The facts of a store that tell of its rules.
const (
	MetaRules    = "rules"          // a Rulebook
	MetaFollowed = "rules followed" // how many publications the last change of the rules concerned
	MetaRuling   = "rules ruling"   // the RulesChange of the present rules of prices
)

// A Rulebook is the rules that the listings of a store were made by.
type Rulebook struct {
	Figures string             `json:"figures"`          // the rules of prices and stock
	Content string             `json:"content"`          // those of everything else
	Brake   string             `json:"brake"`            // what holds a price
	Keep    shopadapter.Fields `json:"keep"`             //
	Set     map[string]string  `json:"set"`              // setting of prices and stock -> digest of the merchant's value
	Writes  map[string]Writing `json:"writes,omitempty"` // the adapter's settings that decide what is written, by variable
}

// A Writing is a setting of the adapter that decides what is written.
type Writing struct {
	Fields shopadapter.Fields `json:"fields"` // that are written otherwise where it changes
	Digest string             `json:"digest"` // of its value
}

// sums is the version of the arithmetic of prices and stock. It changes when the same rules make
// other figures of the same supply.
const sums = 1

// Rulebook is the book of these settings. set is the merchant's settings of prices and stock; nil:
// every change of the rules counts as the merchant's own.
func (s *Settings) Rulebook(set map[string]string, writes map[string]Writing) Rulebook {
	r := s.Rules
	return Rulebook{
		Figures: text(struct {
			Sums        int
			Price       PriceRule
			StockBuffer int
			Keep        shopadapter.Fields
			HideSoldOut bool `json:",omitempty"`
			Skip        Skip `json:",omitzero"`
			AsDraft     bool `json:",omitempty"`
		}{sums, r.Price, r.StockBuffer, r.Keep & figures, r.HideSoldOut, r.Skip, r.AsDraft}),
		Content: text(struct {
			Languages []string
			SKUPrefix string
			Details   bool              `json:",omitempty"`
			Units     shopadapter.Units `json:",omitzero"`
		}{r.Languages, r.SKUPrefix, r.Details, r.Units}),
		Brake: text(struct {
			Percent decimal.Decimal
			First   Bounds
		}{s.Brake.PricePercent, s.Brake.FirstPrice}),
		Keep: r.Keep, Set: set, Writes: writes,
	}
}

// PriceRules is the part of the book that decides prices.
func (b Rulebook) PriceRules() string {
	var part struct{ Sums, Price json.RawMessage }
	if err := json.Unmarshal([]byte(b.Figures), &part); err != nil {
		return b.Figures // of an earlier version
	}
	return string(part.Sums) + string(part.Price)
}

// Same reports whether two books are equal.
func (b Rulebook) Same(other Rulebook) bool {
	return b.Figures == other.Figures && b.Content == other.Content && b.Brake == other.Brake && b.Keep == other.Keep &&
		maps.Equal(b.Set, other.Set) && maps.Equal(b.Writes, other.Writes)
}

// A Revision is how rules differ from those of the last process.
type Revision struct {
	Figures bool               // rules of prices and stock differ
	Content bool               // other rules differ
	Brake   bool               // the rules of held prices differ
	Freed   shopadapter.Fields // groups that are not the merchant's any more
	Unasked bool               // prices differ without a changed setting
	Prices  bool               // the rules of prices differ, among those of figures
	Held    bool               // the change of prices is held as one: see RulesChange
	Written shopadapter.Fields // groups that the adapter writes otherwise, by settings of its own
	Set     []string           // the settings that have changed, first those of prices and stock, in order
}

// Revise compares a book with the one before. known says whether there is one. A setting of the adapter
// that is new, of another adapter say, decided nothing of what was written.
func (b Rulebook) Revise(before Rulebook, known bool) Revision {
	if !known {
		return Revision{Figures: true, Prices: true, Unasked: true}
	}
	v := Revision{
		Figures: b.Figures != before.Figures, Prices: b.PriceRules() != before.PriceRules(),
		Brake: b.Brake != before.Brake, Freed: before.Keep &^ b.Keep,
	}
	all := map[string]string{}
	maps.Copy(all, before.Set)
	maps.Copy(all, b.Set)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before.Set[name] != b.Set[name] {
			v.Set = append(v.Set, name)
		}
	}
	v.Unasked = v.Figures && b.Set != nil && len(v.Set) == 0
	for _, name := range slices.Sorted(maps.Keys(b.Writes)) {
		if was, known := before.Writes[name]; known && was != b.Writes[name] {
			v.Written, v.Set = v.Written|b.Writes[name].Fields, append(v.Set, name)
		}
	}
	v.Content = b.Content != before.Content || v.Freed&^figures != 0 || v.Written != shopadapter.NoFields
	return v
}

// Any reports whether publications are to follow.
func (v Revision) Any() bool { return v.Figures || v.Content || v.Brake }

// longAgo is when something was read that is to be read anew, as a whole.
const longAgo store.Instant = 1

// Follow marks a publication that is to follow. It reports whether there is something to write. One that
// is refused or held, which other rules may let on sale, is decided anew too.
func (v Revision) Follow(e *store.Entry, now time.Time) bool {
	r := &e.Record
	held := slices.ContainsFunc(r.Holds, func(h store.Hold) bool {
		return h.Kind == store.HoldPrice || h.Kind == store.HoldFirstPrice
	})
	written := r.WrittenAt != 0 && len(r.Variants) > 0
	stands := written && r.Sale != store.Off || r.Problem.Kind == store.ProblemRejected || r.UntitledSince != 0 || held
	let := v.Brake && held
	if written {
		r.Dirty |= v.Freed | v.Written
	}
	if Tombstone(*r) || !stands || !v.Figures && !v.Content && !let {
		return written && (v.Freed|v.Written) != 0 // its next look reads it anyway
	}
	m := store.Mark{At: store.At(now), Class: store.ClassRefresh}
	if v.Figures { // from the record, before anything is read
		m.Class = store.ClassRules
		eachVariant(r, func(v *store.Variant) { v.Corrected = nil })
	}
	if v.Content || let {
		r.ReadAt = min(r.ReadAt, longAgo)
	}
	r.Problem.Content = 0
	e.Note(m)
	return true
}
