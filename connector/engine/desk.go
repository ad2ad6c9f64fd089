package engine

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// Tell adds to a status what only the engine knows.
func (x *Engine) Tell(s *desk.Status) {
	x.tellSides(s)
	s.Shop.Name, s.Version = x.ShopName, x.Version
	s.Started, s.Budget = x.Health.started, x.Market.Budget()
	s.Sweeps.Next, s.Sweeps.NextFull = store.At(x.Next(false)), store.At(x.Next(true))
	if _, trouble := x.Health.storeTrouble(); trouble != nil {
		s.Store.Error = trouble.Error()
	}
}

func (x *Engine) tellSides(s *desk.Status) {
	now := time.Now()
	s.Sweeps.Incremental, s.Sweeps.Full = x.lastSweeps()
	s.Shop, s.Marketplace = sideOf(x.ShopSide.Status(now)), sideOf(x.MarketSide.Status(now))
	if last := x.Health.lastError(); last.Message != "" {
		s.LastError = &last
	}
}

func sideOf(b GateStatus) desk.Side {
	s := desk.Side{Paused: b.Paused, Until: store.At(b.Try)}
	if b.Paused {
		s.Reason, s.Since = b.Reason, store.At(b.Since)
	}
	return s
}

// Ready returns why webhooks cannot be stored, nil if they can.
func (x *Engine) Ready(ctx context.Context) error {
	_, err := x.Health.storeTrouble()
	if err == nil || x.Health.storeWorks(ctx) {
		err = store.Writable(ctx, x.Store)
	}
	if store.Hopeless(err) {
		x.Health.Stored(err)
	}
	return err
}

// Wake has the worker look at once at what is due and owed.
func (x *Engine) Wake() { x.due.Raise() }

const tryAnswer = 3 * time.Second

// TryShop ends a pause that the shop did not ask for, and checks the shop in a long one that it did.
func (x *Engine) TryShop(ctx context.Context) {
	x.ShopSide.Release()
	if x.ShopSide.Status(time.Now()).Long {
		ctx, cancel := context.WithTimeout(ctx, tryAnswer)
		defer cancel()
		x.tryShop(ctx)
	}
	x.due.Raise()
}

// SweepNow queues a sweep for a person. Waiting retries become due, and every pause but a Retry-After ends.
func (x *Engine) SweepNow(ctx context.Context, full bool) error {
	if x.stopping() {
		return errStopping
	}
	x.MarketSide.Release()
	x.Health.Stored(x.wake(ctx, time.Now()))
	x.AskFor(full)
	x.TryShop(ctx)
	return nil
}
