package laws

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func ownershipLaws() []Law {
	return []Law{
		{
			ID: "deleted-by-hand", needs: needs(deleteByHand()), check: checkDeletedByHand,
			Sentence: "A listing that somebody deleted stays deleted, and the answer says so (ErrGone; over HTTP 410 with " +
				"{\"deleted\":true}), until the caller has it made anew.",
		}, {
			ID: "hidden-by-hand", needs: needs(hideByHand()), check: checkHiddenByHand,
			Sentence: "A listing that the caller left on sale and somebody took out of sale is ErrHidden and stays " +
				"so, until the caller asks to put it there again.",
		}, {
			ID: "stamp-deleted", needs: needs(deleteStamp()), check: checkStampDeleted,
			Sentence: "A listing whose stamp somebody deleted is found by the ref: it is Blocked, stays as it is, and has " +
				"none made beside it, until the caller asks for it (Revive), which brings it in line.",
		}, {
			ID: "foreign", needs: needs(addForeign()), check: checkForeign,
			Sentence: "A product that the adapter did not make is never touched, not even where it has our SKU or a " +
				"hint points to it.",
		},
	}
}

func checkDeletedByHand(ctx context.Context, b *bench) error {
	p, bystander := b.sample(b.id("deleted"), 3), b.sample(b.id("bystander"), 1)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	if _, err := b.made(ctx, bystander); err != nil {
		return err
	}
	if err := b.deleteByHand(ctx, ref.Listing); err != nil {
		return err
	}
	for n := range 2 {
		_, _, err := b.try(ctx, ref, p, shopadapter.AllFields)
		if err == nil && n == 0 && b.Endpoint != nil {
			return &Skip{"the endpoint makes a listing that was deleted by hand anew at once: 410 is optional"}
		}
		if !errors.Is(err, shopadapter.ErrGone) {
			return fmt.Errorf("publish of a listing deleted by hand: got %v, want ErrGone", err)
		}
		if err := b.expectNone(ctx, p.ID); err != nil {
			return err
		}
	}
	// The caller clears the hint; what the adapter left in State may have stayed.
	cleared := shopadapter.Ref{Publication: p.ID, State: ref.State}
	anew, _, err := b.put(ctx, cleared, p, shopadapter.AllFields)
	if err != nil {
		return fmt.Errorf("with the hint cleared: %w", err)
	}
	if err := b.expect(ctx, p); err != nil {
		return err
	}
	p = b.revise(p, 1)
	after, _, err := b.put(ctx, anew, p, shopadapter.AllFields)
	if err != nil {
		return fmt.Errorf("once it was made anew: %w", err)
	}
	if after.Listing != anew.Listing {
		return fmt.Errorf("once it was made anew: the listing: got %s, want %s", after.Listing, anew.Listing)
	}
	if err := errors.Join(b.expect(ctx, p), b.expect(ctx, bystander)); err != nil {
		return err
	}
	if err := b.deleteByHand(ctx, after.Listing); err != nil {
		return err
	}
	if err := b.unpublish(ctx, after, shopadapter.TakeOffline); err != nil {
		return fmt.Errorf("deleted by hand: %w", err)
	}
	return b.expectNone(ctx, p.ID)
}

// deleteByHand deletes a listing as the shop's owner does.
func (b *bench) deleteByHand(ctx context.Context, listing shopadapter.ListingID) error {
	b.begin("delete listing %s by hand", listing)
	if err := b.DeleteByHand(ctx, listing); err != nil {
		return fmt.Errorf("delete by hand: %w", err)
	}
	return nil
}

