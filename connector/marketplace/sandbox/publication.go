package sandbox

import (
	"maps"
	"reflect"
	"slices"
	"time"
)

// The statuses of a publication, as a marketplace that types them as String spells them.
const (
	statusSyncing = "syncing"
	statusSuccess = "success"
	statusFailed  = "failed"
)

// A Publication is one entry of the import list.
type Publication struct {
	ID         string // opaque, any characters; made up by Add when empty
	Status     string // lower case whatever the schema's spelling; syncing when empty
	ProductURL string
	CreatedAt  time.Time // when Add was called, when zero
	UpdatedAt  time.Time // ever growing, when zero
	Listing    *Listing  // nil: the entry has none
}

// A Listing is what the supplier offers. An empty string is a null in the answer.
type Listing struct {
	ID        string // made up by Add when empty
	ProductID string // made up by Add when empty
	Brand     string
	Details   Details         // of the product as a whole
	Texts     map[string]Text // by language; one that is missing is a null translation
	Category  string          // path of the category
	Returns   string          // "true" or "false"; any other text is null where the schema says Boolean
	Shipping  []Shipping
	Variants  []Variant
	Pictures  []Picture
}

// A Text is a listing in one language.
type Text struct {
	Title       string
	Description string // HTML
}

// A Variant is one thing that can be bought.
type Variant struct {
	ID       string // made up by Add when empty
	Options  []Option
	Cost     string // dropshippingPrice: what the retailer pays, a decimal
	MSRP     string // a decimal
	SKU      string
	EAN      string
	Quantity int    // negative when more was sold than there is
	Policy   string // CONTINUE or DENY; DENY when empty
	Details  Details
}

// Details are what a product, or a variant of it, says beside. A product has a size and a weight
// alone.
type Details struct {
	Weight, Length, Width, Height, Diameter, Volume string // decimals
	CaseQuantity                                    int    // 0: null
	MadeIn, LeadTime, AvailableAt                   string
	Tags, Materials                                 []string
}

// An Option is one choice of a variant, Color: Red say.
type Option struct{ Name, Value string }

// Shipping is the price of sending to a group of countries.
type Shipping struct {
	CountryGroup  string
	FixedCosts    string // a decimal
	VariableCosts string // a decimal
	Days          int    // 0: null
}

// A Picture is drawn by this package, or lies at an address of its own.
type Picture struct {
	URL string // taken as it is when set; nothing is drawn
}

// clone is a copy that shares nothing which may be written to.
func (l *Listing) clone() *Listing {
	if l == nil {
		return nil
	}
	c := *l
	c.Texts = maps.Clone(l.Texts)
	c.Shipping = slices.Clone(l.Shipping)
	c.Pictures = slices.Clone(l.Pictures)
	c.Variants = slices.Clone(l.Variants)
	for i := range c.Variants {
		c.Variants[i].Options = slices.Clone(c.Variants[i].Options)
	}
	return &c
}

// sellable reports whether a shop can take the listing: it has a title, and each variant a price
// and a cost.
func (l *Listing) sellable() bool {
	return l != nil && len(l.Variants) > 0 && l.anyTitle() != "" &&
		!slices.ContainsFunc(l.Variants, func(v Variant) bool { return v.MSRP == "" || v.Cost == "" })
}

// anyTitle is the listing's title in the first language that has one, "" where there is none.
func (l *Listing) anyTitle() string {
	for _, language := range languages {
		if l != nil && l.Texts[language].Title != "" {
			return l.Texts[language].Title
		}
	}
	return ""
}

// A record is a publication as it is kept. Its listing is never written to, only replaced, so that
// an answer or a snapshot may hold it.
type record struct {
	Publication
	gone    bool        // removed from the list; kept for Restore
	taken   *Listing    // that listing=none took away
	changed []time.Time // when each of the listing's variants last did
}

func (r *record) snapshot() Publication {
	p := r.Publication
	p.Listing = p.Listing.clone()
	return p
}

// setListing replaces the listing and records which variants differ from before.
func (r *record) setListing(l *Listing, now time.Time) {
	was := map[string]int{}
	before, changed := r.Listing, r.changed
	if before != nil {
		for i, v := range before.Variants {
			was[v.ID] = i
		}
	}
	if r.Listing, r.changed = l, nil; l == nil {
		return
	}
	for _, v := range l.Variants {
		at := now
		if i, known := was[v.ID]; known && reflect.DeepEqual(before.Variants[i], v) {
			at = changed[i]
		}
		r.changed = append(r.changed, at)
	}
}
