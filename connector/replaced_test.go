package connector

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A file that is moved away while a single run works off what it listed ends the run: reading goes on to work, and nothing that is done is remembered.
func TestAStoreThatIsReplacedEndsASingleRun(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.box.AddSound(3)
		b.shop.refuse = func(call) error { return os.Rename(b.path, b.path+".old") }
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start := time.Now()
		s, err := b.connector().Once(ctx, OnceOptions{Patience: 2 * time.Minute})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("the run took %s", took)
		}
		if s.Exit != ExitStore || !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
