package laws

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkRestock(b *bench) {
	b.needsFigures()
	s := b.published("figures", 3)
	before := s.seen()
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldStock, shopadapter.FieldPrice, figures} {
		b.in("of %s", changed)
		s.revise(n+1, changed)
		s.putFigures(changed)
		b.shows(s.p, structure)
		after := s.seen()
		for _, group := range textGroups() {
			if !b.Hidden.Has(group) {
				b.equal("the "+group.String(), text(after, group), text(before, group))
			}
		}
	}
	s.update(7, all)
	b.equal("kept by a publish afterwards", s.l.Kept, shopadapter.NoFields)

	s = b.published("sold", 2)
	for n, group := range []shopadapter.Fields{shopadapter.FieldPrice, shopadapter.FieldStock} {
		b.in("of %s alone, beside others that are not what the shop holds", group)
		s.write(n+1, group, s.putFigures)
	}
	if !b.NoTransport {
		for seed := range uint64(max(6/max(b.Stride, 1), 1)) {
			b.figuresAtRandom(seed)
		}
	}
}

// figuresAtRandom changes figures to and fro while requests are lost and the caller is killed.
// Whatever went before, a call that ends well leaves the shop with the figures that it was given.
func (b *bench) figuresAtRandom(seed uint64) {
	const calls = 25
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // it is to be the same each time
	s := b.published(fmt.Sprint("random-", seed), 2+int(seed%3))
	ids, written, attempted := s.l.ShopIDs(), clone(s.p), shopadapter.NoFields
	pause := answer(http.StatusTooManyRequests, "application/json", "{}", http.Header{"Retry-After": {"1"}})
	for n := range calls {
		b.in("random figures %d, call %d", seed, n)
		move(random, &s.p)
		changed := attempted | moved(written, s.p)
		if changed == shopadapter.NoFields {
			continue
		}
		lift, killed := func() bool { return false }, random.IntN(5) == 0
		if random.IntN(3) == 0 {
			lift = b.wire.arm(1+random.IntN(4), []fault{unsent, unanswered, garbled, halved, pause}[random.IntN(5)])
		}
		before := s.ref
		err := s.asTheConnector(attempted == shopadapter.NoFields, changed)
		met := lift()
		attempted |= changed
		switch e := shopadapter.Explain(err); {
		case killed: // nothing of the answer is recorded
			s.ref = before
			b.restart()
			continue
		case err != nil && met && e.Kind == shopadapter.Transient:
			continue
		case err != nil:
			b.fail("publish: %w", err)
		}
		written, attempted = clone(s.p), shopadapter.NoFields
		b.equal("refused variants", len(s.l.Refused), 0)
		b.equal("the ids of the variants", s.l.ShopIDs(), ids)
		b.shows(s.p, figures|shopadapter.FieldTitle)
	}
}

// asTheConnector publishes the figures alone where the last call ended well, and else the whole
// product.
func (s *subject) asTheConnector(well bool, changed shopadapter.Fields) error {
	if well {
		s.ref = s.left()
		hint := s.ref
		if err := s.tryFigures(changed); !errors.Is(err, shopadapter.ErrWhole) {
			return err
		}
		s.ref = hint
	}
	return s.call(s.ctx, clone(s.p), changed)
}

// move changes some figures. There are few of each, so that many come back.
func move(random *rand.Rand, p *shopadapter.Product) {
	for i := range p.Variants {
		v := &p.Variants[i]
		switch random.IntN(5) {
		case 0, 1:
			v.Price = []string{"10.00", "11.50"}[random.IntN(2)]
		case 2, 3:
			v.Quantity = []int{0, 5, 9}[random.IntN(3)]
		default:
			v.Backorders = !v.Backorders
		}
	}
}

// moved is the groups of figures in which two products differ.
func moved(p, q shopadapter.Product) (groups shopadapter.Fields) {
	for i, v := range p.Variants {
		w := q.Variants[i]
		if v.Price != w.Price {
			groups |= shopadapter.FieldPrice
		}
		if v.Quantity != w.Quantity || v.Backorders != w.Backorders {
			groups |= shopadapter.FieldStock
		}
	}
	return groups
}

