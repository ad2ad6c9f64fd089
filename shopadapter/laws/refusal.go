package laws

import (
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkRefusedVariant(b *bench) {
	s := b.subject("one-of-three", 3)
	good := s.p
	s.p = b.RefuseVariant(clone(good), 1)
	refused, rest := s.p.Variants[1].ID, clone(s.p)
	rest.Variants = slices.Delete(rest.Variants, 1, 2)
	for _, call := range []string{"creation", "the same again"} {
		b.in("%s", call)
		s.put(all)
		if len(s.l.Refused) != 1 || s.l.Refused[refused] == "" {
			b.fail("refused: got %v, want variant %s with a reason", s.l.Refused, refused)
		}
		b.shows(rest, all)
	}
	b.in("mended")
	s.p = good
	s.put(all)
	b.equal("refused variants", len(s.l.Refused), 0)
	s.shown()
	for _, variants := range []int{1, 2} {
		s := b.subject(fmt.Sprint("all-of-", variants), variants)
		good := s.p
		for i := range variants {
			s.p = b.RefuseVariant(clone(s.p), i)
		}
		b.in("of %d variants all are refused", variants)
		err := s.try(all)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Rejected {
			b.fail("publish: got %s, want an error of kind rejected", said(err))
		}
		b.isOffSale(good.ID)
		b.in("mended")
		s.p = good
		s.put(all)
		s.shown()
	}
}

func checkRefusedProduct(b *bench) {
	s := b.subject("new", 3)
	for _, when := range []string{"new", "a change"} {
		good := s.p
		b.in("%s", when)
		s.p = b.RefuseProduct(clone(good))
		b.isOfKind("publish", s.try(all), shopadapter.Rejected)
		if when == "new" {
			b.isOffSale(good.ID)
		}
		b.in("%s, mended", when)
		s.p = good
		s.put(all)
		s.shown()
		s.revise(1, all)
	}
}
