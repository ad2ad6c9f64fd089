package conform

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func parallelLaws() []Law {
	return []Law{
		{
			ID: "parallel", check: checkParallel,
			Sentence: "Products that are put at the same time are each made once, and each answer is about its own " +
				"product.",
		}, {
			ID: "overlap", check: checkOverlap,
			Sentence: "A PUT that overlaps its own repetition, as after a time-out, is one product.",
		},
	}
}

// together publishes products at the same time.
func (b *bench) together(ctx context.Context, products []shopadapter.Product) ([]httpshop.Answer, error) {
	listings, errs := make([]httpshop.Answer, len(products)), make([]error, len(products))
	var group sync.WaitGroup
	for i, p := range products {
		group.Go(func() { listings[i], errs[i] = b.published(ctx, p) })
	}
	group.Wait()
	return listings, errors.Join(errs...)
}

func checkParallel(ctx context.Context, b *bench) error {
	const n = 12
	products := make([]shopadapter.Product, n)
	for i := range products {
		products[i] = sample(b.id(fmt.Sprint(i)), 2)
	}
	first, err := b.together(ctx, products)
	if err != nil {
		return err
	}
	owner := map[httpshop.Text]shopadapter.PublicationID{}
	for i, l := range first {
		if other, taken := owner[l.ID]; taken {
			return fmt.Errorf("%s and %s are one listing, %q", other, products[i].ID, l.ID)
		}
		owner[l.ID] = products[i].ID
		if err := sameVariants(products[i], l); err != nil {
			return fmt.Errorf("the answer to %s: %w", products[i].ID, err)
		}
	}
	again, err := b.together(ctx, products)
	if err != nil {
		return err
	}
	for i, l := range again {
		if l.ID != first[i].ID {
			return fmt.Errorf("%s was %q and is %q: the first PUT has been lost", products[i].ID, first[i].ID, l.ID)
		}
	}
	ids := make([]shopadapter.PublicationID, n)
	all, err := b.products(ctx)
	if err = ignoreNoList(err); err != nil {
		return err
	}
	for i, p := range products {
		ids[i] = p.ID
		if all == nil {
			continue
		}
		if _, err := one(all, string(p.ID)); err != nil {
			return err
		}
	}
	return b.stand(ctx, ids...)
}

func checkOverlap(ctx context.Context, b *bench) error {
	for round := range 4 {
		p := sample(b.id(fmt.Sprint(round)), 3)
		listings, err := b.together(ctx, []shopadapter.Product{p, p, p})
		if err != nil {
			return err
		}
		for _, l := range listings[1:] {
			if l.ID != listings[0].ID {
				return fmt.Errorf("%s became the listings %q and %q", p.ID, listings[0].ID, l.ID)
			}
		}
		all, err := b.products(ctx)
		if err = ignoreNoList(err); err != nil {
			return err
		}
		if all == nil {
			continue
		}
		if _, err := one(all, string(p.ID)); err != nil {
			return err
		}
	}
	return nil
}