func checkAsksWhole(b *bench) {
	b.needsFigures()
	for _, c := range []struct {
		name     string
		change   func(s *subject) // nil: the harness cannot do it
		endpoint bool             // an endpoint is asked too
		may      error            // what else is right: ErrGone, or nil for ErrWhole alone
		done     bool             // figures alone may do it, too
	}{
		{name: "a publication that was never published", endpoint: true, change: func(s *subject) {
			never := b.subject("never-made", 2)
			s.p, s.ref, s.made = never.p, never.ref, ""
		}},
		{name: "a variant that the listing lacks", endpoint: true, change: func(s *subject) {
			s.p = b.revise(b.sample(s.p.ID, 3), 1)
		}},
		{name: "a variant that is not named", endpoint: true, change: func(s *subject) { s.p.Variants = s.p.Variants[:1] }},
		{name: "no variant", change: func(s *subject) { s.p.Variants = nil }},
		{name: "a variant named twice", change: func(s *subject) { s.p.Variants[1].ID = s.p.Variants[0].ID }},
		{name: "a text that is given back", change: func(s *subject) { s.ref.Reset = shopadapter.FieldTitle }},
		{name: "a variant that was deleted by hand", change: b.removal()},
		{name: "without a state", endpoint: true, done: true, change: func(s *subject) { s.ref.State = nil }},
		{name: "a listing that was deleted", endpoint: true, may: shopadapter.ErrGone, change: func(s *subject) {
			s.must("unpublish", s.withdraw(s.ref, shopadapter.Delete))
			s.made = ""
		}},
	} {
		if c.change == nil || b.Endpoint != nil && !c.endpoint {
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
		case errors.Is(err, shopadapter.ErrWhole), c.may != nil && errors.Is(err, c.may):
			b.unchanged(before)
		case err == nil && c.done:
			b.shows(s.p, figures)
		default:
			b.fail("publish of figures alone: got %s, want ErrWhole", said(err))
		}
		if c.may == nil && s.p.ID == whole.ID && len(s.p.Variants) == len(whole.Variants) {
			s.p, s.ref = whole, hint
			s.ref.OnSale = false
			s.put(all)
			s.shown()
		}
	}
}

// removal deletes a variant by hand; nil where the harness cannot.
func (b *bench) removal() func(s *subject) {
	if b.RemoveVariantByHand == nil {
		return nil
	}
	return func(s *subject) {
		b.must("by hand", b.RemoveVariantByHand(b.ctx, s.ref.Listing, s.second()))
	}
}

func checkRestockLost(b *bench) {
	b.needsFigures()
	b.everyCut(func(c *cut) {
		s := b.published(c.name, 3)
		s.revise(1, figures)
		s.ref = s.left()
		b.passes(s.strike(c, func() error { return s.tryFigures(figures) }))
		s.put(all)
		s.shown()
		b.equal("kept, though no text was edited", s.l.Kept, shopadapter.NoFields)
	})
}

func checkLeavesTheMerchants(b *bench) {
	b.needsFigures()
	for _, group := range textGroups() {
		if b.Edit == nil || b.Hidden.Has(group) {
			continue
		}
		b.in("an edit of %s", group)
		s := b.published("text-"+group.String(), 3)
		b.must("edit", b.Edit(b.ctx, s.l.ID, group))
		mine := text(s.seen(), group)
		s.revise(1, figures)
		s.putFigures(figures)
		b.shows(s.p, structure)
		b.equal("the text", text(s.seen(), group), mine)
		s.revise(2, all)
		s.put(all)
		b.equal("kept by the next publish", s.l.Kept, group)
		b.shows(s.p, all&^group)
	}
	if b.HideVariantByHand != nil {
		b.in("a variant that was switched off")
		s := b.hidden("variant-off")
		s.revise(1, figures)
		s.ref = s.left()
		if err := s.tryFigures(figures); !errors.Is(err, shopadapter.ErrWhole) {
			s.took(err, figures)
			b.shows(s.rest(), structure)
		}
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
		b.must("by hand", away.take(b.ctx, s.l.ID))
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
	good := b.revise(s.p, 1)
	s.p = b.RefuseVariant(clone(good), handled)
	if moved(good, s.p) == shopadapter.NoFields {
		b.skip("this shop refuses no figures")
	}
	was, before := s.second(), b.snapshot()
	switch err := s.tryFigures(figures); {
	case errors.Is(err, shopadapter.ErrWhole):
		if refused := slices.IndexFunc(s.seen().Variants, func(v SeenVariant) bool { return v.ID == was.ID }); refused < 0 {
			b.unchanged(before)
		}
	case err != nil:
		b.fail("publish of figures alone: %w", err)
	default:
		if len(s.l.Refused) != 1 || s.l.Refused[was.ID] == "" {
			b.fail("refused: got %v, want variant %s with a reason", s.l.Refused, was.ID)
		}
		b.shows(s.rest(), figures)
	}
	s.p = good
	s.put(all)
	s.shown()
}
