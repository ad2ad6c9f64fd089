package publication

import (
	"slices"
	"time"
)

// MetaCompared is the fact of the store that tells of the last comparison with the shop.
const MetaCompared = "compared"

// MetaWarning is the fact of the store that says what the shop was last found to keep from its
// visitors; "": nothing.
const MetaWarning = "shop.warning"

const (
	mostRecurring = 100
	doubtFor      = time.Hour // so many listings are to be out of sale before somebody's hand is believed
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
	// Doubted is when so many were found taken out of sale that a second look is to find the same.
	Doubted time.Time `json:"doubted,omitzero"`
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

// Doubts reports whether so many listings taken out of sale, of those that are on sale, are more
// than somebody's hand: a theme, or a shop under construction. Where the same is found an hour
// after it was found first it is believed.
func (c *Compared) Doubts(hidden, onSale int, now time.Time) bool {
	first := c.Doubted
	c.Doubted = time.Time{}
	if !VeryMany(hidden, onSale) || !first.IsZero() && now.Sub(first) >= doubtFor {
		return false
	}
	if c.Doubted = first; first.IsZero() || first.After(now) {
		c.Doubted = now
	}
	return true
}

// DayIsOver reports whether all listings are to be compared again.
func (c Compared) DayIsOver(now time.Time) bool {
	return !c.Doubted.IsZero() && now.Sub(c.Doubted) >= doubtFor || now.Sub(c.At) >= day || c.At.After(now)
}
