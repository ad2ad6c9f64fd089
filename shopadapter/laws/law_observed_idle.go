package laws

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

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
	if _, err := b.watched(ctx, p.ID); err != nil {
		return err
	}
	if _, writes := count(); len(writes) > 0 {
		return fmt.Errorf("requests of an observation: got %q, want none that writes", writes)
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
		_, err = b.observation(ctx, shopadapter.Query{})
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
	for _, what := range []shopadapter.Query{
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
