package laws

import (
	"fmt"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// A cut is one place at which one call of a scenario is hit by one fault.
type cut struct {
	name    string // of the fault and the place, fit for a publication id
	met     bool   // the call made enough requests to meet the fault
	restart bool   // the process died with the call: a new adapter with nothing but the key goes on
	arm     func() (lift func() (met bool))
}

// mostRequests bounds the search for the last request of a call: far above what one product of a
// few variants can need.
const mostRequests = 200

// everyCut runs the scenario with the first request of its struck call lost, then with the second,
// and so on. It ends when the call ends before the fault is met; and all that four times: the
// request lost or the answer lost, the same process going on or a new one. Without a transport it
// is the durable steps that are cut off, and always the process dies.
func (b *bench) everyCut(scenario func(c *cut)) {
	if b.NoTransport {
		b.everyPlace("interrupted", true, func(k int) func() bool { return b.Interrupt(k) }, scenario)
		return
	}
	for name, lost := range map[string]fault{"request-lost": unsent, "answer-lost": unanswered} {
		for _, restart := range []bool{false, true} {
			b.everyPlace(name, restart, func(k int) func() bool { return b.wire.arm(k, lost) }, scenario)
		}
	}
}

func (b *bench) everyPlace(name string, restart bool, arm func(k int) (lift func() bool), scenario func(c *cut)) {
	if restart {
		name += "-restart"
	}
	before := len(b.all(""))
	for k := 1; ; k += max(b.Stride, 1) {
		c := &cut{name: fmt.Sprintf("%s-%d", name, k), restart: restart, arm: func() func() bool { return arm(k) }}
		b.in("%s", c.name)
		scenario(c)
		// A product that was made and never stamped is ours too, and no later call finds it.
		if after := len(b.all("")); after > before {
			b.fail("%d products without a stamp were left behind", after-before)
		}
		switch {
		case !c.met && k == 1:
			b.fail("the call met no fault at all: does every request pass the transport that Open was given?")
		case !c.met:
			return
		case k >= mostRequests:
			b.fail("the call has not ended after %d requests", mostRequests)
		}
	}
}

// strike runs a call with the fault in its way. An error of the call's own, which met no fault, ends
// the check. After a restart the subject has the bare key.
func (s *subject) strike(c *cut, call func() error) error {
	lift := c.arm()
	err := call()
	met := lift()
	c.met = c.met || met
	if !met {
		s.must("without a fault", err)
	} else if c.restart {
		s.forget()
	}
	return err
}

func (s *subject) struckPublish(c *cut) error {
	return s.strike(c, func() error { return s.try(all) })
}

// converge publishes with the fault in the way, and then without.
func (s *subject) converge(c *cut) {
	err := s.struckPublish(c)
	if s.passes(err); err == nil {
		// The adapter has coped on its own. A picture may wait for the next call, nothing else.
		s.must("the call reported no error: result of publish", sound(s.l, s.p, all))
		s.shows(all &^ shopadapter.FieldImages)
	}
	s.put(all)
}

// A scenario is a call that is hit, and the calls that mend it.
type scenario func(b *bench, c *cut)

func cutCreation(b *bench, c *cut) { b.subject(c.name, 3).converge(c) }

func cutUpdate(b *bench, c *cut) {
	s := b.published(c.name, 3)
	s.revise(1, all)
	s.p.Variants[1] = variant(s.p.ID, 5, true)
	s.converge(c)
}

func cutFigures(b *bench, c *cut) {
	s := b.published(c.name, 3)
	s.revise(1, figures)
	s.ref = s.left()
	b.passes(s.strike(c, func() error { return s.tryFigures(figures) }))
	s.put(all)
}

func cutUnpublish(b *bench, c *cut) {
	for _, how := range bothWays {
		s := b.published(c.name+"-"+how.String(), 2)
		if err := s.strike(c, func() error { return s.withdraw(s.ref, how) }); err == nil {
			b.isGone(s.p.ID, how) // the call reported no error
		}
		s.unpublish(how)
	}
}

func checkLostAnswer(b *bench) {
	for name, scene := range map[string]scenario{
		"creation": cutCreation, "update": cutUpdate, "unpublish": cutUnpublish,
	} {
		b.everyCut(func(c *cut) {
			c.name = name + "-" + c.name
			scene(b, c)
		})
	}
}

func checkRestockLost(b *bench) {
	b.needsFigures()
	b.everyCut(func(c *cut) { cutFigures(b, c) })
}

func checkHalfWay(b *bench) {
	scenes := map[string]scenario{"creation": cutCreation, "update": cutUpdate}
	if b.info().Figures {
		scenes["figures"] = cutFigures
	}
	for what, f := range map[string]fault{
		"429":       answer(http.StatusTooManyRequests, "text/plain", "slow down", http.Header{"Retry-After": {"7"}}),
		"503-html":  answer(http.StatusServiceUnavailable, "text/html", "<h1>503 Service Unavailable</h1>", nil),
		"html":      garbled,
		"half-body": halved,
	} {
		for name, scene := range scenes {
			arm := func(k int) func() bool { return b.wire.arm(k, f) }
			b.everyPlace(name+"-"+what, false, arm, func(c *cut) { scene(b, c) })
		}
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
			s.struckPublish(c) //nolint:errcheck // the fault is meant to end in one
			if early {
				late.arrive()
			}
			s.ref = s.bare()
			s.publish(all)
			late.arrive()
			for _, ref := range []shopadapter.Ref{s.ref, s.bare()} {
				s.ref = ref
				s.publish(all)
			}
			s.shown()
		})
	}
}

// lostOn has the supplier's first change of a publication lost on the way at each place in turn, and
// the second one written: no text, and no detail, passes for the merchant's. give brings the
// supplier's n-th words to the product.
func (b *bench) lostOn(variants int, give func(s *subject, n int), after func(s *subject)) {
	b.everyCut(func(c *cut) {
		s := b.subject(c.name, variants)
		give(s, 0)
		s.publish(all)
		give(s, 1)
		s.struckPublish(c) //nolint:errcheck // the fault is meant to end in one
		give(s, 2)
		s.put(all)
		after(s)
	})
}

func checkEditNotInvented(b *bench) {
	b.lostOn(3, func(s *subject, n int) {
		if n > 0 {
			s.revise(n, all)
		}
	}, func(*subject) {})
}

func checkTranslation(b *bench) {
	b.lostOn(2, func(s *subject, n int) {
		s.revise(n+1, all)
		for _, language := range b.Languages {
			s.p.Translations[language] = shopadapter.Translation{
				Title: fmt.Sprintf("Lamp %d (%s)", n, language), Description: fmt.Sprintf("<p>Text %d</p>", n),
			}
		}
	}, func(s *subject) {
		for _, language := range b.Languages {
			got, want := s.seen().Translations[language], s.p.Translations[language]
			b.equal("the title in "+language, Plain(got.Title), Plain(want.Title))
			b.equal("the description in "+language, Plain(got.Description), Plain(want.Description))
		}
	})
}

func checkDetailLostAnswer(b *bench) {
	b.lostOn(2, func(s *subject, n int) { s.p = WithDetails(s.p, n) }, func(s *subject) { s.detailsShown(nil) })
}
