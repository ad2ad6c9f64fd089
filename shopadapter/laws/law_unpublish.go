package laws

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func unpublishLaws() []Law {
	return []Law{
		{
			ID: "unpublish", core: true, check: checkUnpublish,
			Sentence: "Unpublish takes the listing out of sale, or deletes it, with the hint or with the key alone.",
		}, {
			ID: "unpublish-twice", core: true, check: checkUnpublishTwice,
			Sentence: "To unpublish what is unpublished is no error and changes nothing.",
		}, {
			ID: "unpublish-unknown", core: true, check: checkUnpublishUnknown,
			Sentence: "To unpublish what was never published is no error and changes nothing.",
		}, {
			ID: "republish", core: true, check: checkRepublish,
			Sentence: "A listing that was taken out of sale comes back when it is published, as the product is then, " +
				"whatever is said to have changed.",
		},
	}
}

func bothWays() []shopadapter.Removal {
	return []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete}
}

func checkUnpublish(ctx context.Context, b *bench) error {
	bystander := b.sample(b.id("bystander"), 3)
	if _, err := b.made(ctx, bystander); err != nil {
		return err
	}
	for _, how := range bothWays() {
		for _, hinted := range []bool{true, false} {
			p := b.sample(b.id(fmt.Sprintf("%s-%t", how, hinted)), 3)
			ref, err := b.made(ctx, p)
			if err != nil {
				return err
			}
			if !hinted {
				ref = b.ref(p.ID)
			}
			if err := b.unpublish(ctx, ref, how); err != nil {
				return err
			}
			if err := b.expectGone(ctx, p.ID, how); err != nil {
				return err
			}
		}
	}
	return b.expect(ctx, bystander)
}

// expectGone is nil when a listing has left the shop in the way given.
func (b *bench) expectGone(ctx context.Context, id shopadapter.PublicationID, how shopadapter.Removal) error {
	if how == shopadapter.Delete {
		return b.expectNone(ctx, id)
	}
	return b.expectOffSale(ctx, id)
}

func checkUnpublishTwice(ctx context.Context, b *bench) error {
	for _, first := range bothWays() {
		for _, second := range bothWays() {
			p := b.sample(b.id(first.String()+"-"+second.String()), 1)
			ref, err := b.made(ctx, p)
			if err != nil {
				return err
			}
			if err := b.unpublish(ctx, ref, first); err != nil {
				return err
			}
			for _, again := range []shopadapter.Ref{ref, b.ref(p.ID)} {
				if err := b.unpublish(ctx, again, second); err != nil {
					return fmt.Errorf("after %s: %w", first, err)
				}
				if err := errors.Join(b.expectGone(ctx, p.ID, first), b.expectGone(ctx, p.ID, second)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkUnpublishUnknown(ctx context.Context, b *bench) error {
	if _, err := b.made(ctx, b.sample(b.id("bystander"), 1)); err != nil {
		return err
	}
	before, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	for _, how := range bothWays() {
		if err := b.unpublish(ctx, b.ref(b.id("never-heard-of")), how); err != nil {
			return err
		}
	}
	return b.unchanged(ctx, before)
}

// unchanged compares the shop with an earlier snapshot.
func (b *bench) unchanged(ctx context.Context, before []Seen) error {
	after, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	if diff := difference(before, after); diff != "" {
		return fmt.Errorf("the shop changed:\n%s", diff)
	}
	return nil
}

func checkRepublish(ctx context.Context, b *bench) error {
	for _, changed := range []shopadapter.Fields{shopadapter.AllFields, shopadapter.NoFields} {
		p := b.sample(b.id("back-"+changed.String()), 3)
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		if err := b.unpublish(ctx, ref, shopadapter.TakeOffline); err != nil {
			return err
		}
		if changed != 0 {
			p = b.revise(p, 1)
		}
		_, listing, err := b.put(ctx, ref, p, changed)
		if err != nil {
			return fmt.Errorf("changed %s: %w", changed, err)
		}
		if err := b.expect(ctx, p); err != nil {
			return fmt.Errorf("changed %s: %w", changed, err)
		}
		if listing.ID != ref.Listing {
			return fmt.Errorf("the listing that came back: got %s, want %s", listing.ID, ref.Listing)
		}
	}
	p := b.sample(b.id("deleted"), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	if err := b.unpublish(ctx, ref, shopadapter.Delete); err != nil {
		return err
	}
	if _, err := b.made(ctx, p); err != nil {
		return fmt.Errorf("after a delete: %w", err)
	}
	return b.expect(ctx, p)
}
