package publication

import (
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// MetaVariants is the fact of the store that holds a VariantSource.
const MetaVariants store.Fact[VariantSource] = "variants"

// A VariantMode says whether the list of product variants is followed. That list shows prices and
// stock that change without moving a publication's updatedAt.
type VariantMode string

// The modes. The zero mode is VariantsOff.
const (
	VariantsAuto VariantMode = "auto" // where the token may read it and it holds the retailer's listings
	VariantsOn   VariantMode = "on"
	VariantsOff  VariantMode = "off"
)

// A VariantFinding is what was found out about the list of product variants.
type VariantFinding string

// The findings. A list without a finding is followed.
const (
	VariantsOurs      VariantFinding = "ours"      // it holds products of the import list
	VariantsOthers    VariantFinding = "others"    // it holds products, and none of the import list
	VariantsNone      VariantFinding = "none"      // it is empty, though the import list is not
	VariantsRefused   VariantFinding = "refused"   // the token may not read it
	VariantsUnoffered VariantFinding = "unoffered" // the marketplace has no such list
	VariantsFailing   VariantFinding = "failing"   // it could not be read
)

// VariantsAgain is when a list that is not followed because of a finding is asked for again; one that failed is
// asked for after an hour.
const VariantsAgain = 24 * time.Hour

// A VariantSource is what is known of the list of product variants. The store keeps it.
type VariantSource struct {
	Mode    VariantMode    `json:"mode"`
	Found   VariantFinding `json:"found,omitempty"`
	At      store.Instant  `json:"foundAt,omitzero"`
	Message string         `json:"message,omitempty"` // what the marketplace said
	Install string         `json:"install,omitempty"` // of the address and the token of the finding
	Ended   bool           `json:"ended,omitempty"`   // it was read to its end once: further entries have changed since
}

// Follows reports whether the list is to be read now.
func (v VariantSource) Follows(now time.Time) bool {
	again := VariantsAgain
	if v.Found == VariantsFailing {
		again = time.Hour
	}
	age := now.Sub(v.At.Time()) // below zero: by a clock that has been set back since
	due := v.Found == "" || v.Found == VariantsOurs || age >= again || age < 0
	return v.Mode == VariantsOn || v.Mode == VariantsAuto && due
}

// Find records a finding.
func (v *VariantSource) Find(found VariantFinding, message string, now time.Time) {
	v.Found, v.Message, v.At = found, message, store.At(now)
}

// variantClock is how far this clock and the marketplace's may differ where a variant's updatedAt
// is compared with the time of a reading.
const variantClock = time.Hour

// VariantChanged marks a publication with a changed variant, as shown by a page that was answered at a time. It
// returns false where the content read last has the change in it, and where a look that is due will find it.
func VariantChanged(e *store.Entry, v marketplace.Entry, answered, now time.Time) bool {
	if !e.Known || Tombstone(e.Record) || e.Record.ReadAt == 0 || contains(e.Record, v, answered, now) {
		return false
	}
	e.Note(store.Mark{Class: store.ClassSweep, At: store.At(answered)})
	return true
}

// contains reports whether the content read last includes a variant's change.
func contains(r store.Record, v marketplace.Entry, answered, now time.Time) bool {
	if r.ReadAt >= store.At(answered) { // read since then, or by a clock that has been set back since
		return r.ReadAt <= store.At(now)
	}
	changed, err := time.Parse(time.RFC3339, v.UpdatedAt)
	if err != nil || max(r.ReadAt, r.FiguresAt).Time().Sub(changed) > variantClock {
		return err == nil
	}
	content, err := time.Parse(time.RFC3339, r.UpdatedAt)
	// changes before and after a reading may share a time of whole seconds
	return err == nil && (changed.Before(content) || changed.Equal(content) && changed.Nanosecond() != 0)
}

// MetaCompared is the fact of the store that tells of the last comparison with the shop.
const MetaCompared store.Fact[Compared] = "compared"

// MetaWarning is the fact of the store that says what the shop was last found to keep from its
// visitors; "": nothing.
const MetaWarning = "shop.warning"

const doubtFor = time.Hour // so many listings are to be out of sale before somebody's hand is believed

// MostRecurring bounds Compared.Recurring.
const MostRecurring = 100

// Compared is the last comparison of what stands in the shop with the store.
type Compared struct {
	At time.Time `json:"at"` // when it began
	// Held is how many products have changed prices that are held by now.
	Held int `json:"held,omitempty"`
	// Recurring is products with figures that the shop changes each time that they are put right, so
	// that they are left.
	Recurring []string `json:"recurring,omitempty"`
	// Found is how many listings were not as they were written, by what differs.
	Found map[string]int `json:"found,omitempty"`
	// Doubted is when so many were found taken out of sale that a second look is to find the same.
	Doubted time.Time `json:"doubted,omitzero"`
	// Page says what a visitor saw in place of a product, "" where it was the product.
	Page string `json:"page,omitempty"`
}

// Doubts is since when it is doubted that somebody took so many listings out of sale, of those that are on sale,
// by hand: it may be a theme, or a shop under construction. It is zero where they are not very many, or where the
// same is found an hour after it was found first.
func (c Compared) Doubts(hidden, onSale int, now time.Time) (since time.Time) {
	age := now.Sub(c.Doubted)
	switch {
	case !VeryMany(hidden, onSale) || !c.Doubted.IsZero() && age >= doubtFor:
		return time.Time{}
	case c.Doubted.IsZero() || age < 0:
		return now
	}
	return c.Doubted
}

// DayIsOver reports whether all listings are to be compared again.
func (c Compared) DayIsOver(now time.Time) bool {
	return !c.Doubted.IsZero() && now.Sub(c.Doubted) >= doubtFor || now.Sub(c.At) >= day || c.At.After(now)
}
