package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The shop had refused its key, and is down when the worker starts with the right one. Blocked
// publications are tried again once the shop answers, without a person's request.
func TestBlockedOverAnOutageAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(2)
		b.Shop.Refuse = func(harness.Call) error { return shopadapter.Block("the key is refused").Everywhere() }
		b.Shop.CheckErr = shopadapter.Block("the key is refused").Everywhere()
		b.Once(false)
		if n := b.Counts()[store.StateBlocked]; n == 0 {
			t.Fatalf("got %v, want some blocked", b.Counts())
		}
		b.Shop.Refuse, b.Shop.CheckErr = nil, errors.New("no answer")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- b.Connector().Run(ctx, connector.Listeners{}) }()
		time.Sleep(10 * time.Minute)
		b.Shop.Lock()
		b.Shop.CheckErr = nil
		b.Shop.Unlock()
		time.Sleep(20 * time.Minute)
		if n := b.Counts()[store.StateLive]; n != 2 {
			t.Errorf("%d of 2 are on sale: %v, want 2", n, b.Counts())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The shop had refused its key and accepts it again. A person's run publishes another product and
// the shop takes it, although its check still fails. The blocked publications are then tried again
// by themselves.
func TestBlockedUntilAnotherProductIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(2)
		says := func(refuse func(harness.Call) error, check error) {
			b.Shop.Lock()
			defer b.Shop.Unlock()
			b.Shop.Refuse, b.Shop.CheckErr = refuse, check
		}
		c, stop := b.Start()
		defer stop()
		time.Sleep(time.Minute)
		refused := shopadapter.Block("the key is refused").Everywhere()
		says(func(harness.Call) error { return refused }, refused)
		b.Reprice(ids)
		c.Sweep(false)
		time.Sleep(time.Minute)
		if n := b.Counts()[store.StateBlocked]; n == 0 {
			t.Fatalf("got %v, want some blocked", b.Counts())
		}
		says(nil, errors.New("no answer"))
		b.Market.AddSound(1)
		//nolint:errcheck // its exit code tells of what is blocked
		c.RunOnce(
			t.Context(),
			desk.RunOptions{Patience: time.Minute},
		)
		time.Sleep(time.Minute)
		if n := b.Counts()[store.StateLive]; n != 3 {
			t.Errorf("%d of 3 are on sale: %v, want 3", n, b.Counts())
		}
	})
}
