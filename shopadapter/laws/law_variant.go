package laws

import (
	"context"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func variantLaws() []Law {
	return []Law{
		{
			ID: "variants", core: true, check: checkVariants,
			Sentence: "A variant that is added, removed or renamed is added, removed or renamed in the shop; the " +
				"others keep their ids.",
		}, {
			ID: "growth", core: true, check: checkGrowth,
			Sentence: "A product of one variant grows to several and shrinks back to one, on the same listing.",
		},
	}
}

func checkVariants(ctx context.Context, b *bench) error {
	p := b.sample(b.id("choice"), 4)
	ref, before, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields)
	if err != nil {
		return err
	}
	steps := []struct {
		name   string
		steady bool // no variant's choice changes, so each stays as it is in the shop
		change func(p *shopadapter.Product)
	}{
		{"one removed", true, func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 1, 2) }},
		{"one added", true, func(p *shopadapter.Product) { p.Variants = append(p.Variants, variant(p.ID, 6, true)) }},
		{"reordered", true, func(p *shopadapter.Product) { slices.Reverse(p.Variants) }},
		{"one renamed", false, func(p *shopadapter.Product) {
			p.Variants[1].Title, p.Variants[1].Options[0].Value = "Azure / 40 cm", "Azure"
			p.Variants[1].SKU += "-AZURE"
		}},
		{"an option renamed", false, func(p *shopadapter.Product) {
			p.Options[0] = "Colour"
			for i := range p.Variants {
				p.Variants[i].Options[0].Name = "Colour"
			}
		}},
		{"one replaced by another of the same choice", false, func(p *shopadapter.Product) {
			gone := p.Variants[0]
			p.Variants[0] = variant(p.ID, 7, true)
			p.Variants[0].Options, p.Variants[0].Title = gone.Options, gone.Title
		}},
	}
	for _, step := range steps {
		p = clone(p)
		step.change(&p)
		// A variant that is new to the shop is written whole, price and stock included, although
		// only the variants are said to have changed.
		var after shopadapter.Listing
		if ref, after, err = b.put(ctx, ref, p, shopadapter.FieldVariants); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if err := b.expect(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		for id, shopID := range before.ShopIDs() {
			if now, still := after.ShopIDs()[id]; step.steady && still && now != shopID {
				return fmt.Errorf("%s: variant %s had the shop's id %s and has %s", step.name, id, shopID, now)
			}
		}
		before = after
	}
	return nil
}

func checkGrowth(ctx context.Context, b *bench) error {
	id := b.id("size")
	ref := b.ref(id)
	var first shopadapter.ListingID
	for n, variants := range []int{1, 3, 1, 2, 1} {
		p := b.sample(id, variants)
		for i := range p.Variants {
			p.Variants[i].Quantity += 10 * n
		}
		var listing shopadapter.Listing
		var err error
		if ref, listing, err = b.put(ctx, ref, p, structure); err != nil {
			return fmt.Errorf("step %d, to %d variants: %w", n, variants, err)
		}
		if err := b.expect(ctx, p); err != nil {
			return fmt.Errorf("step %d, to %d variants: %w", n, variants, err)
		}
		if first == "" {
			first = listing.ID
		}
		if listing.ID != first {
			return fmt.Errorf("step %d, to %d variants: the listing: got %s, want %s", n, variants, listing.ID, first)
		}
	}
	return nil
}
