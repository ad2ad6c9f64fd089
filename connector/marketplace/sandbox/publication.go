package sandbox

import (
	"encoding/json"
	"slices"
	"time"
)

// The statuses of a publication, as a marketplace that types them as String spells them.
const (
	statusSyncing = "syncing"
	statusSuccess = "success"
	statusFailed  = "failed"
)

// A Publication is one entry of the import list. Its JSON and that of what it holds have the
// schema's names.
type Publication struct {
	ID         string    `json:"id"`     // opaque, any characters; made up by Add when empty
	Status     string    `json:"status"` // lower case whatever the schema's spelling; syncing when empty
	ProductURL string    `json:"productUrl"`
	CreatedAt  time.Time `json:"createdAt"` // set by Add
	UpdatedAt  time.Time `json:"updatedAt"` // set by Add
	Listing    *Listing  `json:"listing"`   // nil: the entry has none
}

func (p *Publication) variants() []Variant {
	if p.Listing == nil {
		return nil
	}
	return p.Listing.Variants
}

// A Listing is what the supplier offers. An empty string is a null in the answer.
type Listing struct {
	ID        string          `json:"id"`        // made up by Add when empty
	ProductID string          `json:"productId"` // made up by Add when empty
	Brand     string          `json:"brand"`
	Details                   // of the product as a whole
	Texts     map[string]Text `json:"translations"`        // by language; one that is missing is a null translation
	Category  string          `json:"category"`            // path of the category
	Returns   string          `json:"dropshippingReturns"` // "true" or "false"; any other text is null
	Shipping  []Shipping      `json:"dropshippingShippingDetails"`
	Variants  []Variant       `json:"variants"`
	Pictures  []Picture       `json:"images"`
}

// A Text is a listing in one language.
type Text struct {
	Title       string `json:"title"`
	Description string `json:"description"` // HTML
}

// A Variant is one thing that can be bought.
type Variant struct {
	ID       string   `json:"id"` // made up by Add when empty
	Options  []Option `json:"options"`
	Cost     string   `json:"dropshippingPrice"` // what the retailer pays, a decimal
	MSRP     string   `json:"msrp"`              // a decimal
	SKU      string   `json:"sku"`
	EAN      string   `json:"ean"`
	Quantity int      `json:"inventoryQuantity"` // negative when more was sold than there is
	Policy   string   `json:"inventoryPolicy"`   // CONTINUE or DENY; DENY when empty
	Details
}

// Details are what a product, or a variant of it, says beside. A product has a size and a weight
// alone, as decimals.
type Details struct {
	Weight       string   `json:"weight"`
	Length       string   `json:"length"`
	Width        string   `json:"width"`
	Height       string   `json:"height"`
	Diameter     string   `json:"diameter"`
	Volume       string   `json:"volume"`
	CaseQuantity int      `json:"caseQuantity,omitzero"`
	MadeIn       string   `json:"madeIn"`
	LeadTime     string   `json:"leadTime"`
	AvailableAt  string   `json:"availableAt"`
	Tags         []string `json:"tags"`
	Materials    []string `json:"filterMaterial"`
}

// An Option is one choice of a variant, Color: Red say.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Shipping is the price of sending to a group of countries.
type Shipping struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`    // a decimal
	VariableCosts string `json:"variableCosts"` // a decimal
	Days          int    `json:"estimatedShippingDays,omitzero"`
}

// A Picture is drawn by this package where it has no address of its own.
type Picture struct {
	URL string `json:"url"`
}

// clone is a copy that shares nothing which may be written to.
func (l *Listing) clone() (c *Listing) {
	_ = json.Unmarshal(encode(l), &c) //nolint:errcheck // it was encoded
	return c
}

var languages = []string{"en", "nl", "de", "fr"}

// Title is the listing's title in the first language that has one, "" where there is none.
func (l *Listing) Title() string {
	for _, language := range languages {
		if l != nil && l.Texts[language].Title != "" {
			return l.Texts[language].Title
		}
	}
	return ""
}

// sellable reports whether a shop can take the listing: it has a title, and each variant a price
// and a cost.
func (l *Listing) sellable() bool {
	return l.Title() != "" && len(l.Variants) > 0 &&
		!slices.ContainsFunc(l.Variants, func(v Variant) bool { return v.MSRP == "" || v.Cost == "" })
}
