package publication

import (
	"slices"
	"time"
)

// MetaCompared is the fact of the store that tells of the last comparison with the shop.
const MetaCompared = "compared"

const (
	compareEvery  = 24 * time.Hour
	mostRecurring = 100
)

// Compared is the last comparison of what stands in the shop with the store.
type Compared struct {
	At time.Time `json:"at"` // when it began
	// Held is how many products have changed prices that are held by now.
	Held int `json:"held,omitempty"`
	// Recurring is products with figures that the shop changes each time that they are put right, so
	// that they are left: mostRecurring of them at the most.
	Recurring []string `json:"recurring,omitempty"`
	// Found is how many listings were not as they were written, by what differs.
	Found map[string]int `json:"found,omitempty"`
	// Page says what a visitor saw in place of a product, "" where it was the product.
	Page string `json:"page,omitempty"`
}

// Recurs records which of the products that a comparison met have figures that are left.
func (c *Compared) Recurs(met map[string]bool) {
	c.Recurring = nil
	for id, recurs := range met {
		if recurs {
			c.Recurring = append(c.Recurring, id)
		}
	}
	slices.Sort(c.Recurring)
	c.Recurring = c.Recurring[:min(len(c.Recurring), mostRecurring)]
}

// DayIsOver reports whether all listings are to be compared again.
func (c Compared) DayIsOver(now time.Time) bool {
	return now.Sub(c.At) >= compareEvery || c.At.After(now)
}
