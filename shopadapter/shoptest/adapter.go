package shoptest

import (
	"context"
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type adapter struct{ *Shop }

// Adapter returns the shop as an adapter in Go.
func (s *Shop) Adapter() shopadapter.Adapter { return adapter{s} }

var errLost = shopadapter.Retry("the answer was lost")

// call makes a call, and loses its answer if the reply says so.
func (s *Shop) call(
	ctx context.Context, c Call, do func(Reply) (shopadapter.Listing, error),
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	r := s.enter(c)
	if err := kit.Pause(ctx, r.Wait); err != nil {
		return shopadapter.Listing{}, err
	}
	if r.Err != nil {
		return shopadapter.Listing{}, r.Err
	}
	if r.Cut == Whole {
		return do(r)
	}
	if r.Cut == After {
		_, _ = do(r)
	}
	return shopadapter.Listing{}, errLost
}

// Publish implements shopadapter.Adapter.
func (a adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	c := Call{Method: Publish, ID: ref.Publication, Changed: changed, Product: p, Ref: ref}
	if p.Figures {
		if !a.able().Figures || ref.Reset != shopadapter.NoFields {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
		c.Method, c.Product = Figures, shopadapter.Product{Variants: p.OnlyFigures().Variants}
	}
	return a.call(ctx, c, func(r Reply) (shopadapter.Listing, error) {
		it, found := a.Get(string(ref.Publication))
		if err := ref.Drift(found, it.OnSale); err != nil {
			return shopadapter.Listing{}, err
		}
		if p.Figures {
			return a.figures(c, r)
		}
		l := a.write(c, r)
		if n := len(p.Variants); n > 0 && len(r.Refused) == n {
			return l, shopadapter.Reject("the shop refuses every variant: %s", r.Refused[p.Variants[n-1].ID])
		}
		return l, nil
	})
}

// Unpublish implements shopadapter.Adapter.
func (a adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	c := Call{Method: Remove, ID: ref.Publication, How: how, Ref: ref}
	_, err := a.call(ctx, c, func(Reply) (shopadapter.Listing, error) {
		a.remove(ref.Publication, how)
		return shopadapter.Listing{}, nil
	})
	return "", err
}

func nothing(Reply) (l shopadapter.Listing, err error) { return l, nil }

// Check implements shopadapter.Adapter.
func (a adapter) Check(ctx context.Context) (shopadapter.Info, error) {
	_, err := a.call(ctx, Call{Method: Check}, nothing)
	can := a.able()
	return shopadapter.Info{Currency: can.Currency, Prices: can.Prices(), Figures: can.Figures}, err
}

// List implements shopadapter.Adapter.
func (a adapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		can := a.able()
		if !can.Lists && !can.Observes || q.Refs != nil && !can.Observes {
			yield(shopadapter.Listed{}, shopadapter.ErrNoList)
			return
		}
		if _, err := a.call(ctx, Call{Method: List}, nothing); err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		for _, l := range a.standing() {
			if !can.Observes {
				l.Listing = shopadapter.Listing{ID: l.ID, URL: l.URL, OnSale: l.OnSale, Images: -1}
			}
			if q.Wants(l.Ref.Publication) && !yield(l, nil) {
				return
			}
		}
	}
}
