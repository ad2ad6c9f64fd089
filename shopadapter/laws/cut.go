package laws

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

// A cut is one place at which one call of a scenario is hit by one fault.
type cut struct {
	name    string // of the fault and the place, fit for a publication id
	met     bool   // the call made enough requests to meet the fault
	restart bool   // the process died with the call: a new adapter with nothing but the key goes on
	bench   *bench
	arm     func() (lift func() (met bool))
}

// mostRequests bounds the search for the last request of a call: far above what one product of a
// few variants can need.
const mostRequests = 200

// everyCut runs the scenario with the first request of its struck call lost, then with the second,
// and so on. It ends when the call ends before the fault is met; and all that four times: the
// request lost or the answer lost, the same process going on or a new one. Without a transport it
// is the durable steps that are cut off, and always the process dies.
func (b *bench) everyCut(ctx context.Context, scenario func(c *cut) error) error {
	if b.NoTransport {
		return b.everyPlace(ctx, "interrupted", true, func(k int) func() bool { return b.Interrupt(k) }, scenario)
	}
	for _, loss := range []struct {
		name  string
		fault fault
	}{{"request-lost", unsent}, {"answer-lost", unanswered}} {
		for _, restart := range []bool{false, true} {
			arm := func(k int) func() bool { return b.wire.arm(k, loss.fault) }
			if err := b.everyPlace(ctx, loss.name, restart, arm, scenario); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) everyPlace(
	ctx context.Context,
	name string,
	restart bool,
	arm func(k int) (lift func() bool),
	scenario func(c *cut) error,
) error {
	before, err := b.unstamped(ctx)
	if err != nil {
		return err
	}
	for k := 1; ; k += max(b.Stride, 1) {
		c := &cut{
			name:    fmt.Sprintf("%s-%d", name, k),
			restart: restart,
			bench:   b,
			arm:     func() func() bool { return arm(k) },
		}
		if restart {
			c.name += "-restart"
		}
		if err := scenario(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		// A product that was made and never stamped is ours too, and no later call finds it.
		switch after, err := b.unstamped(ctx); {
		case err != nil:
			return err
		case after > before:
			return fmt.Errorf("%s: %d products without a stamp were left behind", c.name, after-before)
		}
		switch {
		case !c.met && k == 1:
			return errors.New(
				"the call met no fault at all: does every request pass the transport that Open was given?",
			)
		case !c.met:
			return nil
		case k >= mostRequests:
			return fmt.Errorf("the call has not ended after %d requests", mostRequests)
		}
	}
}

// strike runs the call with the fault in its way. The ref and the error are the call's; after a
// restart the ref is the bare key.
func (c *cut) strike(ref shopadapter.Ref, call func() (shopadapter.Ref, error)) (shopadapter.Ref, error) {
	lift := c.arm()
	next, err := call()
	c.met = lift()
	if c.met && c.restart {
		next = c.bench.ref(ref.Publication)
		if failed := c.bench.restart(); failed != nil {
			c.met = false // not the fault's doing
			return next, failed
		}
	}
	return next, err
}
