package health

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

const (
	checkFirst = time.Minute      // after the start: an import that begins has the disk to itself
	checkEvery = 40 * time.Minute // with what a check takes, damage is found within an hour
)

// CheckStore proves all that the store holds, again and again until ctx ends. A store is opened by
// its structure alone where it is large, and some of what it holds is read once a day: damage there
// is to be found while there are backups from before it.
func (h *Health) CheckStore(ctx context.Context) {
	s, ok := h.store.(store.Checked)
	if !ok {
		return
	}
	timer := time.NewTimer(checkFirst)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if err := s.Check(ctx); err != nil && ctx.Err() == nil {
			h.StoreFailed(err)
		}
		timer.Reset(checkEvery)
	}
}
