package connector

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A file that is moved away while a single run works off what it listed ends the run: reading goes
// on to work, and nothing that is done is remembered.
func TestAStoreThatIsReplacedEndsASingleRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.box.AddSound(3)
		b.shop.refuse = func(call) error { return os.Rename(b.path, b.path+".old") }
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start := time.Now()
		s, err := b.connector().Once(ctx, desk.RunOptions{Patience: 2 * time.Minute})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("the run took %s", took)
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
				b := newBench(t, sandbox.Options{})
				damaged := time.Now().Add(after)
				b.tune = func(o *Options) { o.Store = unsound{b.store, damaged} }
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				defer cancel()
				err := b.connector().Run(ctx, Listeners{})
				if took := time.Since(damaged); !errors.Is(err, store.ErrCorrupt) || took > time.Hour {
					t.Errorf("%s after the damage: %v", took, err)
				}
			})
		})
	}
}
