package laws

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkRestock(b *bench) {
	b.needsFigures()
	s := b.published("figures", 3)
	first := s.p
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldStock, shopadapter.FieldPrice, figures} {
		b.in("of %s", changed)
		s.revise(n+1, changed)
		if !s.putFigures(changed) {
			b.fail("publish of figures alone: got ErrWhole, want them written")
		}
	}
	s.update(7, all)
	// What was written before comes back: a state that figures alone did not keep up with is behind.
	for _, killed := range []bool{false, true} {
		b.in("back to and fro, killed %t", killed)
		s.p = merge(s.p, first, figures)
		s.put(figures)
		old := s.ref
		s.revise(8, figures)
		s.putFigures(figures)
		if killed { // nothing of the answer was recorded
			s.ref = old
			b.restart()
		}
		s.p = merge(s.p, first, figures)
		s.put(figures)
	}
	s = b.published("sold", 2)
	for n, group := range []shopadapter.Fields{shopadapter.FieldPrice, shopadapter.FieldStock} {
		b.in("of %s alone, beside others that are not what the shop holds", group)
		s.write(n+1, group, s.tryFigures)
	}
}

func checkAsksWhole(b *bench) {
	b.needsFigures()
	for _, c := range []struct {
		name     string
		endpoint bool // an endpoint is asked too
		may      bool // figures alone may do it, too
		change   func(s *subject)
	}{
		{"a publication that was never published", true, false, func(s *subject) {
			never := b.subject("never-made", 2)
			s.p, s.ref, s.last, s.made = never.p, never.ref, "", ""
		}},
		{"a variant that the listing lacks", true, false, func(s *subject) { s.p = b.revise(b.sample(s.p.ID, 3), 1) }},
		{"a variant that is not named", false, false, func(s *subject) { s.p.Variants = s.p.Variants[:1] }},
		{"no variant", false, false, func(s *subject) { s.p.Variants = nil }},
		{"a variant named twice", false, false, func(s *subject) { s.p.Variants[1].ID = s.p.Variants[0].ID }},
		{"a text that is given back", false, false, func(s *subject) { s.ref.Reset = shopadapter.FieldTitle }},
		{"a variant that was deleted by hand", false, false, func(s *subject) {
			b.byHand(b.RemoveVariantByHand(b.ctx, s.ref.Listing, s.second()))
		}},
		{"without a state", true, true, func(s *subject) { s.ref.State = nil }},
	} {
		if b.Endpoint != nil && !c.endpoint || b.RemoveVariantByHand == nil && strings.Contains(c.name, "by hand") {
			continue
		}
		b.in("%s", c.name)
		s := b.published(c.name, 2)
		whole := b.revise(s.p, 1)
		s.p, s.ref = clone(whole), s.left()
		c.change(s)
		before, hint := b.snapshot(), s.ref
		err := s.tryFigures(figures)
		switch {
		case errors.Is(err, shopadapter.ErrWhole):
			b.unchanged(before)
		case err == nil && c.may:
			s.shows(figures)
		default:
			b.fail("publish of figures alone: got %s, want ErrWhole", said(err))
		}
		if s.p.ID == whole.ID && len(s.p.Variants) == len(whole.Variants) {
			s.p, s.ref = whole, hint
			s.ref.OnSale = false
			s.put(all)
		}
	}
	b.in("a listing that was deleted")
	s := b.published("deleted", 2)
	left := s.left()
	s.unpublish(shopadapter.Delete)
	before := b.snapshot()
	s.ref = left
	if err := s.tryFigures(figures); !errors.Is(err, shopadapter.ErrWhole) && !errors.Is(err, shopadapter.ErrGone) {
		b.fail("publish of figures alone: got %s, want ErrWhole or ErrGone", said(err))
	}
	b.unchanged(before)
}

func checkLeavesTheMerchants(b *bench) {
	b.needsFigures()
	for _, group := range b.texts() {
		if b.Edit == nil {
			break
		}
		s := b.edit(group)
		s.revise(1, figures)
		s.putFigures(figures)
		s.update(2, all)
	}
	if b.HideVariantByHand != nil {
		b.in("a variant that was switched off")
		s := b.switchedOff("variant-off")
		s.revise(1, figures)
		s.ref = s.left()
		s.putFigures(figures)
	}
	for _, away := range []struct {
		name string
		take func(ctx context.Context, listing shopadapter.ListingID) error
		want error
	}{
		{"hidden by hand", b.HideByHand, shopadapter.ErrHidden}, {"deleted by hand", b.DeleteByHand, shopadapter.ErrGone},
	} {
		if away.take == nil {
			continue
		}
		b.in("%s", away.name)
		s := b.published(away.name, 2)
		b.byHand(away.take(b.ctx, s.l.ID))
		before := b.snapshot()
		s.revise(1, figures)
		s.ref = s.left()
		// an endpoint may know no more than that it does not hold the product
		err := s.tryFigures(figures)
		if !errors.Is(err, away.want) && (b.Endpoint == nil || !errors.Is(err, shopadapter.ErrWhole)) {
			b.fail("publish of figures alone: got %s, want %q", said(err), away.want)
		}
		b.unchanged(before)
	}
}

func checkRestockRefused(b *bench) {
	b.needsFigures()
	s := b.published("refused", 3)
	s.p = b.revise(s.p, 1)
	good, was, before := s.p, s.second().ID, b.snapshot()
	mend := s.refuse()
	if slices.Equal(shopadapter.FiguresOf(good.Variants), shopadapter.FiguresOf(s.p.Variants)) {
		b.skip("this shop refuses no figures")
	}
	switch err := s.tryFigures(figures); {
	case errors.Is(err, shopadapter.ErrWhole):
		if s.seen().variant(was) < 0 {
			b.unchanged(before)
		}
	default:
		s.took(err, figures)
		s.shows(figures)
	}
	mend()
	s.put(all)
}

func checkNetPrice(b *bench) {
	s := b.subject("net", 2)
	price := func(first, second string) { s.p.Variants[0].Price, s.p.Variants[1].Price = first, second }
	price("20.02", "24.20")
	s.put(all)
	b.AddTax("21")
	b.restart()
	is := b.info()
	if !is.Prices.Net() {
		b.fail("check: got gross prices, want net ones, since the shop adds tax")
	}
	for _, step := range []struct {
		name  string
		alone bool
		asked []string
	}{
		{"with tax on top, as a whole", false, []string{"20.02", "24.20"}},
		{"other prices, as figures", is.Figures, []string{"19.99", "0.05"}},
	} {
		b.in("%s", step.name)
		price(step.asked[0], step.asked[1])
		send := s.try
		if step.alone {
			send = s.tryFigures
		}
		s.took(send(shopadapter.FieldPrice), shopadapter.FieldPrice)
		for range 2 {
			s.shows(shopadapter.FieldPrice)
			o := s.watched()
			for _, v := range s.p.Variants {
				if got := s.listed(o, v.ID).Price; !is.Prices.Alike(got, v.Price) {
					b.fail("list: the price of variant %s: got %s, want one alike %s", v.ID, got, v.Price)
				}
			}
			before := b.snapshot()
			s.publish(shopadapter.FieldPrice)
			b.unchanged(before)
		}
	}
}
