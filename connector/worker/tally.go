package worker

import (
	"sync"
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/publication"
)

// A tally counts what was done since the start. A change that was taken in by two looks, one at the figures and one at the rest, counts once.
type tally struct {
	created, updated, unchanged, withdrawn atomic.Int64

	mu    sync.Mutex
	begun map[string]struct{} // publications whose change a look at figures has counted, and whose rest is owed
}

// Counts is what was done since the start.
type Counts struct{ Created, Updated, Unchanged, Withdrawn int64 }

// Did is what was done since the start.
func (w *Worker) Did() Counts {
	t := &w.tally
	return Counts{t.created.Load(), t.updated.Load(), t.unchanged.Load(), t.withdrawn.Load()}
}

// did counts what one look did.
func (t *tally) did(id string, d publication.Decision) {
	if t.counted(id, d) {
		return
	}
	switch d.Deed {
	case publication.Created:
		t.created.Add(1)
	case publication.Updated:
		t.updated.Add(1)
	case publication.Unchanged:
		t.unchanged.Add(1)
	case publication.Withdrawn:
		t.withdrawn.Add(1)
	default:
	}
}

// counted reports whether what a look did belongs to a change that has been counted.
func (t *tally) counted(id string, d publication.Decision) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, begun := t.begun[id]
	switch {
	case d.ByFigures() && d.Deed == publication.Updated:
		if t.begun == nil {
			t.begun = map[string]struct{}{}
		}
		t.begun[id] = struct{}{}
		return begun
	case d.ByFigures() || !begun || d.Deed == publication.NoDeed:
		return false
	default:
		delete(t.begun, id)
		return d.Deed == publication.Updated || d.Deed == publication.Unchanged
	}
}
