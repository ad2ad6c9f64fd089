package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/overlay"
)

// Over is a store in memory that lies over this one. See [store.Over].
func (s *Store) Over(ctx context.Context) (store.Store, error) { return overlay.New(ctx, s) }
