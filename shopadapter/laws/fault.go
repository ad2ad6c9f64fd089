package laws

import (
	"net/http"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkLostAnswer(b *bench) {
	for name, attempt := range map[string]func(*bench, *cut){
		"creation": cutCreation, "update": cutUpdate, "unpublish": cutUnpublish,
	} {
		b.everyCut(func(c *cut) {
			c.name = name + "-" + c.name
			attempt(b, c)
		})
	}
}

func cutCreation(b *bench, c *cut) { b.subject(c.name, 3).converge(c) }

func cutUpdate(b *bench, c *cut) {
	s := b.published(c.name, 3)
	s.revise(1, all)
	s.p.Variants[1] = variant(s.p.ID, 5, true)
	s.converge(c)
}

func cutUnpublish(b *bench, c *cut) {
	for _, how := range bothWays() {
		s := b.published(c.name+"-"+how.String(), 2)
		if err := s.strike(c, func() error { return s.withdraw(s.ref, how) }); err == nil {
			s.isGone(how) // the call reported no error
		}
		s.unpublish(how)
	}
}

func checkHalfWay(b *bench) {
	for name, f := range map[string]fault{
		"429":       answer(http.StatusTooManyRequests, "text/plain", "slow down", http.Header{"Retry-After": {"7"}}),
		"503-html":  answer(http.StatusServiceUnavailable, "text/html", "<h1>503 Service Unavailable</h1>", nil),
		"html":      garbled,
		"half-body": halved,
	} {
		arm := func(k int) func() bool { return b.wire.arm(k, f) }
		b.everyPlace("creation-"+name, false, arm, func(c *cut) { cutCreation(b, c) })
		b.everyPlace("update-"+name, false, arm, func(c *cut) { cutUpdate(b, c) })
	}
}

func checkLateCreation(b *bench) {
	for _, early := range []bool{true, false} {
		name := map[bool]string{true: "before-the-next", false: "after-the-next"}[early]
		var late *tardy
		arm := func(k int) func() bool {
			late = &tardy{}
			return b.wire.arm(k, late.hold)
		}
		b.everyPlace(name, false, arm, func(c *cut) {
			s := b.subject(c.name, 2)
			s.strike(c, func() error { return s.try(all) }) //nolint:errcheck // the fault is meant to end in one
			if early {
				late.arrive()
			}
			s.ref = s.bare()
			s.put(all)
			late.arrive()
			for _, ref := range []shopadapter.Ref{s.ref, s.bare()} {
				s.ref = ref
				s.put(all)
			}
			s.shown()
		})
	}
}

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

// completes publishes and looks, before and after each request, whether the product is on sale
// without being complete.
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
	watch := s.Watch
	if !s.NoTransport {
		watch = s.wire.watch
	}
	stop := watch(look)
	err := caught(func() { s.put(all) })
	stop()
	mu.Lock()
	defer mu.Unlock()
	if looks == 0 {
		s.fail("no request and no step was seen: does every request pass the transport that Open was given?")
	}
	s.must("publish", broken)
	s.must("publish", err)
}
