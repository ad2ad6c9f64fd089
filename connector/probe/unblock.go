package probe

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Unblock has publications tried again that the shop as a whole refused, and now and then those
// that are blocked by themselves.
func (p *Prober) Unblock(ctx context.Context) {
	now := time.Now()
	n, err := store.ChangeAll(ctx, p.o.Store, store.Query{Key: store.KeyState(store.StateBlocked)},
		func(e *store.Entry) bool { return publication.Unblock(e, now) })
	if err != nil {
		p.o.Health.StoreFailed(err)
	}
	if n > 0 {
		p.o.Due.Raise()
	}
}
