// Package step holds what the adapters do alike in a call that takes several requests: to wait, and to
// tell a refusal.
package step

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Pause waits for d, or until the context ends. The error is the context's.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Rejected reports whether the shop refuses what it was given, so that the same again is refused
// again.
func Rejected(err error) bool {
	var e *shopadapter.Error
	return errors.As(err, &e) && e.Kind == shopadapter.Rejected
}

// Run carries out steps in their order, until one fails.
func Run(ctx context.Context, steps ...func(context.Context) error) error {
	for _, carryOut := range steps {
		if err := carryOut(ctx); err != nil {
			return err
		}
	}
	return nil
}
