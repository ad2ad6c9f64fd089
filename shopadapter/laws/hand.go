package laws

import (
	"fmt"
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

// switchedOff is a product of three variants of which the second is switched off.
func (b *bench) switchedOff(name string) *subject {
	s := b.published(name, 3)
	b.byHand(b.HideVariantByHand(b.ctx, s.l.ID, s.second()))
	s.off = true
	return s
}

// changedByHand has the second variant changed by hand. The change is observed, and goes with a
// publish, or a write of figures alone, of the group.
func (b *bench) changedByHand(
	name string, group shopadapter.Fields, do func(s *subject, v *shopadapter.Variant) error,
) {
	for _, whole := range []bool{true, false} {
		if !whole && !b.info().Figures {
			return
		}
		s := b.published(fmt.Sprintf("%s-%t", name, whole), 3)
		written := s.p
		s.p = clone(written)
		b.byHand(do(s, &s.p.Variants[handled]))
		before := b.snapshot()
		s.observed()
		s.observed()
		b.unchanged(before)
		b.restart()
		s.observed()
		s.p, s.ref = written, s.left()
		if whole {
			s.put(group)
		} else {
			s.putFigures(group)
		}
	}
}

func checkPriceByHand(b *bench) {
	for _, price := range []string{"5.00", "205.50"} {
		b.changedByHand(price, shopadapter.FieldPrice, func(s *subject, v *shopadapter.Variant) error {
			v.Price = price
			return b.SetPriceByHand(b.ctx, s.l.ID, s.second(), price)
		})
	}
}

func checkQuantityByHand(b *bench) {
	for _, quantity := range []int{999, 0} {
		b.changedByHand(fmt.Sprint(quantity), shopadapter.FieldStock, func(s *subject, v *shopadapter.Variant) error {
			v.Quantity = quantity
			return b.SetQuantityByHand(b.ctx, s.l.ID, s.second(), quantity)
		})
	}
}

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

func checkVariantGone(b *bench) {
	s := b.published("gone", 3)
	b.byHand(b.RemoveVariantByHand(b.ctx, s.l.ID, s.second()))
	whole, before := s.p, s.l.ShopIDs()
	s.p = clone(whole)
	s.p.Variants = slices.Delete(s.p.Variants, handled, handled+1)
	rest := s.p.Variants
	s.observed()
	s.p, s.ref = whole, s.left()
	s.put(structure)
	for _, v := range rest {
		b.equal("the shop's id of variant "+v.ID, s.l.ShopIDs()[v.ID], before[v.ID])
	}
	s.observed()
}

func checkVariantOff(b *bench) {
	s := b.switchedOff("off")
	s.observed()
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldVariants, all} {
		b.in("after a publish of %s", changed)
		s.ref = s.left()
		s.update(n+1, changed)
	}
	b.in("asked for")
	s.ref.Asked, s.ref.Revive, s.off = true, true, false
	s.put(shopadapter.FieldVariants)
	s.observed()
}
