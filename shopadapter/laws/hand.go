package laws

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// handled is the variant on which something is done by hand.
const handled = 1

// second is that variant as the shop holds it.
func (s *subject) second() SeenVariant {
	id := s.p.Variants[handled].ID
	variants := s.seen().Variants
	i := slices.IndexFunc(variants, func(v SeenVariant) bool { return v.ID == id })
	if i < 0 {
		s.fail("variant %s: got none in the shop, want one", id)
	}
	s.begin("by hand, on variant %s of listing %s", id, s.l.ID)
	return variants[i]
}

// hidden is a product of three variants of which the second is switched off.
func (b *bench) hidden(name string) *subject {
	s := b.published(name, 3)
	b.must("by hand", b.HideVariantByHand(b.ctx, s.l.ID, s.second()))
	return s
}

// rest is the product without the second variant.
func (s *subject) rest() shopadapter.Product {
	p := clone(s.p)
	p.Variants = slices.Delete(p.Variants, handled, handled+1)
	return p
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
		b.must("by hand", do(s, &s.p.Variants[handled]))
		before := b.snapshot()
		s.observed()
		s.observed()
		b.unchanged(before)
		b.restart()
		s.observed()
		s.p, s.ref = written, s.left()
		if whole {
			s.put(group)
		} else if err := s.tryFigures(group); errors.Is(err, shopadapter.ErrWhole) {
			continue
		} else {
			s.took(err, group)
		}
		s.shown()
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
	b.must("by hand", b.ReduceByHand(b.ctx, s.l.ID, s.second(), reduced))
	o, want := s.watched(), s.p.Variants[handled]
	got := s.listed(o, want.ID)
	beside := sameAmount(got.Price, reduced) && notBelow(got.CompareAt, want.Price)
	if !sameAmount(got.Price, want.Price) && !beside {
		b.fail("list: a variant reduced from %s to %s: got the price %q beside %q, want %s, or it beside %s",
			want.Price, reduced, got.Price, got.CompareAt, want.Price, want.Price)
	}
	s.asWritten(o, s.rest().Variants)
}

func checkVariantGone(b *bench) {
	s := b.published("gone", 3)
	b.must("by hand", b.RemoveVariantByHand(b.ctx, s.l.ID, s.second()))
	whole, before := s.p, s.l.ShopIDs()
	s.p = s.rest()
	s.observed()
	s.p, s.ref = whole, s.left()
	s.put(structure)
	s.shown()
	for _, v := range s.rest().Variants {
		b.equal("the shop's id of variant "+v.ID, s.l.ShopIDs()[v.ID], before[v.ID])
	}
	s.observed()
}

func checkVariantOff(b *bench) {
	s := b.hidden("off")
	o := s.watched()
	b.equal("list: the variant that is off is on sale", s.listed(o, s.p.Variants[handled].ID).OnSale, false)
	s.asWritten(o, s.rest().Variants)
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldVariants, all} {
		b.in("after a publish of %s", changed)
		s.ref = s.left()
		s.revise(n+1, changed)
		s.put(changed)
		b.shows(s.rest(), structure)
	}
	b.in("asked for")
	s.ref.Asked, s.ref.Revive = true, true
	s.put(shopadapter.FieldVariants)
	s.shown()
	s.observed()
}
