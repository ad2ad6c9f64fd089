package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Settings are what the rules depend on.
type Settings struct {
	Rules     Rules
	Brake     Brake
	OnRemoved OnRemoved
	OnDrift   OnDrift
	// the adapter's settings that decide what is written, by variable
	Writes       map[string]Writing
	FailAfter    time.Duration
	RefreshAfter time.Duration
	// whether the shop can list what the adapter made, as far as is known; nil: it cannot
	Lists func() bool
	// the wait before another try; random, so that publications that failed together are not tried
	// together
	Backoff func(attempts int) time.Duration
}

func (p Settings) lists() bool { return p.Lists != nil && p.Lists() }

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
	SoldOut     SoldOut
	PublishAs   PublishAs
	Skip        Skip
}

// OnRemoved is what happens to a listing whose entry is gone from the import list.
type OnRemoved string

// The choices.
const (
	RemovedUnpublish OnRemoved = "unpublish"
	RemovedDelete    OnRemoved = "delete"
	RemovedKeep      OnRemoved = "keep"
)

// OnDrift is what becomes of figures that somebody changed in the shop.
type OnDrift string

// The choices.
const (
	DriftCorrect OnDrift = "correct" // they are put right
	DriftReport  OnDrift = "report"  // they are shown, and left
)

// A Writing is a setting of the adapter that decides what is written.
type Writing struct {
	Fields shopadapter.Fields `json:"fields"` // that are written otherwise where it changes
	Digest string             `json:"digest"` // of its value
}
