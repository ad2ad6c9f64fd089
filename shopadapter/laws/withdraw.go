package laws

import (
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkUnpublish(b *bench) {
	bystander := b.published("bystander", 3)
	for _, how := range bothWays() {
		for _, hinted := range []bool{true, false} {
			s := b.published(fmt.Sprintf("%s-%t", how, hinted), 3)
			if !hinted {
				s.ref = s.bare()
			}
			s.unpublish(how)
		}
	}
	bystander.shown()
}

func checkUnpublishTwice(b *bench) {
	for _, first := range bothWays() {
		for _, second := range bothWays() {
			s := b.published(first.String()+"-"+second.String(), 1)
			hint := s.ref
			s.unpublish(first)
			for _, s.ref = range []shopadapter.Ref{hint, s.bare()} {
				s.unpublish(second)
				s.isGone(first)
			}
		}
	}
	before := b.snapshot()
	for _, how := range bothWays() {
		b.subject("never-heard-of", 1).unpublish(how)
	}
	b.unchanged(before)
}

func checkRepublish(b *bench) {
	for _, changed := range []shopadapter.Fields{all, shopadapter.NoFields} {
		b.in("changed %s", changed)
		s := b.published("back-"+changed.String(), 3)
		s.unpublish(shopadapter.TakeOffline)
		if changed != 0 {
			s.revise(1, all)
		}
		s.put(changed)
		s.shown()
	}
	b.in("after a delete")
	s := b.published("deleted", 3)
	s.unpublish(shopadapter.Delete)
	s.ref = s.bare()
	s.put(all)
	s.shown()
}

func checkDraft(b *bench) {
	s := b.subject("draft", 3)
	s.p.Draft = true
	// Nothing tells what a visitor cannot see: that a draft is complete shows once it is put on sale
	// without a change.
	drafted := func(when string) {
		b.in("%s", when)
		s.put(all)
		b.equal("the listing is called a draft", s.l.Draft, true)
		b.isOffSale(s.p.ID)
		s.seen()
	}
	drafted("made")
	s.revise(1, all)
	drafted("changed")
	s.ref = s.bare()
	drafted("without the hint")
	b.in("to be on sale")
	s.p.Draft = false
	s.put(shopadapter.NoFields)
	s.shown()
	b.equal("the listing is called a draft", s.l.Draft, false)
	b.in("on sale, to be a draft")
	s.p.Draft = true
	s.update(2, all)
	b.equal("the listing is called a draft", s.l.Draft, false)
}
