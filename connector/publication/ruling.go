package publication

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// MetaRuling is the fact of the store that holds the RulesChange of the present rules of prices.
const MetaRuling = "rules ruling"

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

// PriceRules is the part of the book that decides prices.
func (b Rulebook) PriceRules() string {
	var part struct {
		Sums  json.RawMessage
		Price json.RawMessage
	}
	if err := json.Unmarshal([]byte(b.Figures), &part); err != nil {
		return b.Figures // of an earlier version
	}
	return string(part.Sums) + string(part.Price)
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
	if s.Keep.Has(shopadapter.FieldPrice) || r.Sale != store.OnSale || r.WrittenAt == 0 || r.Removal != (store.Removal{}) ||
		s.Price.NeedsTerms() && !r.Terms.Known { // it is read first
		return
	}
	price := s.Price.For(r.Terms)
	known, moved, far := false, false, false
	for _, v := range r.Variants {
		q, err := price.Quote(v.Supply.Cost, v.Supply.MSRP)
		if !v.Supply.Known || err != nil || q.Lacks != "" || v.Refused != "" {
			continue
		}
		known = true
		stays := slices.ContainsFunc(r.Holds, func(h store.Hold) bool { // for a reason that no rule mends
			supplier := h.Kind == store.HoldPrice && h.Cause != "rules" && h.Verdict != store.Approved
			return h.Variant == v.ID && (supplier || h.Verdict == store.Declined && sameAmount(h.New, q.Price))
		})
		if sameAmount(v.Written.Price, q.Price) || stays {
			continue
		}
		moved = true
		far = far || s.Brake.movesFar(v.Written.Price, q.Price)
		p.sums.Add(store.Hold{Old: v.Written.Price, New: q.Price.StringFixed(2)})
	}
	for n, is := range map[*int]bool{&p.change.Products: known, &p.change.Moved: moved, &p.change.Far: far} {
		if is {
			*n++
		}
	}
}

// Change is the change that was judged, and whether it is held: where more than a fifth of the
// products have a price that moves by more than the brake lets pass, and always where no setting of
// the merchant's has changed.
func (p *Projection) Change(v Revision, b Rulebook, now time.Time) (c RulesChange, held bool) {
	c = p.change
	c.Prices, c.Ruling, c.At, c.Set, c.Percent = b.PriceRules(), store.RulingHeld, now.UTC(), v.Set,
		p.settings.Brake.PricePercent.String()
	c.Changes, c.Up, c.Down = p.sums.Changes, p.sums.Up, p.sums.Down
	c.Old, c.New, c.Largest = p.sums.Old(), p.sums.New(), p.sums.Largest()
	return c, c.Moved > 0 && (v.Unasked || c.Far*rulesShare > c.Products)
}
