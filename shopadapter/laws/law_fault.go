package laws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

func faultLaws() []Law {
	return []Law{
		{
			ID: "lost-answer", needs: needs(faults()), check: checkLostAnswer,
			Sentence: "Whichever request of a call is lost, or its answer, calling again converges on one listing " +
				"with one of each variant.",
		}, {
			ID: "fault-half-way", needs: needs(transport()), check: checkHalfWay,
			Sentence: "Whichever request of a call is answered by 429, 503, HTML or half a body, the error is " +
				"transient and calling again converges.",
		}, {
			ID: "never-half-built", needs: needs(boundaries()), check: checkNeverHalfBuilt,
			Sentence: "A listing that is not complete is never on sale, neither while it is made nor while it is " +
				"brought back.",
		},
	}
}

func checkLostAnswer(ctx context.Context, b *bench) error {
	for _, attempt := range []struct {
		name  string
		check func(context.Context, *bench, *cut) error
	}{{"creation", cutCreation}, {"update", cutUpdate}, {"unpublish", cutUnpublish}} {
		if err := b.everyCut(ctx, func(c *cut) error {
			c.name = attempt.name + "-" + c.name
			return attempt.check(ctx, b, c)
		}); err != nil {
			return err
		}
	}
	return nil
}

func cutCreation(ctx context.Context, b *bench, c *cut) error {
	p := b.sample(b.id(c.name), 3)
	return b.converge(ctx, c, b.ref(p.ID), p)
}

func cutUpdate(ctx context.Context, b *bench, c *cut) error {
	p := b.sample(b.id(c.name), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	revised := b.revise(p, 1)
	revised.Variants[1] = variant(p.ID, 5, true)
	return b.converge(ctx, c, ref, revised)
}

// converge publishes p with the fault in the way, and then without.
func (b *bench) converge(ctx context.Context, c *cut, ref shopadapter.Ref, p shopadapter.Product) error {
	var listing shopadapter.Listing
	ref, err := c.strike(ref, func() (next shopadapter.Ref, err error) {
		next, listing, err = b.try(ctx, ref, p, shopadapter.AllFields)
		return next, err
	})
	switch {
	case err != nil && !c.met:
		return err
	case err != nil && shopadapter.Explain(err).Kind != shopadapter.Transient:
		return fmt.Errorf("kind of the error: got %s, want transient: %w", shopadapter.Explain(err).Kind, err)
	case err == nil:
		// The adapter has coped on its own. A picture may wait for the next call, nothing else.
		shown := b.expectIn(ctx, p, shopadapter.AllFields&^shopadapter.FieldImages)
		if err := errors.Join(sound(listing, p, shopadapter.AllFields), shown); err != nil {
			return fmt.Errorf("the call reported no error: %w", err)
		}
	}
	if _, _, err := b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
		return fmt.Errorf("calling again: %w", err)
	}
	if err := b.expect(ctx, p); err != nil {
		return fmt.Errorf("after calling again: %w", err)
	}
	return nil
}

func cutUnpublish(ctx context.Context, b *bench, c *cut) error {
	for _, how := range bothWays() {
		p := b.sample(b.id(c.name+"-"+how.String()), 2)
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		met := c.met
		ref, err = c.strike(ref, func() (shopadapter.Ref, error) { return ref, b.withdraw(ctx, ref, how) })
		if err != nil && !c.met {
			return err
		}
		c.met = c.met || met
		if err == nil {
			if err := b.expectGone(ctx, p.ID, how); err != nil {
				return fmt.Errorf("the call reported no error: %w", err)
			}
		}
		if err := b.unpublish(ctx, ref, how); err != nil {
			return fmt.Errorf("calling again: %w", err)
		}
		if err := b.expectGone(ctx, p.ID, how); err != nil {
			return fmt.Errorf("after calling again: %w", err)
		}
	}
	return nil
}

func checkHalfWay(ctx context.Context, b *bench) error {
	for _, f := range []struct {
		name  string
		fault fault
	}{
		{"429", answer(http.StatusTooManyRequests, "text/plain", "slow down", http.Header{"Retry-After": {"7"}})},
		{"503-html", answer(http.StatusServiceUnavailable, "text/html", "<h1>503 Service Unavailable</h1>", nil)},
		{"html", garbled},
		{"half-body", halved},
	} {
		arm := func(k int) func() bool { return b.wire.arm(k, f.fault) }
		creation := func(c *cut) error { return cutCreation(ctx, b, c) }
		if err := b.everyPlace(ctx, "creation-"+f.name, false, arm, creation); err != nil {
			return err
		}
		update := func(c *cut) error { return cutUpdate(ctx, b, c) }
		if err := b.everyPlace(ctx, "update-"+f.name, false, arm, update); err != nil {
			return err
		}
	}
	return nil
}

func checkNeverHalfBuilt(ctx context.Context, b *bench) error {
	p := b.sample(b.id("draft"), 3)
	ref := b.ref(p.ID)
	put := func(p shopadapter.Product) error {
		next, _, err := b.put(ctx, ref, p, shopadapter.AllFields)
		ref = next
		return err
	}
	if err := b.completes(ctx, p, func() error { return put(p) }); err != nil {
		return fmt.Errorf("while it was made: %w", err)
	}
	if err := b.unpublish(ctx, ref, shopadapter.TakeOffline); err != nil {
		return err
	}
	revised := b.revise(p, 1)
	if err := b.completes(ctx, revised, func() error { return put(revised) }); err != nil {
		return fmt.Errorf("while it was brought back: %w", err)
	}
	return b.expect(ctx, revised)
}

// completes runs the call and looks, before and after each of its requests, whether p is on sale
// without being complete.
func (b *bench) completes(ctx context.Context, p shopadapter.Product, call func() error) error {
	var mu sync.Mutex
	var looks int
	var broken error
	look := func() {
		products, err := b.all(ctx, p.ID)
		mu.Lock()
		defer mu.Unlock()
		looks++
		for _, s := range products {
			if err == nil && s.OnSale {
				err = b.compare(s, p, shopadapter.AllFields)
			}
		}
		if err != nil && broken == nil {
			broken = fmt.Errorf("at step %d it was on sale: %w", looks, err)
		}
	}
	watch := b.Watch
	if !b.NoTransport {
		watch = b.wire.watch
	}
	stop := watch(look)
	err := call()
	stop()
	mu.Lock()
	defer mu.Unlock()
	if looks == 0 {
		return errors.New("no request and no step was seen: does every request pass the transport that Open was given?")
	}
	return errors.Join(broken, err)
}
