package laws

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// coarse is how far a shop's dates may lie before the moment that they stand for.
const coarse = 2 * time.Second

func checkObservedSince(ctx context.Context, b *bench) error {
	steps := []shopadapter.Fields{
		shopadapter.FieldPrice, shopadapter.FieldStock, shopadapter.FieldTitle, shopadapter.AllFields,
	}
	products, refs := make([]shopadapter.Product, len(steps)), make([]shopadapter.Ref, len(steps))
	for n, changed := range steps {
		products[n] = b.sample(b.id(changed.String()), 3)
		var err error
		if refs[n], err = b.made(ctx, products[n]); err != nil {
			return err
		}
	}
	since, err := b.moment(ctx)
	if err != nil {
		return err
	}
	for n, changed := range steps {
		p := merge(products[n], b.revise(products[n], n+1), changed)
		_, listing, err := b.put(ctx, refs[n], p, changed)
		if err != nil {
			return err
		}
		all, err := b.observation(ctx, shopadapter.Observation{Since: since})
		if err != nil {
			return err
		}
		o, ok := all[p.ID]
		if !ok {
			return fmt.Errorf("since before a change of %s: got nothing of %q, want its listing", changed, p.ID)
		}
		if err := b.asWritten(o, p, listing); err != nil {
			return fmt.Errorf("since before a change of %s: %w", changed, err)
		}
		if told := !o.ChangedAt.IsZero(); told && o.ChangedAt.Before(since.Add(-coarse)) {
			return fmt.Errorf("changed at, after a change of %s: got %s, want %s or later", changed, o.ChangedAt, since)
		}
	}
	return nil
}

func checkObservedIdle(ctx context.Context, b *bench) error {
	p := b.sample(b.id("idle"), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	before, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	count := b.wire.count()
	first, err := b.watched(ctx, p.ID)
	if err != nil {
		return err
	}
	if _, writes := count(); len(writes) > 0 {
		return fmt.Errorf("requests of an observation: got %q, want none that writes", writes)
	}
	again, err := b.watched(ctx, p.ID)
	if err != nil {
		return err
	}
	if !again.ChangedAt.Equal(first.ChangedAt) {
		return fmt.Errorf("changed at, observed again: got %s, want %s", again.ChangedAt, first.ChangedAt)
	}
	if err := b.unchanged(ctx, before); err != nil {
		return fmt.Errorf("after an observation: %w", err)
	}
	if _, _, err := b.put(ctx, ref, p, shopadapter.NoFields); err != nil {
		return err
	}
	if err := b.unchanged(ctx, before); err != nil {
		return fmt.Errorf("published again after an observation: %w", err)
	}
	return nil
}

func checkObservedCost(ctx context.Context, b *bench) error {
	if b.NoTransport {
		return &Skip{"the adapter makes no requests"}
	}
	const few, more = 2, 10
	cost := func() (requests int, err error) {
		count := b.wire.count()
		_, err = b.observation(ctx, shopadapter.Observation{})
		requests, _ = count()
		return requests, err
	}
	if _, err := cost(); err != nil { // what is read once is read here
		return err
	}
	for n := range few {
		if _, err := b.made(ctx, b.sample(b.id(fmt.Sprint("few-", n)), 2)); err != nil {
			return err
		}
	}
	before, err := cost()
	if err != nil {
		return err
	}
	for n := range more {
		if _, err := b.made(ctx, b.sample(b.id(fmt.Sprint("more-", n)), 2)); err != nil {
			return err
		}
	}
	after, err := cost()
	if err != nil {
		return err
	}
	if after-before >= more {
		return fmt.Errorf("requests for %d listings more: got %d, want fewer", more, after-before)
	}
	return nil
}

func checkObservedForeign(ctx context.Context, b *bench) error {
	p := b.sample(b.id("ours"), 1)
	if _, err := b.made(ctx, p); err != nil {
		return err
	}
	stranger := b.sample(b.id("stranger"), 2)
	foreign, err := b.AddForeign(ctx, clone(stranger))
	if err != nil {
		return fmt.Errorf("add foreign: %w", err)
	}
	for _, what := range []shopadapter.Observation{
		{}, {Refs: []shopadapter.Ref{{Publication: stranger.ID, Listing: foreign}}},
	} {
		all, err := b.observation(ctx, what)
		if err != nil {
			return err
		}
		for id, o := range all {
			if id != p.ID || o.Ref.Listing == foreign {
				return fmt.Errorf("observe (%s): got %q, listing %s, which is foreign", asked(what), id, o.Ref.Listing)
			}
		}
	}
	return nil
}
