package engine

import (
	"context"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// work works off the due set until ctx ends; what has begun by then goes on under going. It has a
// goroutine for each slot of the shop, one for what somebody waits for, and one for prices by changed
// rules.
func (x *Engine) work(ctx, going context.Context) {
	var all sync.WaitGroup
	for range cap(x.slots) {
		all.Go(func() { x.workOn(ctx, going, queueAny) })
	}
	all.Go(func() { x.workOn(ctx, going, queueUrgent) })
	all.Go(func() { x.workOn(ctx, going, queueRules) })
	all.Wait()
}

// workOn works off a queue until ctx ends.
func (x *Engine) workOn(ctx, going context.Context, q queue) {
	for ctx.Err() == nil {
		due, shop, market := x.due.Raised(), x.ShopSide.Changed(), x.MarketSide.Changed()
		if wait, did := x.step(ctx, going, q); !did {
			breaker.Sleep(ctx, wait, due, shop, market)
		}
	}
}

// quiet is how long a loop sleeps that waits for what is written to the store: each write raises a
// signal, and a thousand idle accounts of a database would ask it in vain.
const quiet = 10 * time.Minute

// turnWait is how long a goroutine waits while the shop's breaker lets one through at a time.
const turnWait = 50 * time.Millisecond

// step looks at what is next in a queue, or says how long there is nothing to do.
func (x *Engine) step(ctx, going context.Context, q queue) (wait time.Duration, did bool) {
	now := time.Now()
	for _, side := range []*breaker.Breaker{x.ShopSide, x.MarketSide} {
		if s := side.Status(now); s.Open {
			return s.Wait(now), false
		}
	}
	if !x.ready(ctx) {
		return time.Second, false
	}
	leave, ok := x.ShopSide.Enter()
	if !ok { // the goroutine that was let in may find its queue empty, and raises no signal then
		return turnWait, false
	}
	defer func() { leave(did) }()
	c, wait, ok, err := x.peek(ctx, q)
	if err == nil && ok {
		err = x.look(ctx, going, c)
	}
	if err != nil {
		x.Health.StoreFailed(err)
		return time.Second, false
	}
	return wait, ok
}

func isClosed(signal <-chan struct{}) bool {
	select {
	case <-signal:
		return true
	default:
		return false
	}
}
