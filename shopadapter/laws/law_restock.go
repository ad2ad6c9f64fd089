package laws

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func restockLaws() []Law {
	return []Law{{
		ID: "restock", check: checkRestock,
		Sentence: "Figures alone leave the shop as publishing them would: a group that is not named stays as it is, since " +
			"the shop may have sold meanwhile; no text is touched and nothing made; what is not there with these very " +
			"variants is told (ErrWhole; over HTTP 404 or 409).",
	}}
}

// figures are the groups that a write of figures writes.
const figures = shopadapter.FieldPrice | shopadapter.FieldStock

func checkRestock(ctx context.Context, b *bench) error {
	if !b.takesFigures(ctx) {
		return &Skip{"the shop takes no figures alone: every change is read in full"}
	}
	for _, check := range []func(context.Context, *bench) error{
		checkFigures, checkFiguresAfterASale, checkFiguresRefused, checkFiguresHidden, checkFiguresAtRandom,
	} {
		if err := check(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// restock brings p's figures in line, and hands back the ref for the next call.
func (b *bench) restock(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Ref, error) {
	b.begin("restock of %q (changed %s)", ref.Publication, changed)
	l, err := b.adapter.Publish(ctx, ref, p.OnlyFigures(), changed)
	if err != nil {
		return ref, fmt.Errorf("restock of %q: %w", ref.Publication, err)
	}
	if l.ID != ref.Listing {
		return ref, fmt.Errorf("restock of %q: the listing: got %s, want %s", ref.Publication, l.ID, ref.Listing)
	}
	ref.State = l.State
	return ref, sound(l, p, changed)
}

// checkFiguresAfterASale writes one group of figures, beside another one that is not what the shop
// holds: it has sold meanwhile.
func checkFiguresAfterASale(ctx context.Context, b *bench) error {
	p := b.sample(b.id("sold"), 2)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	for n, changed := range []shopadapter.Fields{shopadapter.FieldPrice, shopadapter.FieldStock} {
		revised := b.revise(p, n+1)
		if ref, err = b.restock(ctx, ref, revised, changed); err != nil {
			return fmt.Errorf("of %s: %w", changed, err)
		}
		p = merge(p, revised, changed)
		if err := b.expectIn(ctx, p, figures); err != nil {
			return fmt.Errorf("of %s alone: %w", changed, err)
		}
	}
	return nil
}

// checkFigures brings figures in line, after the merchant's edit of a text where the harness can
// make one.
func checkFigures(ctx context.Context, b *bench) error {
	p := b.sample(b.id("figures"), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	edited := shopadapter.NoFields
	if b.Edit != nil && !b.Hidden.Has(shopadapter.FieldTitle) {
		edited = shopadapter.FieldTitle
		if err := b.Edit(ctx, ref.Listing, edited); err != nil {
			return fmt.Errorf("edit: %w", err)
		}
	}
	before, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldStock, shopadapter.FieldPrice, figures} {
		revised := b.revise(p, n+1)
		for i := range revised.Variants {
			now, then := &revised.Variants[i], p.Variants[i]
			if !changed.Has(shopadapter.FieldPrice) {
				now.Price, now.Cost, now.MSRP = then.Price, then.Cost, then.MSRP
			}
			if !changed.Has(shopadapter.FieldStock) {
				now.Quantity, now.Backorders = then.Quantity, then.Backorders
			}
		}
		p.Variants = revised.Variants
		if ref, err = b.restock(ctx, ref, p, changed); err != nil {
			return fmt.Errorf("of %s: %w", changed, err)
		}
		if err := b.expectIn(ctx, p, figures|shopadapter.FieldVariants); err != nil {
			return fmt.Errorf("of %s: %w", changed, err)
		}
		after, err := b.one(ctx, p.ID)
		if err != nil {
			return err
		}
		for _, group := range textGroups() {
			if was, is := text(before, group), text(after, group); was != is && !b.Hidden.Has(group) {
				return fmt.Errorf("of %s: the %s: got %q, want %q", changed, group, is, was)
			}
		}
	}
	p = b.revise(p, 7)
	_, listing, err := b.put(ctx, ref, p, shopadapter.AllFields)
	if err != nil {
		return fmt.Errorf("publish after a restock: %w", err)
	}
	if listing.Kept != edited {
		return fmt.Errorf("publish after a restock: kept: got %s, want %s", listing.Kept, edited)
	}
	return b.expectIn(ctx, p, shopadapter.AllFields&^edited)
}

// checkFiguresRefused asks for what needs the whole product. An adapter may do without its State.
func checkFiguresRefused(ctx context.Context, b *bench) error {
	p, never := b.sample(b.id("whole"), 2), b.sample(b.id("never-made"), 2)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	more, fewer := b.revise(b.sample(p.ID, 3), 1), b.revise(b.sample(p.ID, 2), 1)
	fewer.Variants = fewer.Variants[:1]
	before, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	for name, c := range map[string]struct {
		ref shopadapter.Ref
		of  shopadapter.Product
	}{
		"a publication that was never published": {b.ref(never.ID), never},
		"a variant that the listing lacks":       {ref, more},
		"a variant that is not named":            {ref, fewer},
	} {
		if _, err := b.restock(ctx, c.ref, c.of, figures); !errors.Is(err, shopadapter.ErrWhole) {
			return fmt.Errorf("%s: got %v, want ErrWhole", name, err)
		}
		if err := b.unchanged(ctx, before); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	p = b.revise(p, 2)
	switch _, err := b.restock(ctx, shopadapter.Ref{Publication: p.ID, Listing: ref.Listing}, p, figures); {
	case errors.Is(err, shopadapter.ErrWhole):
		err = b.unchanged(ctx, before)
		if err != nil {
			return fmt.Errorf("without a state: %w", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("without a state: %w", err)
	default:
		return b.expectIn(ctx, p, figures)
	}
}

// checkFiguresHidden takes a listing away by hand: a write of figures says so as any other does.
func checkFiguresHidden(ctx context.Context, b *bench) error {
	for _, away := range []struct {
		name string
		take func(context.Context, shopadapter.ListingID) error
		want error
	}{
		{"hidden by hand", b.HideByHand, shopadapter.ErrHidden},
		{"deleted by hand", b.DeleteByHand, shopadapter.ErrGone},
	} {
		if away.take == nil {
			continue
		}
		p := b.sample(b.id(away.name), 2)
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		if err := away.take(ctx, ref.Listing); err != nil {
			return fmt.Errorf("%s: %w", away.name, err)
		}
		before, err := b.snapshot(ctx)
		if err != nil {
			return err
		}
		ref.OnSale = true
		// An endpoint may know no more than that it does not hold the product.
		_, err = b.restock(ctx, ref, b.revise(p, 1), figures)
		if !errors.Is(err, away.want) && (b.Endpoint == nil || !errors.Is(err, shopadapter.ErrWhole)) {
			return fmt.Errorf("%s: got %v, want %q", away.name, err, away.want)
		}
		if err := b.unchanged(ctx, before); err != nil {
			return fmt.Errorf("%s: %w", away.name, err)
		}
	}
	return nil
}
