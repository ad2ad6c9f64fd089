package publication

import "time"

// Lag is how long a change of the supplier's took until it stood in the shop, or a new entry until
// it was created there. ok is false where the look wrote nothing, or wrote for another reason, and
// where the marketplace gives no time.
func (d Decision) Lag(now time.Time) (lag time.Duration, ok bool) {
	switch {
	case d.pub == nil || d.repriced:
		return 0, false
	case d.Result == Created && d.rec.ListedAt != 0:
		return max(0, now.Sub(d.rec.ListedAt.Time())), true
	case d.Result == Updated && d.pub.UpdatedAt != d.start.UpdatedAt:
		at, err := time.Parse(time.RFC3339, d.pub.UpdatedAt)
		return max(0, now.Sub(at)), err == nil
	default:
		return 0, false
	}
}
