// Package publication holds every rule about one publication: the shop's product, what counts as a change, what a
// brake holds, the state, and the owed report. It is pure: it reads no clock, store, network or log.
//
// A look is Decide, which returns the one thing to do now. Begun makes a step durable before it calls the shop, and
// Ended applies the end of any step; both take the record as it is in their transaction. The other functions of an
// Entry work outside of a look. A bool that such a function returns reports whether there is something to write,
// unless its comment says otherwise.
//
// The files in the order of a look: need, text, price (with parse, skip), product, variant, brake, decide, settle,
// state. A new price rule goes into [Pricer].Quote in price.go, a new brake into judge.trips in brake.go, a rule that
// keeps out into skip.go.
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
	Figures bool               // rules of prices, stock or brakes differ
	Content bool               // other rules differ
	Freed   shopadapter.Fields // groups no longer the merchant's
	Written shopadapter.Fields // groups that the adapter writes otherwise
	Unasked bool               // prices differ without a changed setting
	Set     []string           // changed settings, sorted
}

// Revise compares a book with the one before, which is zero in a new store.
func (b Rulebook) Revise(before Rulebook) Revision {
	if before.Prices == "" {
		return Revision{Figures: true, Unasked: true}
	}
	prices := b.Prices != before.Prices
	v := Revision{Figures: prices || b.Figures != before.Figures, Freed: before.Keep &^ b.Keep}
	names := slices.AppendSeq(slices.Collect(maps.Keys(b.Set)), maps.Keys(before.Set))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if value, is := b.Set[name]; !is || before.Set[name] != value {
			v.Set = append(v.Set, name)
		}
	}
	v.Unasked = prices && b.Set != nil && len(v.Set) == 0
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
		return isSettled(v) && merchants(r, v.ID) == "" && movedByRules(price, v.Written)
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
func (b Brake) Try(rules Rules, r store.Record, v store.Variant) (t Trial, ok bool, err error) {
	old := amountOf(v.Written.Price)
	if !old.IsPositive() || v.Refused != "" {
		return t, false, nil
	}
	t.Old, t.Cost = v.Written.Price, v.Supply.Cost
	q := Quote{Price: old} // the merchant's
	if !rules.Keep.Has(shopadapter.FieldPrice) && merchants(r, v.ID) == "" {
		q, err = rules.Price.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP)
	}
	if err == nil {
		t.New, t.Held = q.Price.StringFixed(2), b.movesFar(t.Old, q.Price)
		t.Percent = q.Price.Sub(old).Shift(2).Div(old).InexactFloat64()
	}
	return t, true, err
}

// Settings are what the rules depend on.
type Settings struct {
	Rules
	Brake Brake

	OnRemoved    OnRemoved
	ReportDrift  bool // figures changed in the shop are shown, and left
	FailAfter    time.Duration
	RefreshAfter time.Duration // what was read longer ago is read again
	// the wait before another try, always the same for one try; spread, so that what failed together is not tried
	// together
	Backoff func(id string, tries int) time.Duration
}

// Rules say how a listing of the marketplace becomes a product of the shop.
type Rules struct {
	Currency    string   // of the marketplace and the shop: nothing is converted
	Languages   []string // by preference: the first that has a title is the product's
	SKUPrefix   string
	Keep        shopadapter.Fields // written at creation only, then the merchant's
	Price       PriceRule
	StockBuffer int // units kept back
	Details     bool
	Units       shopadapter.Units // of the marketplace's decimals
	HideSoldOut bool              // what is sold out is off sale
	AsDraft     bool              // the merchant puts a new product on sale
	Skip        Skip
}

// WithFigures returns these rules with another's rules of prices and stock.
func (r Rules) WithFigures(of Rules) Rules {
	r.Price, r.StockBuffer, r.Keep = of.Price, of.StockBuffer, r.Keep&^figures|of.Keep&figures
	r.HideSoldOut, r.Skip, r.AsDraft = of.HideSoldOut, of.Skip, of.AsDraft
	return r
}

// OnRemoved is what happens to a listing whose entry is gone.
type OnRemoved string

const (
	RemovedUnpublish OnRemoved = "unpublish"
	RemovedDelete    OnRemoved = "delete"
	RemovedKeep      OnRemoved = "keep"
)
