package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func adoptionLaws() []Law {
	return []Law{{
		ID: "adopted", check: checkAdopted,
		Sentence: "A product of the merchant's own that was taken over is never deleted: it leaves the sale, what " +
			"the adapter added goes, and so does its stamp.",
	}}
}

func checkAdopted(ctx context.Context, b *bench) error {
	if b.OpenAdopting == nil {
		return &Skip{Reason: "OpenAdopting is nil: this adapter takes over no product of the merchant's own"}
	}
	if b.AddForeign == nil {
		return errors.New("OpenAdopting is given, and there is no AddForeign to make a product of the merchant's own")
	}
	b.Open = b.OpenAdopting
	if err := b.restart(); err != nil {
		return err
	}
	for _, variants := range []int{1, 3} {
		for _, how := range bothWays() {
			for _, hinted := range []bool{true, false} {
				if err := b.adoptAndLeave(ctx, variants, how, hinted); err != nil {
					return fmt.Errorf("%d variants, %s, hint kept %t: %w", variants, how, hinted, err)
				}
			}
		}
	}
	return nil
}

// adoptAndLeave has a product taken over, has it leave the sale, and has it taken over again.
func (b *bench) adoptAndLeave(ctx context.Context, variants int, how shopadapter.Removal, hinted bool) error {
	p := b.sample(b.id(fmt.Sprintf("own-%d-%s-%t", variants, how, hinted)), variants)
	own := clone(p)
	own.Title = "My own " + own.Title
	foreign, err := b.AddForeign(ctx, own)
	if err != nil {
		return fmt.Errorf("add foreign: %w", err)
	}
	before, err := b.held(ctx, foreign)
	if err != nil {
		return err
	}
	ref, err := b.takeOver(ctx, b.ref(p.ID), p, before)
	if err != nil {
		return err
	}
	if variants > 1 { // the supplier adds a variant: that one is the adapter's own
		more := variant(p.ID, variants, true)
		p.Variants = append(slices.Clone(p.Variants), more)
		if ref, _, err = b.put(ctx, ref, p, structure); err != nil {
			return fmt.Errorf("a variant more: %w", err)
		}
	}
	if !hinted {
		ref = b.ref(p.ID)
	}
	for range 2 {
		if err := b.unpublish(ctx, ref, how); err != nil {
			return err
		}
		if err := b.expectLeft(ctx, before, how); err != nil {
			return err
		}
	}
	p.Variants = p.Variants[:variants]
	back := ref
	if how == shopadapter.Delete {
		back = b.ref(p.ID)
	}
	if _, err := b.takeOver(ctx, back, p, before); err != nil {
		return fmt.Errorf("listed again: %w", err)
	}
	return nil
}

// takeOver publishes p, and expects the product that was there before to be its listing, with the
// merchant's title.
func (b *bench) takeOver(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	before Seen,
) (shopadapter.Ref, error) {
	ref, _, err := b.put(ctx, ref, p, shopadapter.AllFields)
	if err != nil {
		return ref, err
	}
	if ref.Listing != before.Listing {
		return ref, fmt.Errorf("the listing: got %s, want the merchant's product %s", ref.Listing, before.Listing)
	}
	now, err := b.one(ctx, p.ID)
	switch {
	case err != nil:
		return ref, err
	case Plain(now.Title) != Plain(before.Title):
		return ref, fmt.Errorf("the title: got %q, want the merchant's %q", now.Title, before.Title)
	case !now.OnSale:
		return ref, fmt.Errorf("listing %s is not on sale", now.Listing)
	}
	return ref, b.compare(now, p, shopadapter.FieldPrice|shopadapter.FieldStock|shopadapter.FieldVariants)
}

// held is what the shop holds under an id of its own.
func (b *bench) held(ctx context.Context, listing shopadapter.ListingID) (Seen, error) {
	products, err := b.snapshot(ctx)
	if err != nil {
		return Seen{}, err
	}
	i := slices.IndexFunc(products, func(s Seen) bool { return s.Listing == listing })
	if i < 0 {
		return Seen{}, fmt.Errorf("the merchant's product %s is gone", listing)
	}
	return products[i], nil
}

// expectLeft is nil when the merchant's product is there, out of sale, with the texts it had. After
// a delete it also has no more than the variants it had, and no stamp.
func (b *bench) expectLeft(ctx context.Context, before Seen, how shopadapter.Removal) error {
	now, err := b.held(ctx, before.Listing)
	switch {
	case err != nil:
		return err
	case now.OnSale:
		return fmt.Errorf("the merchant's product %s is still on sale", now.Listing)
	case Plain(now.Title) != Plain(before.Title) || Plain(now.Description) != Plain(before.Description):
		return fmt.Errorf("the merchant's texts changed to %q, %q", now.Title, now.Description)
	case how != shopadapter.Delete:
		return nil
	case now.Publication != "":
		return fmt.Errorf("the merchant's product %s still carries the stamp of %q", now.Listing, now.Publication)
	}
	ids := func(s Seen) string {
		var list []string
		for _, v := range s.Variants {
			list = append(list, v.ShopID)
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	if had, has := ids(before), ids(now); had != has {
		return fmt.Errorf("the merchant's product had the variants %s, and has %s", had, has)
	}
	return nil
}
