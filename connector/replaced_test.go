package connector_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
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

// An unsound store finds that out when it is checked, from some moment on.
type unsound struct {
	*bolt.Store
	from time.Time
}

func (u unsound) Check(ctx context.Context) error {
	if time.Now().Before(u.from) {
		return nil
	}
	return store.ErrCorrupt
}

// Damage that nothing reads ends the worker within an hour, whenever it came.
func TestDamageIsFoundWithinTheHour(t *testing.T) {
	for _, after := range []time.Duration{0, 30 * time.Minute, 100 * time.Minute, 25 * time.Hour} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				damaged := time.Now().Add(after)
				b.Tune = func(o *connector.Options) { o.Store = unsound{b.Store, damaged} }
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				defer cancel()
				err := b.Connector().Run(ctx, connector.Listeners{})
				if took := time.Since(damaged); !errors.Is(err, store.ErrCorrupt) || took > time.Hour {
					t.Errorf("%s after the damage: %v", took, err)
				}
			})
		})
	}
}
