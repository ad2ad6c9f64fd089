// Package step waits between the requests of a call.
package step

import (
	"context"
	"time"
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
