package publication

import (
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// MetaVariants holds a VariantSource.
const MetaVariants store.Fact[VariantSource] = "variants"

// A VariantMode says whether the list of product variants is followed. That list shows prices and
// stock that change without moving a publication's updatedAt.
type VariantMode string

const (
	VariantsAuto VariantMode = "auto" // where the token may read it and it holds the retailer's listings
	VariantsOn   VariantMode = "on"
	VariantsOff  VariantMode = "off"
)

// A VariantFinding is what was found out about that list.
type VariantFinding string

const (
	VariantsOurs      VariantFinding = "ours"    // it holds products of the import list
	VariantsOthers    VariantFinding = "others"  // it holds other products alone
	VariantsRefused   VariantFinding = "refused" // the token may not read it
	VariantsUnoffered VariantFinding = "unoffered"
	VariantsFailing   VariantFinding = "failing"
)

// VariantsAgain is when a list that a finding rules out is asked for again; a failed one at the next sweep.
const VariantsAgain = 24 * time.Hour

// A VariantSource is what is known of the list of product variants.
type VariantSource struct {
	Mode    VariantMode    `json:"mode"`
	Found   VariantFinding `json:"found,omitempty"`
	At      store.Instant  `json:"foundAt,omitzero"`
	Message string         `json:"message,omitempty"`
	Install string         `json:"install,omitempty"` // of the finding's address and token
	Ended   bool           `json:"ended,omitempty"`   // it was read to its end: further entries are changes
}

// Follows reports whether the list is to be read now.
func (v VariantSource) Follows(now time.Time) bool {
	age := now.Sub(v.At.Time()) // below zero: the clock was set back
	open := v.Found == "" || v.Found == VariantsOurs || v.Found == VariantsFailing || age >= VariantsAgain || age < 0
	return v.Mode == VariantsOn || v.Mode == VariantsAuto && open
}

// Find records a finding.
func (v *VariantSource) Find(found VariantFinding, message string, now time.Time) {
	v.Found, v.Message, v.At = found, message, store.At(now)
}

// variantClock bounds the difference between the worker's clock and the marketplace's.
const variantClock = time.Hour

// VariantChanged marks a publication with a changed variant, shown by a page that came at answered. It returns
// false where the content read last has the change, or a due look will find it.
func VariantChanged(e *store.Entry, v marketplace.Entry, answered, now time.Time) bool {
	if !e.Known || Tombstone(e.Record) || e.Record.ReadAt == 0 || contains(e.Record, v, answered, now) {
		return false
	}
	at := store.At(answered) // a reading since, of that or a newer updatedAt, answers it
	e.Note(store.Mark{Class: store.ClassSweep, At: at, Seen: e.Record.UpdatedAt, Since: at})
	return true
}

func contains(r store.Record, v marketplace.Entry, answered, now time.Time) bool {
	if r.ReadAt >= store.At(answered) { // read since, or by a clock that was set back
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

// MetaCompared holds a Compared.
const MetaCompared store.Fact[Compared] = "compared"

// MetaWarning holds what the shop was last found to keep from visitors; "": nothing.
const MetaWarning = "shop.warning"

const doubtFor = time.Hour // before very many hidden listings are believed

// Compared is the last comparison of the shop with the store.
type Compared struct {
	At time.Time `json:"at"` // when it began
	// Found counts listings by what differs.
	Found map[string]int `json:"found,omitempty"`
	// Doubted is when very many were first found out of sale.
	Doubted time.Time `json:"doubted,omitzero"`
	Doubt   string    `json:"doubt,omitempty"` // why what was found is not believed yet
}

// Doubts returns since when so many hidden listings may be the work of a theme, or of a shop under construction. It
// is zero where they are few, or are found again after an hour.
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

// DayIsOver reports whether all listings are due for comparison.
func (c Compared) DayIsOver(now time.Time) bool {
	return !c.Doubted.IsZero() && now.Sub(c.Doubted) >= doubtFor || now.Sub(c.At) >= day || c.At.After(now)
}
