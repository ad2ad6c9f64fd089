package laws

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// A keeper calls an adapter as the connector does: with the figures alone where the last call ended
// well, and else with the whole product. What was attempted since then counts as changed.
type keeper struct {
	*bench
	rand      *rand.Rand
	product   shopadapter.Product
	ref       shopadapter.Ref
	ids       map[string]string // the shop's, by variant id
	written   []shopadapter.Figures
	attempted shopadapter.Fields
}

// checkFiguresAtRandom changes figures to and fro while requests are lost and the caller is killed.
// Whatever went before, a call that ends well leaves the shop with the figures that it was given.
func checkFiguresAtRandom(ctx context.Context, b *bench) error {
	if b.NoTransport {
		return nil
	}
	const calls = 25
	for seed := range uint64(6 / max(b.Stride, 1)) {
		k := &keeper{bench: b, rand: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // it is to be the same each time
		k.product = b.sample(b.id(fmt.Sprint("random-", seed)), 2+int(seed%3))
		ref, l, err := b.put(ctx, b.ref(k.product.ID), k.product, shopadapter.AllFields)
		if err != nil {
			return err
		}
		k.ref, k.ids, k.written = ref, l.ShopIDs(), shopadapter.FiguresOf(k.product.Variants)
		for n := range calls {
			if err := k.step(ctx); err != nil {
				return fmt.Errorf("random figures %d, call %d: %w", seed, n, err)
			}
		}
	}
	return nil
}

// move changes some figures. There are few of each, so that many come back.
func (k *keeper) move() {
	for i := range k.product.Variants {
		v := &k.product.Variants[i]
		switch k.rand.IntN(5) {
		case 0, 1:
			v.Price = []string{"10.00", "11.50"}[k.rand.IntN(2)]
		case 2, 3:
			v.Quantity = []int{0, 5, 9}[k.rand.IntN(3)]
		default:
			v.Backorders = !v.Backorders
		}
	}
}

// changed is the groups in which the product differs from what was last written, and those that
// were attempted since.
func (k *keeper) changed() shopadapter.Fields {
	groups := k.attempted
	for i, now := range shopadapter.FiguresOf(k.product.Variants) {
		then := k.written[i]
		if now.Price != then.Price {
			groups |= shopadapter.FieldPrice
		}
		if now.Quantity != then.Quantity || now.Backorders != then.Backorders {
			groups |= shopadapter.FieldStock
		}
	}
	return groups
}

// step makes one call, with a fault in the way of some.
func (k *keeper) step(ctx context.Context) error {
	k.move()
	changed := k.changed()
	if changed == shopadapter.NoFields {
		return nil
	}
	lift, killed := func() bool { return false }, k.rand.IntN(5) == 0
	if k.rand.IntN(3) == 0 {
		pause := answer(http.StatusTooManyRequests, "application/json", "{}", http.Header{"Retry-After": {"1"}})
		lift = k.wire.arm(1+k.rand.IntN(4), []fault{unsent, unanswered, garbled, halved, pause}[k.rand.IntN(5)])
	}
	k.ref.OnSale = k.attempted == shopadapter.NoFields
	l, err := k.call(ctx, changed)
	met := lift()
	if l.ID != "" && !killed {
		k.ref.Listing, k.ref.State = l.ID, l.State
	}
	switch {
	case killed: // nothing of the answer is recorded
		k.attempted |= changed
		return k.restart()
	case err != nil && met && shopadapter.Explain(err).Kind == shopadapter.Transient:
		k.attempted |= changed
		return nil
	case err != nil:
		return err
	}
	k.attempted, k.written = shopadapter.NoFields, shopadapter.FiguresOf(k.product.Variants)
	for _, v := range k.product.Variants {
		if id := l.ShopIDs()[v.ID]; id != k.ids[v.ID] || l.Refused[v.ID] != "" {
			return fmt.Errorf("variant %s: got the id %q, refused %q, want %s", v.ID, id, l.Refused[v.ID], k.ids[v.ID])
		}
	}
	return k.expectIn(ctx, k.product, figures|shopadapter.FieldTitle)
}

func (k *keeper) call(ctx context.Context, changed shopadapter.Fields) (shopadapter.Listing, error) {
	if k.ref.OnSale {
		l, err := k.adapter.Publish(ctx, k.ref, k.product.OnlyFigures(), changed)
		if !errors.Is(err, shopadapter.ErrWhole) {
			return l, err
		}
	}
	return k.adapter.Publish(ctx, k.ref, clone(k.product), changed)
}
