package laws

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func imageLaws() []Law {
	return []Law{{
		ID: "image-once", needs: needs(uploads(), faults()), check: checkImageOnce,
		Sentence: "A picture that the shop has already is not uploaded again, whatever else changes and whatever was " +
			"lost on the way.",
	}}
}

func checkImageOnce(ctx context.Context, b *bench) error {
	p := b.sample(b.id("album"), 2)
	ref := b.ref(p.ID)
	before := b.Uploads()
	for _, step := range []struct {
		name    string
		images  []string
		forget  bool // every hint is lost before
		uploads int  // in all so far
	}{
		{"two pictures", b.images(p.ID, 1, 2), false, 2},
		{"the same", b.images(p.ID, 1, 2), false, 2},
		{"one more", b.images(p.ID, 1, 2, 3), false, 3},
		{"in another order", b.images(p.ID, 3, 1, 2), false, 3},
		{"in another order, after a restart without hints", b.images(p.ID, 2, 3, 1), true, 3},
		{"one less and one more, after a restart without hints", b.images(p.ID, 4, 2, 3), true, 4},
	} {
		if step.forget {
			if err := b.restart(); err != nil {
				return err
			}
			ref = b.ref(p.ID)
		}
		p.Images = step.images
		var err error
		if ref, _, err = b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if err := b.expect(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if now := b.Uploads() - before; now != step.uploads {
			return fmt.Errorf("%s: uploads in all: got %d, want %d", step.name, now, step.uploads)
		}
	}
	return b.everyCut(ctx, func(c *cut) error {
		p := b.sample(b.id(c.name), 2)
		before := b.Uploads()
		if err := b.converge(ctx, c, b.ref(p.ID), p); err != nil {
			return err
		}
		if now := b.Uploads() - before; now != len(p.Images) {
			return fmt.Errorf("%d uploads of %d pictures", now, len(p.Images))
		}
		return nil
	})
}
