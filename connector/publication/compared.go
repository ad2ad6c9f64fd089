package publication

import "time"

// MetaCompared is the fact of the store that tells of the last comparison with the shop.
const MetaCompared = "compared"

const (
	compareEvery = 24 * time.Hour
	// compareOverlap is how much earlier than the last comparison the next one of changes begins:
	// the shop's clock may differ, and a change that was under way has an earlier date.
	compareOverlap = 10 * time.Minute
)

// Compared is the last comparison of what stands in the shop with the store.
type Compared struct {
	At    time.Time `json:"at"`    // when it began
	AllAt time.Time `json:"allAt"` // when the last one of all listings began
	// ChangedAt is the latest change that was seen, by the shop's clock; zero where it does not
	// tell.
	ChangedAt time.Time `json:"changedAt,omitzero"`
	// Held is how many products have changed prices that are held by now.
	Held int `json:"held,omitempty"`
	// Found is how many listings were not as they were written, by what differs.
	Found map[string]int `json:"found,omitempty"`
}

// DayIsOver reports whether all listings are to be compared again.
func (c Compared) DayIsOver(now time.Time) bool {
	return now.Sub(c.AllAt) >= compareEvery || c.AllAt.After(now)
}

// Since is from when on changes in the shop are of interest. The shop's clock may be ahead of ours
// or behind it: the earlier one counts.
func (c Compared) Since() time.Time {
	since := c.At.Add(-compareOverlap)
	if !c.ChangedAt.IsZero() && c.ChangedAt.Before(since) {
		return c.ChangedAt
	}
	return since
}
