package laws

import "github.com/pubsync/pubsync/shopadapter"

func checkNetPrice(b *bench) {
	s := b.subject("net", 2)
	price := func(first, second string) { s.p.Variants[0].Price, s.p.Variants[1].Price = first, second }
	price("20.02", "24.20")
	s.put(all)
	s.shown()
	b.AddTax("21")
	b.restart()
	prices := b.info().Prices
	if !prices.Net() {
		b.fail("check: got gross prices, want net ones, since the shop adds tax")
	}
	for _, step := range []struct {
		name  string
		put   func(changed shopadapter.Fields)
		asked []string
	}{
		{"with tax on top, as a whole", s.put, []string{"20.02", "24.20"}},
		{"other prices, as figures", s.putFigures, []string{"19.99", "0.05"}},
	} {
		b.in("%s", step.name)
		price(step.asked[0], step.asked[1])
		if step.name != "with tax on top, as a whole" && !b.info().Figures {
			step.put = s.put
		}
		step.put(shopadapter.FieldPrice)
		for range 2 {
			b.shows(s.p, shopadapter.FieldPrice)
			o := s.watched()
			for _, v := range s.p.Variants {
				if got := s.listed(o, v.ID).Price; !prices.Alike(got, v.Price) {
					b.fail("list: the price of variant %s: got %s, want one alike %s", v.ID, got, v.Price)
				}
			}
			before := b.snapshot()
			s.put(shopadapter.FieldPrice)
			b.unchanged(before)
		}
	}
}
