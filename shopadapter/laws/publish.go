package laws

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkPublish(b *bench) {
	for _, variants := range []int{1, 3} {
		s := b.subject(fmt.Sprint("variants-", variants), variants)
		// On creation everything is written, so what is said to have changed makes no difference.
		s.put(shopadapter.FieldPrice)
		for _, v := range s.seen().Variants {
			b.equal("the shop's id that publish returned for variant "+v.ID, s.l.ShopIDs()[v.ID], v.ShopID)
		}
	}
}

func checkIdempotent(b *bench) {
	s := b.published("same", 3)
	first, before := s.l, s.seen()
	for _, changed := range []shopadapter.Fields{
		all, shopadapter.NoFields, shopadapter.FieldVariants, shopadapter.FieldImages,
	} {
		b.in("again, changed %s", changed)
		s.publish(changed)
		b.equal("the address", s.l.URL, first.URL)
		b.equal("the ids of the variants", s.l.ShopIDs(), first.ShopIDs())
		s.stays(before)
	}
	s.shown()
}

func checkLastWins(b *bench) {
	s := b.published("last", 3)
	for n := range 3 {
		b.in("revision %d", n+1)
		s.update(n+1, all)
	}
}

func checkOnlyChanged(b *bench) {
	s := b.published("groups", 3)
	var groups shopadapter.Fields
	for n, group := range append(slices.Clone(textGroups), shopadapter.FieldPrice, shopadapter.FieldStock) {
		b.in("after a change of %s alone", group)
		s.write(n+1, group, s.try) // a change of a hidden group tells of the others that they stay
		groups |= group
	}
	if b.Hidden.Has(groups) {
		b.skip("every field group is hidden, so that nothing tells what was written")
	}
}

// merge is p with these groups taken from q, which has the same variants.
func merge(p, q shopadapter.Product, groups shopadapter.Fields) shopadapter.Product {
	p, q = clone(p), clone(q)
	if groups == all {
		return q
	}
	if groups.Has(shopadapter.FieldTitle) {
		p.Title = q.Title
	}
	if groups.Has(shopadapter.FieldDescription) {
		p.Description = q.Description
	}
	if groups.Has(shopadapter.FieldImages) {
		p.Images = q.Images
	}
	if groups.Has(shopadapter.FieldCategory) {
		p.Category = q.Category
	}
	for i := range p.Variants {
		v, w := &p.Variants[i], q.Variants[i]
		if groups.Has(shopadapter.FieldPrice) {
			v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
		}
		if groups.Has(shopadapter.FieldStock) {
			v.Quantity, v.Backorders = w.Quantity, w.Backorders
		}
	}
	return p
}

func checkRestart(b *bench) {
	s := b.published("lost-store", 3)
	if b.Restart != nil {
		b.begin("restart the endpoint")
		b.must("restart", b.Restart(b.ctx))
	}
	s.forget()
	b.in("after a restart")
	s.shown()
	s.update(1, all)
	s.forget()
	s.unpublish(shopadapter.TakeOffline)
}

func checkStaleHint(b *bench) {
	s := b.published("old", 3)
	old := s.ref
	s.unpublish(shopadapter.Delete)
	s.ref = s.bare()
	b.in("after a delete, with the key alone")
	s.put(all)
	s.ref = old
	b.in("with the hint of the listing that was deleted")
	s.update(1, all)

	other := b.published("other", 1)
	crossed := shopadapter.Ref{Publication: s.p.ID, Listing: other.ref.Listing, State: other.ref.State}
	s.ref = crossed
	b.in("with the hint of another publication")
	s.update(2, all)
	other.shown()
	s.must("unpublish", s.withdraw(crossed, shopadapter.Delete))
	b.isGone(s.p.ID, shopadapter.TakeOffline)
	other.shown()

	// what is half the first and half new, with the State from before a write whose answer was lost
	for _, changed := range []shopadapter.Fields{figures, all} {
		s := b.published("older-"+changed.String(), 3)
		old, first := s.ref, s.p
		s.revise(1, all)
		s.publish(changed)
		s.p, s.ref = clone(first), old
		s.p.Variants[2] = b.revise(s.p, 2).Variants[2]
		b.in("with a state that is older than the last write of %s", changed)
		s.publish(changed)
		s.shows(changed)
	}
}

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
		s.shown()
		if twin, taken := listings[s.l.ID]; taken {
			b.fail("%q and %q share the listing %s", twin, s.p.ID, s.l.ID)
		}
		listings[s.l.ID] = s.p.ID
	}
	for i, s := range made {
		b.in("%q, after those before it were deleted", s.p.ID)
		b.stand(s.p.ID)
		s.ref = s.bare()
		s.unpublish(shopadapter.Delete)
		if i+1 < len(made) {
			made[i+1].shown()
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

func checkUnpublish(b *bench) {
	bystander := b.published("bystander", 3)
	for _, how := range bothWays {
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
	for _, first := range bothWays {
		for _, second := range bothWays {
			s := b.published(first.String()+"-"+second.String(), 1)
			hint := s.ref
			s.unpublish(first)
			for _, s.ref = range []shopadapter.Ref{hint, s.bare()} {
				s.unpublish(second)
				b.isGone(s.p.ID, first)
			}
		}
	}
	before := b.snapshot()
	for _, how := range bothWays {
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
	}
	b.in("after a delete")
	s := b.published("deleted", 3)
	s.unpublish(shopadapter.Delete)
	s.ref = s.bare()
	s.put(all)
}

func checkDraft(b *bench) {
	s := b.subject("draft", 3)
	s.p.Draft = true
	// Nothing tells what a visitor cannot see: that a draft is complete shows once it is put on sale
	// without a change.
	drafted := func(when string) {
		b.in("%s", when)
		s.publish(all)
		b.equal("the listing is called a draft", s.l.Draft, true)
		b.isGone(s.p.ID, shopadapter.TakeOffline)
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
	b.equal("the listing is called a draft", s.l.Draft, false)
	b.in("on sale, to be a draft")
	s.p.Draft = true
	s.update(2, all)
	b.equal("the listing is called a draft", s.l.Draft, false)
}

// refuse has the shop refuse the second variant.
func (s *subject) refuse() (mend func()) {
	good := s.p
	s.p, s.refused = s.RefuseVariant(clone(good), handled), true
	return func() { s.p, s.refused = good, false }
}

func checkRefusedVariant(b *bench) {
	s := b.subject("one-of-three", 3)
	mend := s.refuse()
	for range 2 {
		s.put(all)
	}
	b.in("mended")
	mend()
	s.put(all)
	for _, variants := range []int{1, 2} {
		s := b.subject(fmt.Sprint("all-of-", variants), variants)
		good := s.p
		for i := range variants {
			s.p = b.RefuseVariant(clone(s.p), i)
		}
		b.in("of %d variants all are refused", variants)
		if e := shopadapter.Explain(s.try(all)); e == nil || e.Kind != shopadapter.Rejected {
			b.fail("publish: got %v, want an error of kind rejected", e)
		}
		b.isGone(good.ID, shopadapter.TakeOffline)
		b.in("mended")
		s.p = good
		s.put(all)
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
			b.isGone(good.ID, shopadapter.TakeOffline)
		}
		b.in("%s, mended", when)
		s.p = good
		b.must("publish", s.try(all))
		s.shown()
		s.revise(1, all)
	}
}
