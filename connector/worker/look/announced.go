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
	of     map[string]said
	pruned time.Time
}

// A said is what the last signed webhook said of a publication.
type said struct {
	publication.Announcement
	found func() // to be called once the API shows the publication
}

// add remembers what a signed webhook says of a publication. found is called once a look has
// found it.
func (a *announced) add(id, updatedAt string, found func(), now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil || now.Sub(a.pruned) > publication.AwaitFor {
		kept := map[string]said{} // a map that is emptied keeps its memory
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
	a.of[id] = said{publication.Announcement{UpdatedAt: updatedAt, At: now}, found}
}

// judge says when to repeat a look that was shown a publication with updatedAt, or shown none;
// zero: never.
func (a *announced) judge(id, updatedAt string, shown bool, now time.Time) (again time.Time) {
	found, again := a.compare(id, updatedAt, shown, now)
	if found != nil {
		found()
	}
	return again
}

// compare compares what a look was shown with what was said. found is nil, or to be called now.
func (a *announced) compare(id, updatedAt string, shown bool, now time.Time) (found func(), again time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.of[id]
	if !ok {
		return nil, again
	}
	if shown {
		found = s.found
	}
	if again = s.Again(updatedAt, shown, now); again.IsZero() {
		delete(a.of, id)
		return found, again
	}
	s.Looks++
	a.of[id] = s
	return found, again
}
