package laws

import (
	"errors"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkRestockRefused(b *bench) {
	b.needsFigures()
	s := b.published("refused", 3)
	s.p = b.revise(s.p, 1)
	good, was, before := s.p, s.second().ID, b.snapshot()
	s.p, s.refused = b.RefuseVariant(clone(good), handled), true
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
	s.p, s.refused = good, false
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
