package laws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkHostileIDs(b *bench) {
	var made []*subject
	listings := map[shopadapter.ListingID]shopadapter.PublicationID{}
	for i, id := range hostileIDs(b.Prefix) {
		s := b.subjectOf(id, 1)
		s.p.Title = fmt.Sprintf(`No. %d: Tom & "Jerry's" – ü, 日本 50%% {{title}} $1 \n`, i)
		s.publish(all)
		made = append(made, s)
	}
	for _, s := range made {
		s.shows(all)
		if twin, taken := listings[s.l.ID]; taken {
			b.fail("%q and %q share the listing %s", twin, s.p.ID, s.l.ID)
		}
		listings[s.l.ID] = s.p.ID
	}
	for i, s := range made {
		b.in("%q, after those before it were deleted", s.p.ID)
		b.stand(s.p.ID)
		s.ref = s.bare()
		if s.unpublish(shopadapter.Delete); i+1 < len(made) {
			made[i+1].shows(all)
		}
	}
}

// hostileIDs are ids that a careless shop confuses with each other, with a path, or with a member
// of its own. In a shop that holds others' publications each has a prefix.
func hostileIDs(prefix string) (ids []shopadapter.PublicationID) {
	long := strings.Repeat("long ", 80)
	for _, name := range []string{
		"../x", "..", ".", "a/b?c#d", "a%2Fb", "a%252Fb", "a/b", "a b", "a+b", "a%20b", "?x=1", "#x", "a&b", "a;b",
		`"quoted" 'twice' \ back`, "<script>alert(1)</script>", "a&b=c;d", "line\nbreak\ttab", "a", "A", " a", "%00",
		"r\u00e9sum\u00e9", "re\u0301sume\u0301", "日本語 🎏", "-rf", "*", "[0]", "a,b", "index", "x.json", "1", "01",
		"__proto__", "constructor", long, long + "er",
	} {
		ids = append(ids, shopadapter.PublicationID(prefix+name))
	}
	if prefix == "" {
		return append(ids, "a ")
	}
	id := shopadapter.PublicationID(prefix)
	return append(ids, id, "../"+id, "__proto__-"+id, id+" ")
}

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
		if s.publish(all); deleted(i) {
			b.must("unpublish", s.withdraw(shopadapter.Delete))
			return
		}
		s.revise(i+1, all)
		s.publish(all)
	})
	for i, s := range subjects {
		if deleted(i) {
			b.isGone(s.p.ID, shopadapter.Delete)
		} else {
			s.shows(all)
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
	if s.shows(all); b.NoTransport {
		return
	}
	// a creation is cancelled once its first request was carried out, then its second, and so on
	var late atomic.Bool
	var cancel context.CancelFunc
	hold := func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		if _, err := unanswered(req, next); !errors.Is(err, errCut) {
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
	c := &cut{name: "executed"}
	b.everyPlace(c, func() {
		var inner context.Context
		inner, cancel = context.WithCancel(b.ctx)
		defer cancel()
		s := b.subject(fmt.Sprint(c.k), 2)
		lift, start := b.wire.arm(c.k, hold), time.Now()
		err := s.call(inner, clone(s.p), all)
		if c.met = lift(); c.met {
			if took := time.Since(start); late.Load() || took > patience {
				b.fail("the call, or a request of it, went on for %s after its context had ended", took)
			}
			isCancelled(err)
		}
		s.put(all)
	})
}

func checkInput(b *bench) {
	s := b.subject("input", 3)
	first := s.p
	for _, p := range []shopadapter.Product{first, first, b.revise(first, 1)} {
		s.p = p
		given, state := clone(p), bytes.Clone(s.ref.State)
		ref := s.ref
		s.took(s.call(b.ctx, p, all), all)
		b.same("the product", given, p)
		b.equal("the state of the ref", ref.State, state)
	}
	s.shows(all)
}

func checkNeverHalfBuilt(b *bench) {
	s := b.subject("draft", 3)
	b.in("while it was made")
	s.completes()
	s.unpublish(shopadapter.TakeOffline)
	s.revise(1, all)
	b.in("while it was brought back")
	s.completes()
	s.shows(all)
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
	s.must("publish", errors.Join(broken, err))
}
