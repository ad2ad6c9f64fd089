package laws

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// handled is the variant on which something is done by hand.
const handled = 1

// variant is one of the product's as the shop holds it.
func (s *subject) variant(i int) SeenVariant {
	id, seen := s.p.Variants[i].ID, s.seen()
	if i = seen.variant(id); i < 0 {
		s.fail("variant %s: got none in the shop, want one", id)
	}
	s.begin("by hand, on variant %s of listing %s", id, s.l.ID)
	return seen.Variants[i]
}

func (s *subject) second() SeenVariant { return s.variant(handled) }

func checkObservedReduction(b *bench) {
	const reduced = "7.50"
	s := b.published("offer", 3)
	b.byHand(b.ReduceByHand(b.ctx, s.l.ID, s.second(), reduced))
	o, want := s.watched(), s.p.Variants[handled]
	got := s.listed(o, want.ID)
	beside := sameAmount(got.Price, reduced) && notBelow(got.CompareAt, want.Price)
	if !sameAmount(got.Price, want.Price) && !beside {
		b.fail("list: a variant reduced from %s to %s: got the price %q beside %q, want %s, or it beside %s",
			want.Price, reduced, got.Price, got.CompareAt, want.Price, want.Price)
	}
	s.asWritten(o, handled)
}

// edit has the merchant edit a text group.
func (s *subject) edit(group shopadapter.Fields) {
	before := text(s.seen(), group)
	s.byHand(s.Edit(s.ctx, s.l.ID, group))
	mine := text(s.seen(), group)
	if mine == before {
		s.fail("the harness's Edit changed nothing that Observe shows")
	}
	s.mine = map[shopadapter.Fields]string{group: mine}
}

// giveBack gives the edited texts back to the supplier with the next publish.
func (s *subject) giveBack() { s.ref.Reset, s.mine = s.edited(), nil }

// hand does what words say in the back office: to the listing, or to its second variant, of which
// the product then says what stands in the shop.
func (s *subject) hand(words []string) {
	s.begin("listing %s: %v by hand", s.l.ID, words)
	s.p = clone(s.p)
	switch words[0] {
	case "delete":
		s.made = ""
		s.byHand(s.DeleteByHand(s.ctx, s.l.ID))
	case "hide":
		s.byHand(s.HideByHand(s.ctx, s.l.ID))
	case "unstamp":
		s.byHand(s.DeleteStamp(s.ctx, s.l.ID))
	case "price":
		s.byHand(s.SetPriceByHand(s.ctx, s.l.ID, s.second(), words[1]))
		s.p.Variants[handled].Price = words[1]
	case "quantity":
		quantity := number(words[1])
		s.byHand(s.SetQuantityByHand(s.ctx, s.l.ID, s.second(), quantity))
		s.p.Variants[handled].Quantity = quantity
	case "remove":
		s.byHand(s.RemoveVariantByHand(s.ctx, s.l.ID, s.second()))
		s.p.Variants = slices.Delete(s.p.Variants, handled, handled+1)
	case "off":
		s.byHand(s.HideVariantByHand(s.ctx, s.l.ID, s.second()))
		s.off = true
	}
}
