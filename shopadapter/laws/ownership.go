package laws

import (
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkForeign(b *bench) {
	s, stranger := b.subject("twin", 3), b.subject("stranger", 1)
	foreign := b.foreign(s.p)
	before := b.held(foreign)
	untouched := func() { b.same("the foreign product", before, b.held(foreign)) }
	b.in("with the SKU of a foreign product")
	// Whether the adapter makes a listing beside the other or says that the merchant must choose is
	// its own affair.
	if err := s.try(all); err == nil {
		s.shown()
	} else if shopadapter.Explain(err).Kind == shopadapter.Transient {
		b.fail("publish beside a foreign product never settles: %w", err)
	}
	untouched()
	refs := []shopadapter.Ref{s.ref, s.bare(), s.bare(), stranger.bare()}
	refs[2].Listing, refs[3].Listing = foreign, foreign
	for _, how := range bothWays {
		for _, ref := range refs {
			_ = s.withdraw(ref, how) //nolint:errcheck // refusing is as good as ignoring
			untouched()
		}
	}
	b.in("with the id of a foreign product as the hint")
	stranger.ref.Listing = foreign
	if err := stranger.try(all); err == nil {
		stranger.shown()
	}
	untouched()
}

func checkAdopted(b *bench) {
	b.Open = b.OpenAdopting
	b.restart()
	for _, variants := range []int{1, 3} {
		for _, how := range bothWays {
			for _, hinted := range []bool{true, false} {
				b.in("%d variants, %s, hint kept %t", variants, how, hinted)
				b.adoptAndLeave(variants, how, hinted)
			}
		}
	}
}

// adoptAndLeave has a product taken over, has it leave the sale, and has it taken over again.
func (b *bench) adoptAndLeave(variants int, how shopadapter.Removal, hinted bool) {
	s := b.subject(fmt.Sprintf("own-%d-%s-%t", variants, how, hinted), variants)
	own := clone(s.p)
	own.Title = "My own " + own.Title
	foreign := b.foreign(own)
	before := b.held(foreign)
	takeOver := func() {
		b.must("publish", s.try(all))
		b.must("result of publish", sound(s.l, s.p, all))
		b.equal("the listing, which is to be the merchant's product", s.l.ID, foreign)
		b.equal("the merchant's title", Plain(s.seen().Title), Plain(before.Title))
		s.shows(structure)
	}
	takeOver()
	if variants > 1 { // the supplier adds a variant: that one is the adapter's own
		s.p.Variants = append(slices.Clone(s.p.Variants), variant(s.p.ID, variants, true))
		s.publish(structure)
	}
	if !hinted {
		s.ref = s.bare()
	}
	for range 2 {
		b.must("unpublish", s.withdraw(s.ref, how))
		b.isLeft(before, how)
	}
	s.p.Variants = s.p.Variants[:variants]
	if how == shopadapter.Delete {
		s.ref = s.bare()
	}
	takeOver()
}

// isLeft ends the check unless the merchant's product is there, out of sale, with the texts it had.
// After a delete it also has no more than the variants it had, and no stamp.
func (b *bench) isLeft(before Seen, how shopadapter.Removal) {
	now := b.held(before.Listing)
	b.equal("the merchant's product is on sale", now.OnSale, false)
	for _, group := range []shopadapter.Fields{shopadapter.FieldTitle, shopadapter.FieldDescription} {
		b.equal("the merchant's "+group.String(), text(now, group), text(before, group))
	}
	if how != shopadapter.Delete {
		return
	}
	b.equal("the publication whose stamp the merchant's product carries", now.Publication, shopadapter.PublicationID(""))
	ids := func(s Seen) (ids []string) {
		for _, v := range s.Variants {
			ids = append(ids, v.ShopID)
		}
		slices.Sort(ids)
		return ids
	}
	b.equal("the variants of the merchant's product", ids(now), ids(before))
}
