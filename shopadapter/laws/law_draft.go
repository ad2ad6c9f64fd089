package laws

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func draftLaws() []Law {
	return []Law{
		{
			ID: "draft", needs: needs(drafts()), check: checkDraft,
			Sentence: "A product that is to be a draft is complete and not on sale, at its creation and at each change. " +
				"One that is on sale stays on sale, and is brought up to date.",
		},
	}
}

// drafts is what an adapter lacks that always puts on sale what it makes.
func drafts() ability {
	return ability{
		name: "Drafts", met: func(h Harness, _ shopadapter.Adapter) bool { return h.Drafts },
		reason: "its shop is offered no drafts",
	}
}

func checkDraft(ctx context.Context, b *bench) error {
	p := b.sample(b.id("draft"), 3)
	p.Draft = true
	ref, err := b.drafted(ctx, b.ref(p.ID), p)
	if err != nil {
		return err
	}
	p = b.revise(p, 1)
	p.Draft = true
	if ref, err = b.drafted(ctx, ref, p); err != nil {
		return fmt.Errorf("changed: %w", err)
	}
	if _, err = b.drafted(ctx, b.ref(p.ID), p); err != nil {
		return fmt.Errorf("without the hint: %w", err)
	}
	p.Draft = false
	ref, listing, err := b.put(ctx, ref, p, shopadapter.NoFields)
	if err != nil {
		return fmt.Errorf("to be on sale: %w", err)
	}
	if listing.Draft {
		return fmt.Errorf("to be on sale: it is called a draft")
	}
	if err := b.expect(ctx, p); err != nil {
		return fmt.Errorf("to be on sale: %w", err)
	}
	p = b.revise(p, 2)
	p.Draft = true
	if _, listing, err = b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
		return fmt.Errorf("on sale, to be a draft: %w", err)
	}
	if listing.Draft {
		return fmt.Errorf("on sale, to be a draft: it is called a draft")
	}
	if err := b.expect(ctx, p); err != nil {
		return fmt.Errorf("on sale, to be a draft: %w", err)
	}
	return nil
}

// drafted publishes a draft, and is nil where the shop holds it, not on sale. Nothing else tells what a
// visitor cannot see: that it is complete shows once it is put on sale without a change.
func (b *bench) drafted(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product,
) (shopadapter.Ref, error) {
	ref, listing, err := b.put(ctx, ref, p, shopadapter.AllFields)
	if err != nil {
		return ref, err
	}
	if !listing.Draft {
		return ref, fmt.Errorf("the listing of %q is not called a draft", p.ID)
	}
	if err := b.expectOffSale(ctx, p.ID); err != nil {
		return ref, err
	}
	_, err = b.one(ctx, p.ID)
	return ref, err
}
