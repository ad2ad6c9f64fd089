package worker

import (
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/publication"
)

// A tally counts what was done since the start.
type tally struct {
	created, updated, unchanged, withdrawn atomic.Int64
}

// Counts is what was done since the start.
type Counts struct{ Created, Updated, Unchanged, Withdrawn int64 }

// Did is what was done since the start.
func (w *Worker) Did() Counts {
	t := &w.tally
	return Counts{t.created.Load(), t.updated.Load(), t.unchanged.Load(), t.withdrawn.Load()}
}

// did counts what one look did.
func (t *tally) did(deed publication.Deed) {
	switch deed {
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
