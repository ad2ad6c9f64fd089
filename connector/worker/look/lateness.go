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

// settled records the mark of a publication that has settled; nil for none.
func (l *lateness) settled(m *store.Mark, now time.Time) {
	if m == nil || m.Cause != store.CausePictures || m.At.Time().Sub(now) > lateOnce {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := m.At.Time(); at.After(l.until) {
		l.until = at
	}
}

// waits reports whether a late picture is asked for again soon.
func (l *lateness) waits(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Before(l.until)
}
