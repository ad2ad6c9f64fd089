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
	var marks []store.Mark
	for r, err := range store.Records(ctx, p.o.Store, store.Query{Key: store.KeyState(store.StateBlocked)}) {
		if err != nil {
			p.o.Health.StoreFailed(err)
			return
		}
		if m := publication.Unblocks(r, now); m != nil {
			marks = append(marks, *m)
		}
	}
	if len(marks) == 0 {
		return
	}
	if err := p.o.Store.Mark(ctx, marks...); err != nil {
		p.o.Health.StoreFailed(err)
	}
	p.o.Due.Raise()
}
