package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// mendedLaws are what the caller counts on once it has observed what somebody changed in the shop.
func mendedLaws() []Law {
	return []Law{
		{
			ID: "put-right", needs: needs(setPriceByHand(), setQuantityByHand()),
			likewise: "observed-price", check: checkPutRight,
			Sentence: "A price or a quantity that somebody changed in the shop is as it was written again after a publish " +
				"or a restock that names its group, although the product is the same.",
		}, {
			ID: "variant-made-again", needs: needs(removeVariantByHand()),
			likewise: "observed-variant-gone", check: checkVariantMadeAgain,
			Sentence: "A variant that somebody deleted in the shop is made again by a publish that names variants, price " +
				"and stock; the others keep their ids.",
		}, {
			ID: "variant-stays-off", needs: needs(hideVariantByHand()),
			likewise: "observed-variant-off", check: checkVariantStaysOff,
			Sentence: "A variant that somebody switched off in the shop stays off, whatever is written; the others follow.",
		}, {
			ID: "variant-revived", needs: needs(hideVariantByHand()),
			likewise: "observed-variant-off", check: checkVariantRevived,
			Sentence: "A variant that somebody switched off in the shop is on sale again once the caller asks for it.",
		},
	}
}

// left is the ref of a listing that the caller left on sale.
func left(p shopadapter.Product, l shopadapter.Listing) shopadapter.Ref {
	return shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
}

func checkPutRight(ctx context.Context, b *bench) error {
	for name, change := range map[string]struct {
		group  shopadapter.Fields
		byHand func(context.Context, shopadapter.ListingID, SeenVariant) error
	}{
		"price": {shopadapter.FieldPrice, func(ctx context.Context, l shopadapter.ListingID, v SeenVariant) error {
			return b.SetPriceByHand(ctx, l, v, "5.00")
		}},
		"quantity": {shopadapter.FieldStock, func(ctx context.Context, l shopadapter.ListingID, v SeenVariant) error {
			return b.SetQuantityByHand(ctx, l, v, 999)
		}},
	} {
		h, err := b.hand(ctx, name+"-published", change.byHand)
		if err != nil {
			return err
		}
		if _, _, err := b.put(ctx, left(h.product, h.listing), h.product, change.group); err != nil {
			return err
		}
		if err := b.expect(ctx, h.product); err != nil {
			return fmt.Errorf("%s, after a publish: %w", name, err)
		}
		if !b.takesFigures(ctx) {
			continue
		}
		if h, err = b.hand(ctx, name+"-restocked", change.byHand); err != nil {
			return err
		}
		_, err = b.restock(ctx, left(h.product, h.listing), h.product, change.group)
		if errors.Is(err, shopadapter.ErrWhole) {
			continue
		}
		if err == nil {
			err = b.expect(ctx, h.product)
		}
		if err != nil {
			return fmt.Errorf("%s, after a restock: %w", name, err)
		}
	}
	return nil
}

func checkVariantMadeAgain(ctx context.Context, b *bench) error {
	h, err := b.hand(ctx, "gone", b.RemoveVariantByHand)
	if err != nil {
		return err
	}
	_, again, err := b.put(ctx, left(h.product, h.listing), h.product, shopadapter.FieldVariants|figures)
	if err != nil {
		return err
	}
	if err := b.expect(ctx, h.product); err != nil {
		return err
	}
	for i, v := range h.product.Variants {
		if got, want := again.ShopIDs()[v.ID], h.listing.ShopIDs()[v.ID]; i != handedVariant && got != want {
			return fmt.Errorf("the shop's id of variant %s: got %s, want %s", v.ID, got, want)
		}
	}
	return b.expectObserved(ctx, h.product, again)
}

func checkVariantStaysOff(ctx context.Context, b *bench) error {
	h, err := b.hand(ctx, "off", b.HideVariantByHand)
	if err != nil {
		return err
	}
	ref := left(h.product, h.listing)
	p := h.product
	for n, changed := range []shopadapter.Fields{figures, shopadapter.FieldVariants, shopadapter.AllFields} {
		p = merge(p, b.revise(p, n+1), changed)
		if ref, _, err = b.put(ctx, ref, p, changed); err != nil {
			return err
		}
		ref.OnSale = true
		shown := clone(p)
		shown.Variants = slices.Delete(shown.Variants, handedVariant, handedVariant+1)
		if err := b.expectIn(ctx, shown, figures|shopadapter.FieldVariants); err != nil {
			return fmt.Errorf("variant %s is off; after a publish of %s: %w", h.variant.ID, changed, err)
		}
	}
	return nil
}

func checkVariantRevived(ctx context.Context, b *bench) error {
	h, err := b.hand(ctx, "revived", b.HideVariantByHand)
	if err != nil {
		return err
	}
	ref := left(h.product, h.listing)
	ref.OnSale, ref.Asked, ref.Revive = false, true, true
	_, again, err := b.put(ctx, ref, h.product, shopadapter.FieldVariants)
	if err != nil {
		return err
	}
	if err := b.expect(ctx, h.product); err != nil {
		return err
	}
	return b.expectObserved(ctx, h.product, again)
}
