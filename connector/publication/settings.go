// Package publication holds every rule about one publication: how the marketplace's listing becomes the
// shop's product, what counts as a change, what a brake holds, in which state the publication is, and
// which report is owed. It is pure: it reads no clock, store, network or log, and gets all data as
// arguments.
//
// A look is Decide, which says the one thing that is to be done now. A step that calls the shop is made
// durable by Begun before it and applied by Ended after it, both to the record as it is in their
// transaction; any other by Ended alone. What happens outside of a look is a function of an Entry: Listed,
// Absent, Observe, Retry, Approve, Decline, Acknowledged, Refused, Follow, TakeOver; each that returns a bool
// reports whether there is something to write.
//
// The files in the order of a look: need, text, price (with parse, skip), product, variant, brake, decide,
// settle, state. Beside them: list, ask, drift; diff; rules, facts. A new price rule goes into
// [Pricer].Quote in price.go, a new brake into judge.shows in brake.go, a rule that keeps out into skip.go.
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
	ReportDrift  bool // figures that somebody changed in the shop are shown, and left
	FailAfter    time.Duration
	RefreshAfter time.Duration // what was read longer ago is read again, and every thirtieth time as a whole
	HoldsRules   bool          // no setting made the rules of prices, so that each price that they move is held
	// the wait of a publication before another try; spread, so that those that failed together are
	// not tried together, and the same each time it is asked for one try
	Backoff func(id string, tries int) time.Duration
}

// Rules say how a listing of the marketplace becomes a product of the shop.
type Rules struct {
	Currency    string   // of the marketplace's amounts, which are the shop's: nothing is converted
	Languages   []string // in order of preference: the first that has a title is the product's
	SKUPrefix   string
	Keep        shopadapter.Fields // written at creation only, the merchant's from then on
	Price       PriceRule
	StockBuffer int               // units kept back
	Details     bool              // brand and details are read, and written
	Units       shopadapter.Units // that the marketplace's decimals are in
	HideSoldOut bool              // what is sold out is taken off sale until it has stock
	AsDraft     bool              // a new product is complete, and the merchant puts it on sale
	Skip        Skip
}

// WithFigures are these rules, with the rules of prices and stock of another.
func (r Rules) WithFigures(of Rules) Rules {
	r.Price, r.StockBuffer, r.Keep = of.Price, of.StockBuffer, r.Keep&^figures|of.Keep&figures
	r.HideSoldOut, r.Skip, r.AsDraft = of.HideSoldOut, of.Skip, of.AsDraft
	return r
}

// OnRemoved is what happens to a listing whose entry is gone from the import list.
type OnRemoved string

// The choices.
const (
	RemovedUnpublish OnRemoved = "unpublish"
	RemovedDelete    OnRemoved = "delete"
	RemovedKeep      OnRemoved = "keep"
)
