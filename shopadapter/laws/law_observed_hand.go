package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func observedHandLaws() []Law {
	return []Law{
		{
			ID: "observed-price", needs: needs(setPriceByHand()), check: checkObservedPrice,
			Sentence: "A price that somebody changed in the shop is observed as it stands, and is not put right by it.",
		}, {
			ID: "observed-quantity", needs: needs(setQuantityByHand()), check: checkObservedQuantity,
			Sentence: "A quantity that somebody changed in the shop is observed as it stands.",
		}, {
			ID: "observed-reduction", needs: needs(reduceByHand()), check: checkObservedReduction,
			Sentence: "A merchant's reduction is not a changed price: the price that was written is observed, or the " +
				"reduced one beside a former price that is not below it.",
		}, {
			ID: "observed-variant-gone", needs: needs(removeVariantByHand()), check: checkObservedVariantGone,
			Sentence: "A variant that somebody deleted in the shop is not among those observed, and the others are.",
		}, {
			ID: "observed-variant-off", needs: needs(hideVariantByHand()), check: checkObservedVariantOff,
			Sentence: "A variant that somebody switched off in the shop is observed, and not on sale.",
		},
	}
}

// A handed variant is the second of a product of three, on which something is done by hand.
type handed struct {
	product shopadapter.Product
	listing shopadapter.Listing
	variant SeenVariant
}

const handedVariant = 1

// hand publishes a product of three variants, and does something by hand on the second.
func (b *bench) hand(
	ctx context.Context, name string, do func(context.Context, shopadapter.ListingID, SeenVariant) error,
) (h handed, err error) {
	h.product = b.sample(b.id(name), 3)
	if _, h.listing, err = b.put(ctx, b.ref(h.product.ID), h.product, shopadapter.AllFields); err != nil {
		return h, err
	}
	seen, err := b.one(ctx, h.product.ID)
	if err != nil {
		return h, err
	}
	id := h.product.Variants[handedVariant].ID
	i := slices.IndexFunc(seen.Variants, func(v SeenVariant) bool { return v.ID == id })
	if i < 0 {
		return h, fmt.Errorf("variant %s: got none in the shop, want one", id)
	}
	h.variant = seen.Variants[i]
	b.begin("by hand, on variant %s of listing %s", id, h.listing.ID)
	if err := do(ctx, h.listing.ID, h.variant); err != nil {
		return h, fmt.Errorf("by hand: %w", err)
	}
	return h, nil
}

// others is nil when the other variants are observed as they were written.
func (b *bench) others(o shopadapter.Listed, h handed) error {
	var faults []error
	for i, v := range h.product.Variants {
		if i != handedVariant {
			faults = append(faults, b.variantAsWritten(o, v, h.listing))
		}
	}
	return errors.Join(faults...)
}

func checkObservedPrice(ctx context.Context, b *bench) error {
	for name, price := range map[string]string{"lower": "5.00", "higher": "205.50"} {
		h, err := b.hand(ctx, name, func(ctx context.Context, l shopadapter.ListingID, v SeenVariant) error {
			return b.SetPriceByHand(ctx, l, v, price)
		})
		if err != nil {
			return err
		}
		h.product.Variants[handedVariant].Price = price
		before, err := b.snapshot(ctx)
		if err != nil {
			return err
		}
		for range 2 {
			if err := b.expectObserved(ctx, h.product, h.listing); err != nil {
				return err
			}
		}
		if err := b.unchanged(ctx, before); err != nil {
			return fmt.Errorf("after an observation: %w", err)
		}
		if err := b.restart(); err != nil {
			return err
		}
		if err := b.expectObserved(ctx, h.product, h.listing); err != nil {
			return fmt.Errorf("after a restart: %w", err)
		}
	}
	return nil
}

func checkObservedQuantity(ctx context.Context, b *bench) error {
	for _, quantity := range []int{999, 0} {
		h, err := b.hand(
			ctx, fmt.Sprint(quantity), func(ctx context.Context, l shopadapter.ListingID, v SeenVariant) error {
				return b.SetQuantityByHand(ctx, l, v, quantity)
			},
		)
		if err != nil {
			return err
		}
		h.product.Variants[handedVariant].Quantity = quantity
		if err := b.expectObserved(ctx, h.product, h.listing); err != nil {
			return err
		}
	}
	return nil
}

func checkObservedReduction(ctx context.Context, b *bench) error {
	const reduced = "7.50"
	h, err := b.hand(ctx, "offer", func(ctx context.Context, l shopadapter.ListingID, v SeenVariant) error {
		return b.ReduceByHand(ctx, l, v, reduced)
	})
	if err != nil {
		return err
	}
	o, err := b.watched(ctx, h.product.ID)
	if err != nil {
		return err
	}
	want := h.product.Variants[handedVariant]
	got, err := observedVariant(o, want.ID, h.listing)
	if err != nil {
		return err
	}
	beside := sameAmount(got.Price, reduced) && notBelow(got.CompareAt, want.Price)
	if !sameAmount(got.Price, want.Price) && !beside {
		return fmt.Errorf(
			"observed of a variant reduced from %s to %s: got the price %q beside %q, want %s, or it beside %s",
			want.Price, reduced, got.Price, got.CompareAt, want.Price, want.Price,
		)
	}
	return b.others(o, h)
}

func checkObservedVariantGone(ctx context.Context, b *bench) error {
	h, err := b.hand(ctx, "gone", b.RemoveVariantByHand)
	if err != nil {
		return err
	}
	h.product.Variants = slices.Delete(h.product.Variants, handedVariant, handedVariant+1)
	return b.expectObserved(ctx, h.product, h.listing)
}

func checkObservedVariantOff(ctx context.Context, b *bench) error {
	h, err := b.hand(ctx, "off", b.HideVariantByHand)
	if err != nil {
		return err
	}
	o, err := b.watched(ctx, h.product.ID)
	if err != nil {
		return err
	}
	off, err := observedVariant(o, h.variant.ID, h.listing)
	if err != nil {
		return err
	}
	if off.OnSale {
		return fmt.Errorf("observed of variant %s, which is off: got it on sale, want it not", h.variant.ID)
	}
	return b.others(o, h)
}
