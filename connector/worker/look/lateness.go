package look

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// lateOnce is the longest wait for a late picture in a single run that has nothing else to do:
// about two tries.
const lateOnce = 6 * time.Second

// lateness is until when a single run waits for late pictures. It is kept in memory alone: after a
// restart nobody waits.
type lateness struct {
	mu    sync.Mutex
	until time.Time
}

// settled records when the late pictures of a publication that has settled are asked for again; 0: it
// has none.
func (l *lateness) settled(late store.Instant, now time.Time) {
	if late == 0 || late.Time().Sub(now) > lateOnce {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := late.Time(); at.After(l.until) {
		l.until = at
	}
}

// waits reports whether a late picture is asked for again soon.
func (l *lateness) waits(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Before(l.until)
}
