package look

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
)

const (
	mostAnnounced = 1 << 14 // publications at a time
	mostTries     = 6       // looks that are repeated after one webhook
)

// announced is what signed webhooks said of publications that the marketplace's API may not show
// yet: a look that is shown less is repeated. It is kept in memory alone; sweeps find the rest.
type announced struct {
	mu sync.Mutex
	of map[string]said
}

// A said is what the last signed webhook said of a publication.
type said struct {
	updatedAt string // "" where it named none
	tries     int
}

// add remembers what a signed webhook says of a publication.
func (a *announced) add(id, updatedAt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil || len(a.of) >= mostAnnounced {
		a.of = map[string]said{}
	}
	a.of[id] = said{updatedAt: updatedAt}
}

// judge says when to repeat a look that was shown a publication with updatedAt, or shown none;
// zero: never.
func (a *announced) judge(id, updatedAt string, shown bool, now time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.of[id]
	behind := s.updatedAt != "" && (!shown || older(updatedAt, s.updatedAt))
	if !behind || s.tries == mostTries {
		delete(a.of, id)
		return time.Time{}
	}
	s.tries++
	a.of[id] = s
	return now.Add(publication.SignedGap)
}

// older reports whether one updatedAt is before another, in whole seconds: both may be given to
// another precision. A text that is no time is not older than anything.
func older(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	return err == nil && wrong == nil && one.Truncate(time.Second).Before(other.Truncate(time.Second))
}
