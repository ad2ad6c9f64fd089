package laws

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkDeletedByHand(b *bench) {
	s, bystander := b.published("deleted", 3), b.published("bystander", 1)
	remove := func() {
		b.begin("delete listing %s by hand", s.l.ID)
		b.byHand(b.DeleteByHand(b.ctx, s.l.ID))
		s.made = ""
	}
	remove()
	for n := range 2 {
		err := s.try(all)
		if err == nil && n == 0 && b.Endpoint != nil {
			b.skip("the endpoint makes a listing that was deleted by hand anew at once: 410 is optional")
		}
		if !errors.Is(err, shopadapter.ErrGone) {
			b.fail("publish of a listing deleted by hand: got %s, want ErrGone", said(err))
		}
		b.isGone(s.p.ID, shopadapter.Delete)
	}
	b.in("with the hint cleared") // what the adapter left in State may have stayed
	s.ref.Listing = ""
	s.put(all)
	b.in("once it was made anew")
	s.update(1, all)
	bystander.shown()
	b.in("deleted by hand once more")
	remove()
	s.must("unpublish", s.withdraw(s.ref, shopadapter.TakeOffline))
	b.isGone(s.p.ID, shopadapter.Delete)
}

func checkHiddenByHand(b *bench) {
	s := b.published("hidden", 3)
	s.ref = s.left()
	b.in("while it is on sale")
	s.update(1, all)
	b.byHand(b.HideByHand(b.ctx, s.l.ID))
	s.revise(2, all)
	for _, changed := range []shopadapter.Fields{all, shopadapter.FieldTitle, figures} {
		b.in("changed %s", changed)
		s.ref = s.left()
		err := s.try(changed)
		// A price may be written without a look at the product, as long as it stays where it is.
		if !errors.Is(err, shopadapter.ErrHidden) && (err != nil || changed != figures) {
			b.fail("publish of a listing hidden by hand: got %s, want ErrHidden", said(err))
		}
		b.isGone(s.p.ID, shopadapter.TakeOffline)
	}
	b.in("asked to put it on sale")
	s.put(all)
}

func checkStampDeleted(b *bench) {
	for _, variants := range []int{1, 3} {
		s := b.published(fmt.Sprint("unmarked-", variants), variants)
		b.begin("delete the stamp of listing %s", s.l.ID)
		b.byHand(b.DeleteStamp(b.ctx, s.l.ID))
		b.in("a call that nobody asked for")
		before, left := b.snapshot(), s.left()
		s.revise(1, all)
		for _, changed := range []shopadapter.Fields{all, shopadapter.FieldTitle} { // a price may be written unseen
			s.ref = left
			err := s.try(changed)
			if errors.Is(err, shopadapter.ErrGone) {
				b.fail("publish (%s) of a listing without its stamp: got %v, want Blocked", changed, err)
			}
			b.isOfKind("publish of a listing without its stamp", err, shopadapter.Blocked)
		}
		for _, how := range bothWays {
			b.isOfKind("unpublish of a listing without its stamp", s.withdraw(left, how), shopadapter.Blocked)
		}
		b.unchanged(before)
		b.in("asked for")
		s.ref = left
		s.ref.OnSale, s.ref.Asked, s.ref.Revive, s.ref.Reset = false, true, true, shopadapter.TextFields
		s.put(all)
		b.in("once it was taken back")
		s.update(2, all)
	}
}

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
