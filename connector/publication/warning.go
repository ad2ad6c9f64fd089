package publication

import "time"

// MetaWarning is the fact of the store that holds a Warning.
const MetaWarning = "shop.warning"

const (
	warnedEvery = time.Hour
	mendedEvery = 5 * time.Minute // where the last answer was a warning
)

// Warning is what the shop was last found to keep from its visitors.
type Warning struct {
	Text string    `json:"text,omitempty"` // "": nothing
	At   time.Time `json:"at"`             // when the shop was asked
}

// Next is when the shop is to be asked again.
func (w Warning) Next(now time.Time) time.Time {
	switch {
	case w.At.After(now): // by a clock that was ahead
		return now
	case w.Text != "":
		return w.At.Add(mendedEvery)
	}
	return w.At.Add(warnedEvery)
}
