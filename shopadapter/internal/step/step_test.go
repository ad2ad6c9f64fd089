package step_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := step.Pause(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("a pause of a minute: %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := step.Pause(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a pause whose context ends: %v", err)
		}
	})
}
