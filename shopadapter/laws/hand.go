package laws

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func handLaws() []Law {
	return []Law{
		{"observed-price", "SetPriceByHand", checkObservedPrice, "A price that somebody changed in the shop is observed as " +
			"it stands, and is not put right by it."},
		{"observed-quantity", "SetQuantityByHand", checkObservedQuantity, "A quantity that somebody changed in the shop is " +
			"observed as it stands."},
		{"observed-reduction", "ReduceByHand", checkObservedReduction, "A merchant's reduction is not a changed price: the " +
			"price that was written is observed, or the reduced one beside a former price that is not below it."},
		{"observed-variant-gone", "RemoveVariantByHand", checkVariantGone, "A variant that somebody deleted in the shop is " +
			"not among those observed, and the others are."},
		{"observed-variant-off", "HideVariantByHand", checkVariantOff, "A variant that somebody switched off in the shop " +
			"is observed, and not on sale."},
		{"put-right", "SetPriceByHand SetQuantityByHand", checkPutRight, "A price or a quantity that somebody changed in " +
			"the shop is as it was written again after a publish or a restock that names its group, although the " +
			"product is the same."},
		{"variant-made-again", "RemoveVariantByHand", checkVariantMadeAgain, "A variant that somebody deleted in the shop is " +
			"made again by a publish that names variants, price and stock; the others keep their ids."},
		{"variant-stays-off", "HideVariantByHand", checkVariantStaysOff, "A variant that somebody switched off in the shop " +
			"stays off, whatever is written; the others follow."},
		{"variant-revived", "HideVariantByHand", checkVariantRevived, "A variant that somebody switched off in the shop is " +
			"on sale again once the caller asks for it."},
	}
}

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

// priced is a product of three variants of which the second has another price by hand.
func (b *bench) priced(name, price string) *subject {
	s := b.published(name, 3)
	b.must("by hand", b.SetPriceByHand(b.ctx, s.l.ID, s.second(), price))
	return s
}

// counted is one of which the second has another quantity.
func (b *bench) counted(name string, quantity int) *subject {
	s := b.published(name, 3)
	b.must("by hand", b.SetQuantityByHand(b.ctx, s.l.ID, s.second(), quantity))
	return s
}

// hidden is one of which the second is switched off.
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

// others ends the check unless the other variants are listed as they were written.
func (s *subject) others(o shopadapter.Listed) {
	var d differences
	for _, v := range s.rest().Variants {
		s.compareListed(&d, o, v)
	}
	s.must("list", d.of("the observation", s.p.ID))
}

func checkObservedPrice(b *bench) {
	for name, price := range map[string]string{"lower": "5.00", "higher": "205.50"} {
		b.in("a %s price", name)
		s := b.priced(name, price)
		s.p.Variants[handled].Price = price
		before := b.snapshot()
		s.observed()
		s.observed()
		b.unchanged(before)
		b.restart()
		s.observed()
	}
}

func checkObservedQuantity(b *bench) {
	for _, quantity := range []int{999, 0} {
		s := b.counted(fmt.Sprint(quantity), quantity)
		s.p.Variants[handled].Quantity = quantity
		s.observed()
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
	s.others(o)
}

func checkVariantGone(b *bench) {
	s := b.published("gone", 3)
	b.must("by hand", b.RemoveVariantByHand(b.ctx, s.l.ID, s.second()))
	s.p = s.rest()
	s.observed()
}

func checkVariantOff(b *bench) {
	s := b.hidden("off")
	o := s.watched()
	b.equal("list: the variant that is off is on sale", s.listed(o, s.p.Variants[handled].ID).OnSale, false)
	s.others(o)
}

func checkPutRight(b *bench) {
	for name, by := range map[string]struct {
		group shopadapter.Fields
		hand  func(name string) *subject
	}{
		"price":    {shopadapter.FieldPrice, func(name string) *subject { return b.priced(name, "5.00") }},
		"quantity": {shopadapter.FieldStock, func(name string) *subject { return b.counted(name, 999) }},
	} {
		b.in("%s, after a publish", name)
		s := by.hand(name + "-published")
		s.ref = s.left()
		s.put(by.group)
		s.shown()
		if !b.info().Figures {
			continue
		}
		b.in("%s, after a publish of figures alone", name)
		s = by.hand(name + "-restocked")
		s.ref = s.left()
		if err := s.tryFigures(by.group); !errors.Is(err, shopadapter.ErrWhole) {
			s.took(err, by.group)
			s.shown()
		}
	}
}

func checkVariantMadeAgain(b *bench) {
	s := b.published("gone", 3)
	b.must("by hand", b.RemoveVariantByHand(b.ctx, s.l.ID, s.second()))
	before := s.l.ShopIDs()
	s.ref = s.left()
	s.put(structure)
	s.shown()
	for _, v := range s.rest().Variants {
		b.equal("the shop's id of variant "+v.ID, s.l.ShopIDs()[v.ID], before[v.ID])
	}
	s.observed()
}

func checkVariantStaysOff(b *bench) {
	s := b.hidden("off")
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldVariants, all} {
		b.in("after a publish of %s", changed)
		s.ref = s.left()
		s.revise(n+1, changed)
		s.put(changed)
		b.shows(s.rest(), structure)
	}
}

func checkVariantRevived(b *bench) {
	s := b.hidden("revived")
	s.ref.Asked, s.ref.Revive = true, true
	s.put(shopadapter.FieldVariants)
	s.shown()
	s.observed()
}
