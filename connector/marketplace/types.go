package marketplace

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// The texts of all types are as sent: a number is kept digit by digit, so that no price is rounded,
// and what is null is "".

// An Entry is a publication without its content, or a product variant with its product.
type Entry struct {
	ID         string
	UpdatedAt  string // ISO 8601
	Status     string // lower case: syncing, success, failed, or a value this package does not know
	ProductURL string // only where detail was asked for
	Product    struct{ ID string }
	Err        error `json:"-"` // of a look: why nothing is known of this publication now; it is not gone
}

// UnmarshalJSON leaves out what has another shape: an entry without an id may be any publication.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type plain Entry
	var fresh plain
	err := json.Unmarshal(data, &fresh)
	if errors.As(err, new(*json.UnmarshalTypeError)) { // all else of it is read
		err = nil
	}
	*e = Entry(fresh)
	return err
}

// A Page is part of a list. Of publications, Entries has only those with an id and an updatedAt.
type Page struct {
	Entries  []Entry
	Undated  []string // ids of entries without an updatedAt
	Nameless int      // entries without an id, or null: each may be any publication
	End      string   // cursor of the last entry; "" on an empty page
	More     bool     // another page follows
	// what happened after Asked may not be on the page, what happened before Answered may be
	Asked, Answered time.Time
}

// A Publication is one entry of the import list with its content.
type Publication struct {
	ID         string
	Status     string // lower case
	ProductURL string
	UpdatedAt  string   // ISO 8601
	Listing    *Listing // nil: there is none
	Languages  []string // that were asked for: the wanted ones that the marketplace has
}

// A Listing is what the supplier offers.
type Listing struct {
	ID           string
	ProductID    string                 // of the supplier's product; "" when there is none
	Translations map[string]Translation // by language, without nulls
	Category     Category
	Shipping     []Shipping
	Returns      string    // "true", "false", or the supplier's words
	Variants     []Variant // all of them
	Images       []string  // addresses, the main one first
	Details      bool      // the product's own word was asked for: else brand and details are not known
	Brand        string
	Size         Details            // of the product: it counts for a variant that has none of its own
	BySKU        map[string]Details // of the product's variants, by SKU
	Unread       []string           // fields in a shape that cannot be read, or only in part: names below
}

// The names of Unread.
const (
	UnreadCategory = "category"
	UnreadShipping = "shipping"
	UnreadReturns  = "returns"
	UnreadEAN      = "ean"
	UnreadImages   = "images"
	UnreadDetails  = "brand, details"
)

// unread records, once, that a field could not be read.
func (l *Listing) unread(name string, yes bool) {
	if yes && !slices.Contains(l.Unread, name) {
		l.Unread = append(l.Unread, name)
	}
}

// A Translation is a listing's text in one language.
type Translation struct{ Title, Description string }

// A Category is the marketplace's. Path is upper-case words joined by underscores. Branch comes from
// the tree of categories.
type Category struct {
	Path, Name string
	Branch     []CategoryNode `json:"-"` // from the root, the category itself last; empty: not known
}

// Shipping is what sending to a group of countries costs and how long it takes.
type Shipping struct {
	CountryGroup  string
	FixedCosts    string
	VariableCosts string
	EstimatedDays string `json:"estimatedShippingDays"`
}

// A Variant is one thing that can be sold. Prices are decimal, "" where there is none.
type Variant struct {
	ID       string
	Title    string
	Options  []Option
	Cost     string `json:"dropshippingPrice"`
	MSRP     string
	SKU      string
	EAN      string
	Quantity *int   // negative when backordered; nil when the server does not say
	Policy   string `json:"inventoryPolicy"` // upper case; CONTINUE: sold on below zero
}

// An Option is one choice of a variant.
type Option struct{ Name, Value string }

// Details are what a product or one of its variants says beside.
type Details struct {
	Brand                                           string
	Weight, Length, Width, Height, Diameter, Volume string
	CaseQuantity, MadeIn, LeadTime, AvailableAt     string
	Tags                                            []string
	Materials                                       []string `json:"filterMaterial"`
}

// Figures are one publication's updatedAt and the figures of its variants: price and stock.
type Figures struct {
	UpdatedAt string
	Variants  []Variant // with ID, Cost, MSRP, Quantity and Policy
	Whole     bool      // these are all of its variants
}

// A Webhook is a registration: what happens is posted to an address.
type Webhook struct {
	ID          string   `json:"id"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"`
	Active      bool     `json:"active"`
}

// A CategoryNode is one category of the tree. Name is in the language asked for where there is one.
type CategoryNode struct {
	Path   string `json:"path"`
	Parent string `json:"parent,omitempty"` // path of the category above; "" at the root
	Depth  int    `json:"depth,omitempty"`  // levels above it, as the marketplace counts them
	Name   string `json:"name,omitempty"`
}

// A Report tells the marketplace what became of a publication in the shop.
type Report struct {
	ID     string
	Status string // "success" or "failed"
	URL    string // where a customer sees the product; "" leaves out what the marketplace holds
}

// A Result is the marketplace's answer to one Report.
type Result struct {
	Status    string // what the marketplace holds now, in lower case
	UpdatedAt string // moved by the report itself
	// nil: it was accepted. One of kind Refused is about this publication alone; after one of kind
	// Transient it may have been accepted
	Err error
}
