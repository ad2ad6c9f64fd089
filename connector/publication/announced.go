package publication

import (
	"strings"
	"time"
)

// AwaitFor is how long after a signed webhook looks are repeated while the API shows less than the
// webhook said. Later, sweeps find it.
const AwaitFor = time.Minute

// An Announcement is what the last signed webhook said of a publication.
type Announcement struct {
	UpdatedAt string    // as the webhook gives it, "" where it gives none
	At        time.Time // when it arrived
	Looks     int       // since then that were shown less
}

// Ends is when looks are no longer repeated.
func (a Announcement) Ends() time.Time { return a.At.Add(AwaitFor) }

// Again is when to repeat a look that was shown a publication with updatedAt, or shown none. It is
// zero where the API shows what was announced, or too little time is left.
func (a Announcement) Again(updatedAt string, shown bool, now time.Time) time.Time {
	behind := a.UpdatedAt != "" && (!shown || older(updatedAt, a.UpdatedAt))
	left := a.Ends().Sub(now)
	if !behind || left < SignedGap {
		return time.Time{}
	}
	return now.Add(min(SignedGap<<a.Looks, left))
}

// older reports whether one updatedAt is before another, as precisely as both are given. A text
// that is no time is not older than anything.
func older(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	if err != nil || wrong != nil {
		return false
	}
	precision := max(precisionOf(a), precisionOf(b))
	return one.Truncate(precision).Before(other.Truncate(precision))
}

// precisionOf is the span that the last digit of a time's seconds stands for.
func precisionOf(t string) time.Duration {
	_, fraction, _ := strings.Cut(t, ".")
	span := time.Second
	for _, c := range fraction {
		if c < '0' || c > '9' || span == 1 {
			break
		}
		span /= 10
	}
	return span
}
