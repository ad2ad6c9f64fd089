package worker

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
)

const mostAwaited = 1 << 14 // publications at a time

// awaited is what signed webhooks said of publications that the marketplace's API may not show yet.
// It is known in memory alone: after a restart the API shows what was said before.
type awaited struct {
	mu     sync.Mutex
	of     map[string]said
	pruned time.Time
}

// A said is what the last signed webhook said of a publication.
type said struct {
	publication.Announcement
	found func() // to be called once the API shows the publication
}

// Await has looks at a publication repeated that find it older than updatedAt, or not at all,
// within the next minute. found is called once a look has found it.
func (w *Worker) Await(id, updatedAt string, found func()) {
	w.awaited.put(id, updatedAt, found, time.Now())
}

func (a *awaited) put(id, updatedAt string, found func(), now time.Time) {
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
	if _, known := a.of[id]; !known && len(a.of) >= mostAwaited {
		return
	}
	a.of[id] = said{publication.Announcement{UpdatedAt: updatedAt, At: now}, found}
}

// judge says when a look that found pub, nil for nothing, is to be repeated; zero where it need not
// be.
func (a *awaited) judge(id string, pub *marketplace.Publication, now time.Time) (again time.Time) {
	a.mu.Lock()
	s, ok := a.of[id]
	defer func() {
		a.mu.Unlock()
		if ok && pub != nil {
			s.found()
		}
	}()
	if !ok {
		return time.Time{}
	}
	shown := ""
	if pub != nil {
		shown = pub.UpdatedAt
	}
	if again = s.Again(shown, pub != nil, now); again.IsZero() {
		delete(a.of, id)
		return again
	}
	s.Looks++
	a.of[id] = s
	return again
}
