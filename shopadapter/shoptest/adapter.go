package shoptest

import (
	"context"
	"iter"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// An adapter is a shop as the connector meets it in Go.
type adapter struct{ *Shop }

// Adapter is the shop as an adapter. What it cannot do it says when it is asked.
func (s *Shop) Adapter() shopadapter.Adapter { return adapter{s} }

var errLost = shopadapter.Retry("the answer was lost")

// call makes a call, and loses its answer where the reply says so.
func (s *Shop) call(
	ctx context.Context, c Call, do func(Reply) (shopadapter.Listing, error),
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	r := s.enter(c)
	if err := sleep(ctx, r.Wait); err != nil {
		return shopadapter.Listing{}, err
	}
	if r.Err != nil {
		return shopadapter.Listing{}, r.Err
	}
	if r.Cut == Before {
		return shopadapter.Listing{}, errLost
	}
	l, err := do(r)
	if r.Cut != Whole {
		return shopadapter.Listing{}, errLost
	}
	return l, err
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Publish implements shopadapter.Adapter.
func (a adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	c := Call{Method: Publish, ID: ref.Publication, Changed: changed, Product: p, Ref: ref}
	return a.call(ctx, c, func(r Reply) (shopadapter.Listing, error) {
		if err := a.drift(ref); err != nil {
			return shopadapter.Listing{}, err
		}
		return a.write(c, r), nil
	})
}

// Restock implements shopadapter.Restocker.
func (a adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	c := Call{Method: Figures, ID: ref.Publication, Changed: changed, Ref: ref}
	for _, f := range variants {
		c.Product.Variants = append(c.Product.Variants, f.On(shopadapter.Variant{ID: f.ID}))
	}
	return a.call(ctx, c, func(Reply) (shopadapter.Listing, error) {
		if err := a.drift(ref); err != nil {
			return shopadapter.Listing{}, err
		}
		if _, ok := a.Get(string(ref.Publication)); !ok {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
		l, ok := a.figures(c)
		if !ok {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
		return l, nil
	})
}

// Restocks reports whether the shop takes figures alone.
func (a adapter) Restocks(context.Context) bool { return a.able().Figures }

// Currency implements shopadapter.Pricer.
func (a adapter) Currency(context.Context) (string, error) { return a.able().Currency, nil }

// Prices implements shopadapter.Taxer.
func (a adapter) Prices(context.Context) (shopadapter.Prices, error) { return a.able().Prices(), nil }

// Observes reports whether the shop tells what stands in it.
func (a adapter) Observes(context.Context) bool { return a.able().Observes }

// Unpublish implements shopadapter.Adapter.
func (a adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	c := Call{Method: Remove, ID: ref.Publication, How: how, Ref: ref}
	_, err := a.call(ctx, c, func(Reply) (shopadapter.Listing, error) {
		a.remove(ref.Publication, how)
		return shopadapter.Listing{}, nil
	})
	return err
}

// Check implements shopadapter.Checker.
func (a adapter) Check(ctx context.Context) error {
	_, err := a.call(ctx, Call{Method: Check}, func(Reply) (shopadapter.Listing, error) {
		return shopadapter.Listing{}, nil
	})
	return err
}

// Listings implements shopadapter.Lister.
func (a adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		if !a.able().Lists {
			yield(shopadapter.Listed{}, shopadapter.ErrNoList)
			return
		}
		for o, err := range a.observe(ctx, shopadapter.Observation{}) {
			if !yield(o.Listed, err) || err != nil {
				return
			}
		}
	}
}

// Observe implements shopadapter.Observer.
func (a adapter) Observe(
	ctx context.Context, what shopadapter.Observation,
) iter.Seq2[shopadapter.Observed, error] {
	return a.observe(ctx, what)
}

func (a adapter) observe(ctx context.Context, what shopadapter.Observation) iter.Seq2[shopadapter.Observed, error] {
	return func(yield func(shopadapter.Observed, error) bool) {
		_, err := a.call(ctx, Call{Method: List}, func(Reply) (shopadapter.Listing, error) {
			return shopadapter.Listing{}, nil
		})
		if err != nil {
			yield(shopadapter.Observed{}, err)
			return
		}
		for _, o := range a.standing() {
			if what.Wants(o.Ref.Publication) && !yield(o, nil) {
				return
			}
		}
	}
}

func (s *Shop) able() Abilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.can
}
