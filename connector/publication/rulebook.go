package publication

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
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

	staysOut func(store.Record) string // see Rules; not stored
}

// sums is the version of the arithmetic of prices and stock. It changes when the same rules make
// other figures of the same supply.
const sums = 1

// Rulebook is the book of these rules. set is the merchant's settings of prices and stock; nil:
// every change of the rules counts as the merchant's own.
func (r Rules) Rulebook(set map[string]string) Rulebook {
	return Rulebook{
		Figures: text(struct {
			Sums        int
			Price       PriceRule
			StockBuffer int
			Keep        shopadapter.Fields
			SoldOut     SoldOut   `json:",omitempty"`
			Skip        Skip      `json:",omitzero"`
			PublishAs   PublishAs `json:",omitempty"`
		}{sums, r.Price, r.StockBuffer, r.Keep & figures, r.SoldOut, r.Skip, r.PublishAs}),
		Content: text(struct {
			Languages []string
			SKUPrefix string
			Details   bool              `json:",omitempty"`
			Units     shopadapter.Units `json:",omitzero"`
		}{r.Languages, r.SKUPrefix, r.Details, r.Units}),
		Keep:     r.Keep,
		Set:      set,
		staysOut: r.staysOut,
	}
}

// Rulebook is the book of these settings, of which set is as in [Rules.Rulebook].
func (p Settings) Rulebook(set map[string]string) Rulebook {
	b := p.Rules.Rulebook(set)
	b.Writes = p.Writes
	b.Brake = text(struct {
		Percent decimal.Decimal
		First   Bounds
	}{p.Brake.PricePercent, p.Brake.FirstPrice})
	return b
}

// WithFigures are these rules, with the rules of prices and stock of another.
func (r Rules) WithFigures(of Rules) Rules {
	r.Price, r.StockBuffer, r.Keep = of.Price, of.StockBuffer, r.Keep&^figures|of.Keep&figures
	r.SoldOut, r.Skip, r.PublishAs = of.SoldOut, of.Skip, of.PublishAs
	return r
}

// Check is why a rule that came from outside cannot make a price.
func (r PriceRule) Check() error {
	if r.Ending != nil && !r.EndingMod.IsPositive() {
		return errors.New("the ending says nothing of the distance between two prices")
	}
	return nil
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

	staysOut func(store.Record) string // nil: nothing is known to stay out
}

// Revise compares a book with the one before. known says whether there is one.
func (b Rulebook) Revise(before Rulebook, known bool) (v Revision) {
	v.staysOut = b.staysOut
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

// Apply marks a publication that is to follow. It reports whether there is something to write. A
// refused or held publication that the changed rules may let on sale is read again too.
func (v Revision) Apply(s *store.Settlement, now time.Time) bool {
	r := &s.Record
	written := r.WrittenAt != 0 && len(r.Variants) > 0
	before := *r
	if v.Figures {
		r.Unasked = written && v.Unasked
		r.Corrections = nil
	}
	if v.Prices {
		r.Ruling = ""
		if v.Held && written {
			r.Ruling = store.RulingHeld
		}
	}
	if written {
		r.Attempted |= v.Freed | v.Written
	}
	changed := r.Unasked != before.Unasked || r.Ruling != before.Ruling || r.Attempted != before.Attempted ||
		len(r.Corrections) != len(before.Corrections)
	held := func(kinds ...store.HoldKind) bool {
		return slices.ContainsFunc(r.Holds, func(h store.Hold) bool { return slices.Contains(kinds, h.Kind) })
	}
	follows := written && (r.OnSale || r.Draft || r.Unsellable != "") || r.Problem.Kind == store.ProblemRejected ||
		r.UntitledSince != 0 ||
		held(store.HoldFirstPrice)
	let := v.Brake && held(store.HoldPrice, store.HoldFirstPrice)
	if why := v.stillOut(*r); why != "" {
		r.Problem.Message = skippedBy + why
		return changed || r.Problem.Message != before.Problem.Message
	}
	if Gone(*r) || !let && !(follows && (v.Figures || v.Content)) {
		return changed // its next look reads it anyway
	}
	s.Next = &store.Mark{Class: store.ClassRefresh, At: store.At(now)}
	if v.Figures {
		s.Next.Cause |= store.CauseRules
		if Repriceable(*r) {
			s.Next.Class = store.ClassRules
		}
	}
	if v.Content || let {
		s.Next.Cause |= store.CauseSettings
	}
	return true
}

// stillOut is why an entry that a rule kept out is kept out by the present rules too. It needs no look:
// with thousands of them a change of prices would read them all.
func (v Revision) stillOut(r store.Record) string {
	if v.staysOut == nil || v.Content {
		return ""
	}
	return v.staysOut(r)
}

const (
	// what a look without a reading is for
	unread = store.CauseRules | store.CauseDrift
	// what it serves, or leaves to a later one
	repricing = unread | store.CauseSettings | store.CauseRemainder | store.CausePictures | store.CauseRetry
)

// Reprices reports whether a mark asks for prices and stock by other rules, or as they were written
// before somebody changed them in the shop, and for nothing that has to be read first.
func Reprices(m store.Mark) bool {
	return (m.Class == store.ClassRules || m.Class == store.ClassFull) && m.Cause&unread != 0 &&
		m.Cause&^repricing == 0
}

// Repriceable reports whether a record has all that changed rules need, and no attempt is open.
func Repriceable(r store.Record) bool {
	if !figuresStand(r) {
		return false
	}
	for _, v := range r.Variants {
		if !v.Supplied.Known {
			return false
		}
	}
	return true
}

// Reprice is the first decision of a look without a reading: the present rules applied to the
// supplier's figures as last read. ok is false where the publication must be read.
func (by *Decider) Reprice(r store.Record, m store.Mark, now time.Time) (d Decision, ok bool) {
	d = Decision{by: by, mark: m, start: r, rec: r, asked: now, figured: true, repriced: true}
	if !Repriceable(r) {
		return d, false
	}
	of := make([]marketplace.Variant, len(r.Variants))
	for i, v := range r.Variants {
		of[i] = variantOf(v.ID, v.Supplied)
	}
	return d, d.compareFigures(of)
}

// ReadLater settles a look that could not reprice: the publication is read at the priority of
// refreshes.
func (by *Decider) ReadLater(r store.Record, m store.Mark, now time.Time) store.Settlement {
	s := by.Skip(r, m, now)
	read := store.Mark{
		Class: store.ClassRefresh,
		Cause: m.Cause&(unread|store.CauseSettings) | store.CauseRead,
		At:    store.At(now),
	}
	if m.Cause&store.CauseDrift != 0 { // visitors see it
		read.Class = store.ClassFull
	}
	if r.RemainderSince != 0 {
		read = by.refresh(r, now).Merge(read)
		read.Cause |= store.CauseRead
	}
	s.Next = &read
	return s
}
