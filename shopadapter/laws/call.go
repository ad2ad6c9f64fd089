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

// pause is how long each request takes while calls are to overlap.
const pause = 20 * time.Millisecond

func checkParallel(b *bench) {
	const publications = 6
	lift := b.wire.arm(every, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		time.Sleep(pause)
		return next.RoundTrip(req)
	})
	defer lift()
	subjects := make([]*subject, publications)
	for i := range subjects {
		subjects[i] = b.subject(fmt.Sprint("p", i), 1+i%3)
	}
	deleted := func(i int) bool { return i%3 == 2 }
	b.together(publications, func(i int) {
		s := subjects[i]
		s.publish(all)
		if deleted(i) {
			b.must("unpublish", s.withdraw(s.ref, shopadapter.Delete))
			return
		}
		s.revise(i+1, all)
		s.publish(all)
	})
	for i, s := range subjects {
		if deleted(i) {
			b.isGone(s.p.ID, shopadapter.Delete)
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
	s.publish(all)
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
		hold := func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			lose := unsent
			if executed {
				lose = unanswered
			}
			if _, err := lose(req, next); !errors.Is(err, errCut) {
				return nil, err
			}
			cancel()
			select {
			case <-req.Context().Done():
				return nil, req.Context().Err()
			case <-time.After(patience): // the adapter made the request with another context
				late.Store(true)
				return nil, errCut
			}
		}
		arm := func(k int) func() bool { return b.wire.arm(k, hold) }
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
		})
	}
}

func checkInput(b *bench) {
	s := b.subject("input", 3)
	first := s.p
	for _, p := range []shopadapter.Product{first, first, b.revise(first, 1)} {
		s.p = p
		input, given, state := roomy(p), s.ref.State, bytes.Clone(s.ref.State)
		before := spread(input)
		s.took(s.call(b.ctx, input, all), all)
		b.same("the product, each slice shown to the end of its capacity,", before, spread(input))
		b.equal("the state of the ref", given, state)
	}
	s.shown()
}

// roomy is a deep copy of p whose slices have room for more.
func roomy(p shopadapter.Product) shopadapter.Product {
	p = clone(p)
	p.Options, p.Images = slices.Grow(p.Options, 2), slices.Grow(p.Images, 2)
	p.Shipping, p.Variants = slices.Grow(p.Shipping, 2), slices.Grow(p.Variants, 2)
	for i := range p.Variants {
		p.Variants[i].Options = slices.Grow(p.Variants[i].Options, 2)
	}
	return p
}

// spread is a deep copy of p that shows each slice to the end of its capacity.
func spread(p shopadapter.Product) shopadapter.Product {
	p.Options, p.Images, p.Shipping = full(p.Options), full(p.Images), full(p.Shipping)
	p.Variants = slices.Clone(full(p.Variants))
	for i := range p.Variants {
		p.Variants[i].Options = full(p.Variants[i].Options)
	}
	return clone(p)
}

func full[T any](list []T) []T { return list[:cap(list)] }

func checkNeverHalfBuilt(b *bench) {
	s := b.subject("draft", 3)
	b.in("while it was made")
	s.completes()
	s.unpublish(shopadapter.TakeOffline)
	s.revise(1, all)
	b.in("while it was brought back")
	s.completes()
	s.shown()
}

// completes publishes and looks, before and after each request or step, whether the product is on
// sale without being complete.
func (s *subject) completes() {
	var mu sync.Mutex
	var looks int
	var broken error
	look := func() {
		err := caught(func() {
			for _, seen := range s.all(s.p.ID) {
				if seen.OnSale {
					s.must("on sale while it was not complete", s.compare(seen, s.p, all))
				}
			}
		})
		mu.Lock()
		defer mu.Unlock()
		if looks++; broken == nil {
			broken = err
		}
	}
	var stop func()
	if s.NoTransport {
		stop = s.Watch(look)
	} else {
		lift := s.wire.arm(every, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			look()
			defer look()
			return next.RoundTrip(req)
		})
		stop = func() { lift() }
	}
	err := caught(func() { s.publish(all) })
	stop()
	mu.Lock()
	defer mu.Unlock()
	if looks == 0 {
		s.fail("no request and no step was seen: does every request pass the transport that Open was given?")
	}
	s.must("publish", broken)
	s.must("publish", err)
}
