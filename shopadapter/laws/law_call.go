package laws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func callLaws() []Law {
	return []Law{
		{
			ID: "parallel", core: true, check: checkParallel,
			Sentence: "Publications that are worked on at the same time do not disturb one another.",
		}, {
			ID: "cancel", core: true, check: checkCancel,
			Sentence: "A cancelled context ends a call promptly with the context's error, and a later call converges.",
		}, {
			ID: "input-unmodified", core: true, check: checkInput,
			Sentence: "What the product and the ref point at is the caller's: no call modifies it.",
		},
	}
}

func checkParallel(ctx context.Context, b *bench) error {
	const publications = 6
	if !b.NoTransport {
		// The first requests wait for one another, so that the calls really overlap, but not for
		// ever: an adapter may serialise.
		overlap := &barrier{missing: publications, open: make(chan struct{})}
		lift := b.wire.arm(every, overlap.pass)
		defer lift()
	}
	faults := make([]error, publications)
	var wg sync.WaitGroup
	for i := range publications {
		wg.Go(func() {
			p := b.sample(b.id(fmt.Sprint("p", i)), 1+i%3)
			ref, err := b.made(ctx, p)
			if err != nil {
				faults[i] = err
				return
			}
			if i%3 == 2 {
				faults[i] = b.unpublish(ctx, ref, shopadapter.Delete)
				return
			}
			after, _, err := b.put(ctx, ref, b.revise(p, i+1), shopadapter.AllFields)
			if err == nil && after.Listing != ref.Listing {
				err = fmt.Errorf("the listing of %q: got %s, want %s", p.ID, after.Listing, ref.Listing)
			}
			faults[i] = err
		})
	}
	wg.Wait()
	for i := range publications {
		p := b.sample(b.id(fmt.Sprint("p", i)), 1+i%3)
		if i%3 == 2 {
			faults = append(faults, b.expectNone(ctx, p.ID))
		} else {
			faults = append(faults, b.expect(ctx, b.revise(p, i+1)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return b.stand(ctx, b.id("p0"), b.id("p1"), b.id("p3"), b.id("p4"))
}

// A barrier lets requests pass once as many as are missing wait at it, or after a while.
type barrier struct {
	mu      sync.Mutex
	missing int
	open    chan struct{}
}

func (b *barrier) pass(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	b.mu.Lock()
	b.missing--
	if b.missing == 0 {
		close(b.open)
	}
	b.mu.Unlock()
	timer := time.NewTimer(200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-b.open:
	case <-timer.C:
	case <-req.Context().Done():
	}
	return next.RoundTrip(req)
}

// patience is how long a call may go on after its context has ended.
const patience = 5 * time.Second

func checkCancel(ctx context.Context, b *bench) error {
	ended, end := context.WithCancel(ctx)
	end()
	p := b.sample(b.id("beforehand"), 2)
	if _, _, err := b.try(ended, b.ref(p.ID), p, shopadapter.AllFields); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("publish with a context cancelled beforehand: got %v, want the context's error", err)
	}
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	if err := b.withdraw(ended, ref, shopadapter.Delete); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("unpublish with a context cancelled beforehand: got %v, want the context's error", err)
	}
	if err := b.expect(ctx, p); err != nil {
		return fmt.Errorf("after calls with a context cancelled beforehand: %w", err)
	}
	if b.NoTransport {
		return nil
	}
	for _, after := range []bool{false, true} {
		if err := b.checkCancelled(ctx, after); err != nil {
			return err
		}
	}
	return nil
}

// checkCancelled cancels a creation while its first request is under way, then while its second is,
// and so on.
func (b *bench) checkCancelled(ctx context.Context, after bool) error {
	name := map[bool]string{false: "not-executed", true: "executed"}[after]
	var late atomic.Bool
	var cancel context.CancelFunc
	arm := func(k int) func() bool {
		return b.wire.arm(k, held(after, func() { cancel() }, patience, func() { late.Store(true) }))
	}
	return b.everyPlace(ctx, name, false, arm, func(c *cut) error {
		var inner context.Context
		inner, cancel = context.WithCancel(ctx)
		defer cancel()
		p := b.sample(b.id(c.name), 2)
		var took time.Duration
		ref, err := c.strike(b.ref(p.ID), func() (shopadapter.Ref, error) {
			start := time.Now()
			next, _, err := b.try(inner, b.ref(p.ID), p, shopadapter.AllFields)
			took = time.Since(start)
			return next, err
		})
		switch {
		case late.Load():
			return fmt.Errorf("a request was still under way %s after its context had ended", patience)
		case c.met && !errors.Is(err, context.Canceled):
			return fmt.Errorf("cancelled: got %v, want the context's error", err)
		case c.met && took > patience:
			return fmt.Errorf("the call went on for %s", took)
		case !c.met && err != nil:
			return err
		}
		if _, _, err := b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
			return fmt.Errorf("calling again: %w", err)
		}
		return b.expect(ctx, p)
	})
}

func checkInput(ctx context.Context, b *bench) error {
	p := roomy(b.sample(b.id("input"), 3))
	revised := roomy(b.revise(p, 1))
	ref := b.ref(p.ID)
	for _, input := range []shopadapter.Product{p, p, revised} {
		before, state := spread(input), bytes.Clone(ref.State)
		listing, err := b.adapter.Publish(ctx, ref, input, shopadapter.AllFields)
		if err != nil {
			return fmt.Errorf("publish: %w", err)
		}
		if diff := difference(before, spread(input)); diff != "" {
			return fmt.Errorf("publish modified the product, each slice shown to the end of its capacity:\n%s", diff)
		}
		if !bytes.Equal(ref.State, state) {
			return fmt.Errorf("publish modified the ref's state from %q to %q", state, ref.State)
		}
		ref.Listing, ref.State = listing.ID, listing.State
	}
	return b.expect(ctx, revised)
}

// roomy is p with room behind the end of each slice, where an append would go unnoticed in the
// slice alone.
func roomy(p shopadapter.Product) shopadapter.Product {
	p = clone(p)
	p.Options = slices.Grow(p.Options, 2)
	p.Images = slices.Grow(p.Images, 2)
	p.Shipping = slices.Grow(p.Shipping, 2)
	p.Variants = slices.Grow(p.Variants, 2)
	for i := range p.Variants {
		p.Variants[i].Options = slices.Grow(p.Variants[i].Options, 2)
	}
	return p
}

// spread is a deep copy of p that shows each slice to the end of its capacity.
func spread(p shopadapter.Product) shopadapter.Product {
	p.Options = p.Options[:cap(p.Options)]
	p.Images = p.Images[:cap(p.Images)]
	p.Shipping = p.Shipping[:cap(p.Shipping)]
	p.Variants = slices.Clone(p.Variants[:cap(p.Variants)])
	for i := range p.Variants {
		p.Variants[i].Options = p.Variants[i].Options[:cap(p.Variants[i].Options)]
	}
	return clone(p)
}