func checkHiddenByHand(ctx context.Context, b *bench) error {
	p := b.sample(b.id("hidden"), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	left := func() shopadapter.Ref {
		r := ref
		r.OnSale = true
		return r
	}
	p = b.revise(p, 1)
	if ref, _, err = b.put(ctx, left(), p, shopadapter.AllFields); err != nil {
		return fmt.Errorf("while it is on sale: %w", err)
	}
	if err := b.expect(ctx, p); err != nil {
		return err
	}
	if err := b.HideByHand(ctx, ref.Listing); err != nil {
		return fmt.Errorf("hide by hand: %w", err)
	}
	revised := b.revise(p, 2)
	const figures = shopadapter.FieldPrice | shopadapter.FieldStock
	for _, changed := range []shopadapter.Fields{shopadapter.AllFields, shopadapter.FieldTitle, figures} {
		_, _, err := b.try(ctx, left(), revised, changed)
		// A price may be written without a look at the product, as long as it stays where it is.
		if !errors.Is(err, shopadapter.ErrHidden) && (err != nil || changed != figures) {
			return fmt.Errorf("publish (%s) of a listing hidden by hand: got %v, want ErrHidden", changed, err)
		}
		if err := b.expectOffSale(ctx, p.ID); err != nil {
			return err
		}
	}
	if _, _, err := b.put(ctx, ref, revised, shopadapter.AllFields); err != nil {
		return fmt.Errorf("asked to put it on sale: %w", err)
	}
	return b.expect(ctx, revised)
}

func checkStampDeleted(ctx context.Context, b *bench) error {
	for _, variants := range []int{1, 3} {
		p := b.sample(b.id(fmt.Sprint("unmarked-", variants)), variants)
		ref, listing, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields)
		if err != nil {
			return err
		}
		b.begin("delete the stamp of listing %s", listing.ID)
		if err := b.DeleteStamp(ctx, listing.ID); err != nil {
			return fmt.Errorf("delete stamp: %w", err)
		}
		before, err := b.snapshot(ctx)
		if err != nil {
			return err
		}
		revised := b.revise(p, 1)
		if err := b.expectRefused(ctx, left(p, listing), revised); err != nil {
			return err
		}
		after, err := b.snapshot(ctx)
		if err != nil {
			return err
		}
		if diff := difference(before, after); diff != "" {
			return fmt.Errorf("a listing without its stamp was changed by a call that nobody asked for:\n%s", diff)
		}
		ref.Asked, ref.Revive, ref.Reset = true, true, shopadapter.TextFields
		taken, again, err := b.put(ctx, ref, revised, shopadapter.AllFields)
		if err != nil {
			return fmt.Errorf("asked for: %w", err)
		}
		if again.ID != listing.ID {
			return fmt.Errorf("asked for: the listing: got %s, want %s", again.ID, listing.ID)
		}
		if err := b.expect(ctx, revised); err != nil {
			return fmt.Errorf("asked for: %w", err)
		}
		revised = b.revise(p, 2)
		if _, _, err := b.put(ctx, taken, revised, shopadapter.AllFields); err != nil {
			return fmt.Errorf("once it was taken back: %w", err)
		}
		if err := b.expect(ctx, revised); err != nil {
			return fmt.Errorf("once it was taken back: %w", err)
		}
	}
	return nil
}

// expectRefused is nil where neither a publish nor an unpublish touches a listing without its
// stamp.
func (b *bench) expectRefused(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product) error {
	// a price may be written without a look at the product
	for _, changed := range []shopadapter.Fields{shopadapter.AllFields, shopadapter.FieldTitle} {
		_, _, err := b.try(ctx, ref, p, changed)
		if e := shopadapter.Explain(err); err == nil || errors.Is(err, shopadapter.ErrGone) ||
			e.Kind != shopadapter.Blocked || e.ShopWide {
			return fmt.Errorf("publish (%s) of a listing without its stamp: got %v, want Blocked", changed, err)
		}
	}
	for _, how := range bothWays() {
		b.begin("unpublish of %q (%s)", ref.Publication, how)
		err := b.withdraw(ctx, ref, how)
		if e := shopadapter.Explain(err); err == nil || e.Kind != shopadapter.Blocked || e.ShopWide {
			return fmt.Errorf("unpublish (%s) of a listing without its stamp: got %v, want Blocked", how, err)
		}
	}
	return nil
}

func checkForeign(ctx context.Context, b *bench) error {
	p := b.sample(b.id("twin"), 3)
	foreign, err := b.AddForeign(ctx, clone(p))
	if err != nil {
		return fmt.Errorf("add foreign: %w", err)
	}
	before, err := b.foreign(ctx, foreign)
	if err != nil {
		return err
	}
	untouched := func(after string) error {
		now, err := b.foreign(ctx, foreign)
		if err != nil {
			return fmt.Errorf("after %s: %w", after, err)
		}
		if diff := difference(before, now); diff != "" {
			return fmt.Errorf("%s changed the foreign product:\n%s", after, diff)
		}
		return nil
	}

	// Whether the adapter makes a listing beside the other or says that the merchant must choose is
	// its own affair.
	ref, _, err := b.try(ctx, b.ref(p.ID), p, shopadapter.AllFields)
	if err == nil {
		if err := b.expect(ctx, p); err != nil {
			return err
		}
	} else if shopadapter.Explain(err).Kind == shopadapter.Transient {
		return fmt.Errorf("publish beside a foreign product never settles: %w", err)
	}
	if err := untouched("a publish with the same SKU"); err != nil {
		return err
	}
	refs := []shopadapter.Ref{
		ref, b.ref(p.ID),
		{Publication: p.ID, Listing: foreign},
		{Publication: b.id("stranger"), Listing: foreign},
	}
	for _, how := range bothWays() {
		for _, r := range refs {
			// Refusing is as good as ignoring.
			_ = b.withdraw(ctx, r, how)
			if err := untouched(fmt.Sprintf("an unpublish (%s) with the hint %q", how, r.Listing)); err != nil {
				return err
			}
		}
	}
	stranger := b.sample(b.id("stranger"), 1)
	hinted := shopadapter.Ref{Publication: stranger.ID, Listing: foreign}
	if _, _, err := b.try(ctx, hinted, stranger, shopadapter.AllFields); err == nil {
		if err := b.expect(ctx, stranger); err != nil {
			return err
		}
	}
	return untouched("a publish with its id as the hint")
}

func (b *bench) foreign(ctx context.Context, listing shopadapter.ListingID) (Seen, error) {
	now, err := b.held(ctx, listing)
	if err == nil && now.Publication != "" {
		return Seen{}, fmt.Errorf("the foreign product %s carries the stamp of %q", listing, now.Publication)
	}
	return now, err
}
