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

// MetaRules is the fact of the store that holds a Rulebook.
const MetaRules = "rules"

// MetaFollowed is the fact of the store that holds how many publications the last change of the
// rules concerned.
const MetaFollowed = "rules followed"

// A Rulebook is the rules that the listings of a store were made by.
type Rulebook struct {
	Figures string             `json:"figures"` // the rules of prices and stock
	Content string             `json:"content"` // those of everything else
	Brake   string             `json:"brake"`   // what holds a price
	Keep    shopadapter.Fields `json:"keep"`
	// setting of prices and stock -> digest of the value that the merchant gave it
	Set map[string]string `json:"set"`
	// the adapter's settings that decide what is written, by variable
	Writes map[string]Writing `json:"writes,omitempty"`
}

// sums is the version of the arithmetic of prices and stock. It changes when the same rules make
// other figures of the same supply.
const sums = 1

// A Writing is a setting of the adapter that decides what is written.
type Writing struct {
	Fields shopadapter.Fields `json:"fields"` // that are written otherwise where it changes
	Digest string             `json:"digest"` // of its value
}

// Rulebook is the book of these rules. set is the merchant's settings of prices and stock; nil:
// every change of the rules counts as the merchant's own.
func (r Rules) Rulebook(set map[string]string) Rulebook {
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
		Keep: r.Keep,
		Set:  set,
	}
}

// Rulebook is the book of these settings, of which set is as in [Rules.Rulebook].
func (s *Settings) Rulebook(set map[string]string, writes map[string]Writing) Rulebook {
	b := s.Rules.Rulebook(set)
	b.Writes = writes
	b.Brake = text(struct {
		Percent decimal.Decimal
		First   Bounds
	}{s.Brake.PricePercent, s.Brake.FirstPrice})
	return b
}

// text is a value without maps as text. Equal values have equal texts.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot be: decimals, numbers and strings have a text
	}
	return string(data)
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
	Set     []string           // the settings of prices and stock that have changed, in order
}

// Revise compares a book with the one before. known says whether there is one.
func (b Rulebook) Revise(before Rulebook, known bool) (v Revision) {
	if !known {
		v.Figures, v.Prices, v.Unasked = true, true, true
		return v
	}
	for _, name := range slices.Sorted(maps.Keys(b.Set)) {
		if before.Set[name] != b.Set[name] {
			v.Set = append(v.Set, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.Set)) {
		if _, set := b.Set[name]; !set {
			v.Set = append(v.Set, name)
		}
	}
	v.Freed = before.Keep &^ b.Keep
	v.Figures = b.Figures != before.Figures
	v.Prices = v.Figures && b.PriceRules() != before.PriceRules()
	v.Content = b.Content != before.Content || v.Freed&^figures != 0
	v.Brake = b.Brake != before.Brake
	v.Unasked = v.Figures && b.Set != nil && len(v.Set) == 0
	v.Written, v.Set = b.rewritten(before, v.Set)
	v.Content = v.Content || v.Written != shopadapter.NoFields
	return v
}

// rewritten is the groups that the adapter writes otherwise than by the book before, and names with
// the settings that say so. One that is new, of another adapter say, decided nothing of what was
// written.
func (b Rulebook) rewritten(before Rulebook, names []string) (fields shopadapter.Fields, with []string) {
	for _, name := range slices.Sorted(maps.Keys(b.Writes)) {
		if was, known := before.Writes[name]; known && was != b.Writes[name] {
			fields, names = fields|b.Writes[name].Fields, append(names, name)
		}
	}
	return fields, names
}

// Any reports whether publications are to follow.
func (v Revision) Any() bool { return v.Figures || v.Content || v.Brake }

// longAgo is when something was read that is to be read anew, as a whole.
const longAgo store.Instant = 1

// Follow marks a publication that is to follow. It reports whether there is something to write. One that
// is refused or held, which other rules may let on sale, is decided anew too.
func (v Revision) Follow(e *store.Entry, now time.Time) bool {
	r := &e.Record
	held := func(h store.Hold) bool { return h.Kind == store.HoldPrice || h.Kind == store.HoldFirstPrice }
	written := r.WrittenAt != 0 && len(r.Variants) > 0
	stands := written && r.Sale != store.Off || r.Problem.Kind == store.ProblemRejected || r.UntitledSince != 0 ||
		slices.ContainsFunc(r.Holds, held)
	let := v.Brake && slices.ContainsFunc(r.Holds, held)
	if Tombstone(*r) || !stands || !v.Figures && !v.Content && !let {
		if written {
			r.Dirty |= v.Freed | v.Written
		}
		return written && (v.Freed|v.Written) != 0 // its next look reads it anyway
	}
	if v.Figures {
		r.Variants = slices.Clone(r.Variants)
		for i := range r.Variants {
			r.Variants[i].Corrected = nil
		}
	}
	if written {
		r.Dirty |= v.Freed | v.Written
	}
	m := store.Mark{At: store.At(now), Class: store.ClassRefresh}
	if v.Content || let {
		r.ReadAt = min(r.ReadAt, longAgo)
	}
	if v.Figures { // from the record, before anything is read
		m.Class = store.ClassRules
	}
	r.Problem.Content = 0
	e.Note(m)
	return true
}
