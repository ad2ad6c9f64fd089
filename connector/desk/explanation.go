package desk

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

type Explanation struct {
	ID       string      `json:"id"`
	State    store.State `json:"state"`
	Title    string      `json:"title"`
	Source   Source      `json:"source"`
	Shop     Placed      `json:"shop"`
	Variants []Explained `json:"variants"`
	Problem  *Problem    `json:"problem"`
	Held     []HeldNow   `json:"held"`
	Declined []HeldNow   `json:"declined,omitempty"` // held changes that a person declined, since then
	// why it would be kept out of the shop if it were not on sale already
	KeptOut string `json:"keptOut,omitempty"`
	// why it is off sale until something of it can be bought
	Unsellable string     `json:"unsellable,omitempty"`
	Report     Reporting  `json:"report"`
	Next       *time.Time `json:"nextAttemptAt"`
	NextWhy    []string   `json:"nextAttemptWhy,omitempty"`
	History    []Happened `json:"history"`
}

type Source struct {
	Listing   string              `json:"listingId"`
	Product   string              `json:"productId"`
	UpdatedAt string              `json:"updatedAt"`
	ReadAt    time.Time           `json:"readAt,omitzero"`
	ListedAt  time.Time           `json:"listedAt,omitzero"`
	Removal   store.RemovalReason `json:"removal,omitempty"`
	// fields that the marketplace gives in a shape that cannot be read
	Unread string `json:"unread,omitempty"`
	Terms  *Terms `json:"terms,omitempty"` // null: not read since they are kept
}

// Terms are the supplier's, that rules of prices go by beside the figures of the variants.
type Terms struct {
	Branch   []string   `json:"branch,omitempty"`   // paths of categories, from the root
	Rootless bool       `json:"rootless,omitempty"` // Branch has its own category alone
	Delivery []Delivery `json:"delivery,omitempty"`
}

// A Delivery is what sending to a group of countries costs and how long it takes.
type Delivery struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`
	EstimatedDays string `json:"estimatedDays"`
}

func termsOf(t store.Terms) *Terms {
	if !t.Known {
		return nil
	}
	told := &Terms{Branch: t.Branch, Rootless: t.Rootless}
	for _, d := range t.Delivery {
		told.Delivery = append(
			told.Delivery,
			Delivery{CountryGroup: d.Group, FixedCosts: d.Costs, EstimatedDays: d.Days},
		)
	}
	return told
}

// Stored are the terms as a record has them.
func (t *Terms) Stored() store.Terms {
	if t == nil {
		return store.Terms{}
	}
	kept := store.Terms{Known: true, Branch: t.Branch, Rootless: t.Rootless}
	for _, d := range t.Delivery {
		kept.Delivery = append(
			kept.Delivery,
			store.Delivery{Group: d.CountryGroup, Costs: d.FixedCosts, Days: d.EstimatedDays},
		)
	}
	return kept
}

type Placed struct {
	ID        string             `json:"id"`
	URL       string             `json:"url"`
	OnSale    bool               `json:"onSale"`
	WrittenAt time.Time          `json:"writtenAt,omitzero"`
	Draft     bool               `json:"draft,omitempty"` // it waits for the merchant to put it on sale
	Unsettled shopadapter.Fields `json:"unsettled"`       // groups sent to the shop whose outcome is not known
	Kept      shopadapter.Fields `json:"kept"`            // groups left as the merchant edited them
	Missing   []Missing          `json:"missing"`         // pictures of the product that the listing does not show
}

// Missing is a picture that a listing does not show.
type Missing struct {
	URL    string `json:"url"`
	Reason string `json:"reason"`
	Later  bool   `json:"later"` // it could not be fetched and is asked for again; false: the shop refuses it
}

// Explained is one variant and how its price and its stock came about.
type Explained struct {
	ID         string   `json:"id"`
	ShopID     string   `json:"shopId,omitempty"`
	Title      string   `json:"title"`
	SKU        string   `json:"sku"`
	Price      string   `json:"price"`
	Cost       string   `json:"cost"`
	MSRP       string   `json:"msrp"`
	Quantity   int      `json:"quantity"`
	Backorders bool     `json:"backorders"`
	Refused    string   `json:"refused,omitempty"`
	Steps      []string `json:"priceSteps,omitempty"`
	StockSteps []string `json:"stockSteps,omitempty"`
}

// Problem is what keeps it from being settled.
type Problem struct {
	Kind     store.ProblemKind `json:"kind"`
	Message  string            `json:"message"`
	Attempts int               `json:"attempts"`
	Since    time.Time         `json:"since"`
	Last     time.Time         `json:"last"`
}

// HeldNow is a change that a brake holds.
type HeldNow struct {
	Key     string         `json:"key"` // by which an answer names it
	Kind    store.HoldKind `json:"kind"`
	Group   string         `json:"group,omitempty"` // kind and cause
	Variant string         `json:"variant,omitempty"`
	Old     string         `json:"old,omitempty"`
	New     string         `json:"new,omitempty"`
	Reason  string         `json:"reason"`
	Since   time.Time      `json:"since"`
	Ways    []string       `json:"ways,omitempty"` // what can have happened, and the command for each
}

// Reporting is what the marketplace was told, and what it is still owed.
type Reporting struct {
	Status store.Status `json:"status"`
	URL    string       `json:"url,omitempty"`
	At     time.Time    `json:"at,omitzero"`
	Owed   store.Status `json:"owed,omitempty"`
	Error  string       `json:"error,omitempty"` // why the marketplace refuses what is owed

	Refusals  int       `json:"refusals,omitempty"` // how often it has
	RefusedAt time.Time `json:"refusedAt,omitzero"` // the last time
	// when it is made again, unless an enumeration, a person or a restart comes first
	Next *time.Time `json:"nextReportAt,omitempty"`
}

type Happened struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`         // a sentence with the numbers
	By   string    `json:"by,omitempty"` // the person who approved, declined or retried it

	Kind  string  `json:"kind,omitempty"`  // see [store.EventKind.String]; empty: What says it all
	Moves []Moved `json:"moves,omitempty"` // of an explanation; a list of events of many publications has none
	More  int     `json:"more,omitempty"`  // moves that were left out
}

// A Moved is what an event changed from one value to another.
type Moved struct {
	Variant string `json:"variant,omitempty"` // its id, of which a long one is cut; empty: of the publication
	Option  string `json:"variantTitle,omitempty"`
	Old     string `json:"old,omitempty"` // empty: there was none
	New     string `json:"new,omitempty"` // empty: there is none any longer
}
