package look

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
)

const mostAnnounced = 1 << 14 // publications at a time

// announced is what signed webhooks said of publications that the marketplace's API may not show
// yet. It is kept in memory alone: after a restart the API has long caught up.
type announced struct {
	mu     sync.Mutex
	of     map[string]publication.Announcement // what the last signed webhook said of a publication
	pruned time.Time
}

// add remembers what a signed webhook says of a publication.
func (a *announced) add(id, updatedAt string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil || now.Sub(a.pruned) > publication.AwaitFor {
		kept := map[string]publication.Announcement{} // a map that is emptied keeps its memory
		for id, s := range a.of {
			if now.Before(s.Ends()) {
				kept[id] = s
			}
		}
		a.of, a.pruned = kept, now
	}
	if _, known := a.of[id]; !known && len(a.of) >= mostAnnounced {
		return
	}
	a.of[id] = publication.Announcement{UpdatedAt: updatedAt, At: now}
}

// judge says when to repeat a look that was shown a publication with updatedAt, or shown none;
// zero: never.
func (a *announced) judge(id, updatedAt string, shown bool, now time.Time) (again time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.of[id]
	if !ok {
		return again
	}
	if again = s.Again(updatedAt, shown, now); again.IsZero() {
		delete(a.of, id)
		return again
	}
	s.Looks++
	a.of[id] = s
	return again
}
