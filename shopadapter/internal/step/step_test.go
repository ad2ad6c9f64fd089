package step_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
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

func TestRejected(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		want bool
	}{
		{"none", nil, false},
		{"refused within a step", fmt.Errorf("create product: %w", shopadapter.Reject("no title")), true},
		{"blocked", shopadapter.Block("no right"), false},
		{"mended by time", shopadapter.Retry("no answer"), false},
		{"of no kind", errors.New("broken pipe"), false},
	} {
		if got := step.Rejected(row.err); got != row.want {
			t.Errorf("%s: Rejected is %v", row.name, got)
		}
	}
}

func TestRun(t *testing.T) {
	var done []string
	failed := errors.New("no answer")
	carryOut := func(name string, err error) func(context.Context) error {
		return func(context.Context) error {
			done = append(done, name)
			return err
		}
	}
	if err := step.Run(t.Context(), carryOut("one", nil), carryOut("two", nil)); err != nil || len(done) != 2 {
		t.Errorf("ran %v: %v", done, err)
	}
	done = nil
	if err := step.Run(t.Context(), carryOut("one", nil), carryOut("two", failed), carryOut("three", nil)); !errors.Is(
		err,
		failed,
	) ||
		len(done) != 2 {
		t.Errorf("ran %v: %v", done, err)
	}
}
