package marketplace

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Texts are as sent: numbers keep their digits, so that no price is rounded, and null is "".

// An Entry is a publication without content, or a product variant.
type Entry struct {
	ID         string
	UpdatedAt  string // ISO 8601
	Status     string // lower case: syncing, success, failed, or another word
	ProductURL string // with detail
	Product    struct{ ID string }
	Err        error `json:"-"` // of a look: why the state is not known now; it is not gone
}

// UnmarshalJSON skips members of another shape.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type plain Entry
	var fresh plain
	err := json.Unmarshal(data, &fresh)
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		err = nil
	}
	*e = Entry(fresh)
	return err
}

// A Page is part of a list. Entries of publications have an id and an updatedAt.
type Page struct {
	Entries  []Entry
	Undated  []string // ids without an updatedAt
	Nameless int      // without an id, or null: each may be any publication
	End      string   // of the last entry; "" on an empty page
	More     bool
	// changes after Asked may be missing, changes before Answered may be included
	Asked, Answered time.Time
}

type Publication struct {
	ID         string
	Status     string
	ProductURL string
	UpdatedAt  string
	Listing    *Listing // nil: none
	Languages  []string // wanted ones that the marketplace has
}

type Listing struct {
	ID           string
	ProductID    string // of the supplier's product, or ""
	Translations map[string]Translation
	Category     Category
	Shipping     []Shipping
	Returns      string // "true", "false", or the supplier's words
	Variants     []Variant
	Images       []string // main one first
	Details      bool     // false: Brand, Size and BySKU are not known
	Brand        string
	Size         Details // of the product: for variants without any
	BySKU        map[string]Details
	Unread       []string // not read, or only in part
}

const (
	UnreadCategory = "category"
	UnreadShipping = "shipping"
	UnreadReturns  = "returns"
	UnreadEAN      = "ean"
	UnreadImages   = "images"
	UnreadDetails  = "brand, details"
)

func (l *Listing) unread(name string, yes bool) {
	if yes && !slices.Contains(l.Unread, name) {
		l.Unread = append(l.Unread, name)
	}
}

type Translation struct{ Title, Description string }

// A Category is the marketplace's. Path is upper-case words joined by underscores.
type Category struct {
	Path, Name string
	Branch     []CategoryNode `json:"-"` // from the root to the category itself; empty: not known
}

type Shipping struct {
	CountryGroup  string
	FixedCosts    string
	VariableCosts string
	EstimatedDays string `json:"estimatedShippingDays"`
}

// A Variant is one thing for sale. Prices are decimal, or "".
type Variant struct {
	ID       string
	Title    string
	Options  []Option
	Cost     string `json:"dropshippingPrice"`
	MSRP     string
	SKU      string
	EAN      string
	Quantity *int   // negative when backordered; nil: not known
	Policy   string `json:"inventoryPolicy"` // upper case; CONTINUE: sold below zero
}

type Option struct{ Name, Value string }

type Details struct {
	Brand                                           string
	Weight, Length, Width, Height, Diameter, Volume string
	CaseQuantity, MadeIn, LeadTime, AvailableAt     string
	Tags                                            []string
	Materials                                       []string `json:"filterMaterial"`
}

// Figures are a publication's updatedAt and its variants' prices and stock.
type Figures struct {
	UpdatedAt string
	Variants  []Variant // with ID, Cost, MSRP, Quantity and Policy
	Whole     bool      // Variants is complete
}

type Webhook struct {
	ID          string   `json:"id"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"`
	Active      bool     `json:"active"`
}

// A CategoryNode is one category of the tree. Name is in the language asked for where possible.
type CategoryNode struct {
	Path   string `json:"path"`
	Parent string `json:"parent,omitempty"` // path of the category above; "" at the root
	Depth  int    `json:"depth,omitempty"`
	Name   string `json:"name,omitempty"`
}

// A Report tells the marketplace what became of a publication in the shop.
type Report struct {
	ID     string
	Status string // "success" or "failed"
	URL    string // where a customer sees the product; "" leaves out what the marketplace holds
}

type Result struct {
	Status    string // now, in lower case
	UpdatedAt string // moved by the report itself
	// nil: accepted. Kind Refused is about this publication alone; after Transient it may have been accepted
	Err error
}
