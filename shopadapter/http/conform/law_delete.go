package conform

import (
	"context"
	"fmt"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

func deleteLaws() []Law {
	return []Law{
		{
			ID: "delete", check: checkDelete,
			Sentence: "DELETE answers 204, or 404 where there is nothing, in both modes, and the other products stay.",
		}, {
			ID: "delete-twice", check: checkDeleteTwice,
			Sentence: "DELETE twice, and DELETE of what was never there, is as good as once.",
		}, {
			ID: "republish", check: checkRepublish,
			Sentence: "A product that was taken out of sale comes back with the next PUT as the same listing; one " +
				"that was deleted is made again.",
		},
	}
}

func bothModes() []shopadapter.Removal {
	return []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete}
}

// removed deletes and expects 204; 404 is as good.
func (b *bench) removed(ctx context.Context, id shopadapter.PublicationID, how shopadapter.Removal) error {
	r, err := b.remove(ctx, id, how)
	if err != nil {
		return err
	}
	if r.status != http.StatusNoContent && r.status != http.StatusNotFound {
		return fmt.Errorf("DELETE with mode=%s was answered %d, 204 or 404 is wanted", how, r.status)
	}
	return nil
}

func checkDelete(ctx context.Context, b *bench) error {
	for _, how := range bothModes() {
		p, other := sample(b.id(how.String()), 2), sample(b.id(how.String()+"-other"), 2)
		if _, err := b.published(ctx, p); err != nil {
			return err
		}
		before, err := b.published(ctx, other)
		if err != nil {
			return err
		}
		if r, err := b.remove(ctx, p.ID, how); err != nil || r.status != http.StatusNoContent {
			return fmt.Errorf(
				"DELETE of a product with mode=%s was answered %d, 204 is wanted (%v)",
				how,
				r.status,
				err,
			)
		}
		after, err := b.published(ctx, other)
		if err != nil {
			return err
		}
		if before.ID != after.ID {
			return fmt.Errorf("another product was %q before the DELETE and is %q after it", before.ID, after.ID)
		}
	}
	return nil
}

func checkDeleteTwice(ctx context.Context, b *bench) error {
	for _, first := range bothModes() {
		for _, second := range bothModes() {
			p := sample(b.id(first.String()+"-"+second.String()), 1)
			if _, err := b.published(ctx, p); err != nil {
				return err
			}
			for _, how := range []shopadapter.Removal{first, second, second} {
				if err := b.removed(ctx, p.ID, how); err != nil {
					return fmt.Errorf("after mode=%s: %w", first, err)
				}
			}
		}
		if err := b.removed(ctx, b.id("never-"+first.String()), first); err != nil {
			return fmt.Errorf("of what was never there: %w", err)
		}
	}
	return nil
}

func checkRepublish(ctx context.Context, b *bench) error {
	p := sample(b.id("unpublish"), 2)
	before, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	if err := b.removed(ctx, p.ID, shopadapter.TakeOffline); err != nil {
		return err
	}
	after, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	if before.ID != after.ID {
		return fmt.Errorf("taken out of sale it was %q, and it came back as %q", before.ID, after.ID)
	}
	p = sample(b.id("delete"), 2)
	if _, err := b.published(ctx, p); err != nil {
		return err
	}
	if err := b.removed(ctx, p.ID, shopadapter.Delete); err != nil {
		return err
	}
	l, err := b.published(ctx, p)
	if err != nil {
		return fmt.Errorf("after DELETE with mode=delete, which is not a deletion by hand: %w", err)
	}
	return sameVariants(p, l)
}
