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

func checkParallel(b *bench) {
	const publications = 6
	if !b.NoTransport {
		// The first requests wait for one another, so that the calls really overlap, but not for
		// ever: an adapter may serialise.
		overlap := &barrier{missing: publications, open: make(chan struct{})}
		lift := b.wire.arm(every, overlap.pass)
		defer lift()
	}
	subjects := make([]*subject, publications)
	for i := range subjects {
		subjects[i] = b.subject(fmt.Sprint("p", i), 1+i%3)
	}
	deleted := func(i int) bool { return i%3 == 2 }
	b.together(publications, func(i int) {
		s := subjects[i]
		s.put(all)
		if deleted(i) {
			b.must("unpublish", s.withdraw(s.ref, shopadapter.Delete))
			return
		}
		s.revise(i+1, all)
		s.put(all)
	})
	for i, s := range subjects {
		if deleted(i) {
			b.isNone(s.p.ID)
		} else {
			s.shown()
		}
	}
	for i, s := range subjects {
		if !deleted(i) {
			b.stand(s.p.ID)
		}
	}
}

// A barrier lets requests pass once as many as are missing wait at it, or after a while.
type barrier struct {
	mu      sync.Mutex
	missing int
	open    chan struct{}
}

func (b *barrier) pass(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	b.mu.Lock()
	if b.missing--; b.missing == 0 {
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

func checkCancel(b *bench) {
	ended, end := context.WithCancel(b.ctx)
	end()
	isCancelled := func(err error) {
		if !errors.Is(err, context.Canceled) {
			b.fail("a call whose context was cancelled: got %s, want the context's error", said(err))
		}
	}
	s := b.subject("beforehand", 2)
	isCancelled(s.call(ended, clone(s.p), all))
	s.put(all)
	_, err := b.adapter.Unpublish(ended, s.ref, shopadapter.Delete)
	isCancelled(err)
	s.shown()
	if b.NoTransport {
		return
	}
	// a creation is cancelled while its first request is under way, then while its second is, and so on
	for _, executed := range []bool{false, true} {
		var late atomic.Bool
		var cancel context.CancelFunc
		arm := func(k int) func() bool {
			return b.wire.arm(k, held(executed, func() { cancel() }, patience, func() { late.Store(true) }))
		}
		b.everyPlace(fmt.Sprintf("executed-%t", executed), false, arm, func(c *cut) {
			var inner context.Context
			inner, cancel = context.WithCancel(b.ctx)
			defer cancel()
			s := b.subject(c.name, 2)
			start := time.Now()
			err := s.strike(c, func() error { return s.call(inner, clone(s.p), all) })
			if took := time.Since(start); late.Load() || c.met && took > patience {
				b.fail("the call, or a request of it, went on for %s after its context had ended", took)
			} else if c.met {
				isCancelled(err)
			}
			s.put(all)
			s.shown()
		})
	}
}

func checkInput(b *bench) {
	s := b.subject("input", 3)
	first := s.p
	for _, p := range []shopadapter.Product{first, first, b.revise(first, 1)} {
		s.p = p
		input, state := roomy(p), bytes.Clone(s.ref.State)
		given := s.ref.State
		before := spread(input)
		s.took(s.call(b.ctx, input, all), all)
		if diff := difference(before, spread(input)); diff != "" {
			b.fail("publish modified the product, each slice shown to the end of its capacity:\n%s", diff)
		}
		b.equal("the state of the ref", given, state)
	}
	s.shown()
}

// roomy is a deep copy of p whose slices have room for more.
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
