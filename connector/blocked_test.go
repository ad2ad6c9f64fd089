package connector

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The shop had refused its key, and is down when the worker starts with the right one. Blocked
// publications are tried again once the shop answers, without a person's request.
func TestBlockedOverAnOutageAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		b.box.AddSound(2)
		b.shop.refuse = func(call) error { return shopadapter.Block("the key is refused").Everywhere() }
		b.shop.check = shopadapter.Block("the key is refused").Everywhere()
		b.once(false)
		if n := b.counts()[store.StateBlocked]; n == 0 {
			t.Fatal("nothing is blocked")
		}
		b.shop.refuse, b.shop.check = nil, errors.New("no answer")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- b.connector().Run(ctx, Listeners{}) }()
		time.Sleep(10 * time.Minute)
		b.shop.Lock()
		b.shop.check = nil
		b.shop.Unlock()
		time.Sleep(20 * time.Minute)
		if n := b.counts()[store.StateLive]; n != 2 {
			t.Errorf("%d of 2 are on sale: %v", n, b.counts())
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
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(2)
		says := func(refuse func(call) error, check error) {
			b.shop.Lock()
			defer b.shop.Unlock()
			b.shop.refuse, b.shop.check = refuse, check
		}
		c, stop := b.work()
		defer stop()
		time.Sleep(time.Minute)
		refused := shopadapter.Block("the key is refused").Everywhere()
		says(func(call) error { return refused }, refused)
		b.reprice(ids)
		c.Sweep(false)
		time.Sleep(time.Minute)
		if n := b.counts()[store.StateBlocked]; n == 0 {
			t.Fatalf("nothing is blocked: %v", b.counts())
		}
		says(nil, errors.New("no answer"))
		b.box.AddSound(1)
		//nolint:errcheck // its exit code tells of what is blocked
		c.RunOnce(
			t.Context(),
			desk.RunOptions{Patience: time.Minute},
		)
		time.Sleep(time.Minute)
		if n := b.counts()[store.StateLive]; n != 3 {
			t.Errorf("%d of 3 are on sale: %v", n, b.counts())
		}
	})
}
