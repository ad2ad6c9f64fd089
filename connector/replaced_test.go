package connector_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A file that is moved away while a single run works off what it listed ends the run: reading goes
// on to work, and nothing that is done is remembered.
func TestAStoreThatIsReplacedEndsASingleRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(3)
		b.Shop.Refuse = func(harness.Call) error { return os.Rename(b.Path, b.Path+".old") }
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start := time.Now()
		s, err := b.Connector().Once(ctx, desk.RunOptions{Patience: 2 * time.Minute})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("the run took %s, want at most %v", took, 10*time.Second)
		}
		if s.Exit != desk.ExitStore || !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
