// Package publication holds every rule about one publication: the shop's product, what counts as a change, what a
// brake holds, the state, and the owed report. It is pure: it reads no clock, store, network or log.
//
// A look is Decide, which returns the one thing to do now. Begun makes a step durable before it calls the shop, and
// Ended applies the end of any step; both take the record as it is in their transaction. The other functions of an
// Entry work outside of a look. A bool that such a function returns reports whether there is something to write,
// unless its comment says otherwise.
//
// The files in the order of a look: need, text, price (with parse, skip), product, variant, brake, decide, settle,
// state. A new price rule goes into [Pricer].Quote in price.go, a new brake into judge.shows in brake.go, a rule that
// keeps out into skip.go.
package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Settings are what the rules depend on.
type Settings struct {
	Rules
	Brake Brake

	OnRemoved    OnRemoved
	ReportDrift  bool // figures changed in the shop are shown, and left
	FailAfter    time.Duration
	RefreshAfter time.Duration // what was read longer ago is read again
	HoldsRules   bool          // no setting made the price rules: what they move is held
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
