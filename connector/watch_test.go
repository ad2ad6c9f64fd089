package connector

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A shop refused its key, and is down when the worker starts with the right one: what was blocked is tried again once the shop is back, and nobody has to
// ask for it.
func TestBlockedOverAnOutageAtStart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		b.box.AddSound(2)
		b.shop.refuse = func(call) error { return shopadapter.Block("the key is refused").Everywhere() }
		b.shop.check = shopadapter.Block("the key is refused").Everywhere()
		b.once(false)
		if n := b.store.Counts()[string(StateBlocked)]; n == 0 {
			t.Fatal("nothing is blocked")
		}
		b.shop.refuse, b.shop.check = nil, errors.New("no answer")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- b.connector().Run(ctx, Listeners{}) }()
		time.Sleep(10 * time.Minute)
		b.shop.mu.Lock()
		b.shop.check = nil
		b.shop.mu.Unlock()
		time.Sleep(20 * time.Minute)
		if n := b.store.Counts()[string(StateLive)]; n != 2 {
			t.Errorf("%d of 2 are on sale: %v", n, b.store.Counts())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// What the shop refused as a whole may settle after the check that passed has looked for it.
func TestBlockedAfterTheCheckPassed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		c := b.connector()
		rec := store.Record{ID: "p1", Problem: store.Problem{Kind: problemBlocked, Wide: true}}
		c.shopGate.refuse("the key is refused", time.Now(), 0, true)
		c.settle(store.Mark{ID: "p1"}, store.Record{}, store.Settlement{Record: rec})
		if m, ok, err := b.store.MarkOf("p1"); ok || err != nil {
			t.Errorf("due while everything is refused: %+v, %v", m, err)
		}
		c.shopGate.release()
		c.settle(store.Mark{ID: "p1"}, store.Record{}, store.Settlement{Record: rec})
		if m, ok, err := b.store.MarkOf("p1"); !ok || m.Cause != store.CauseRetry || err != nil {
			t.Errorf("due after the check passed: %t, %+v, %v", ok, m, err)
		}
	})
}
