package laws

import (
	"context"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func refusalLaws() []Law {
	return []Law{
		{
			ID: "refused-variant", needs: needs(refuseVariant()), check: checkRefusedVariant,
			Sentence: "A variant that the shop refuses is reported with the reason, and the others are on sale.",
		}, {
			ID: "all-variants-refused", needs: needs(refuseVariant()), check: checkAllRefused,
			Sentence: "A product whose every variant is refused is Rejected, and nothing of it is on sale.",
		}, {
			ID: "refused-product", needs: needs(refuseProduct()), check: checkRefusedProduct,
			Sentence: "A product that the shop refuses is Rejected, and is on sale once the supplier has mended it.",
		},
	}
}

func checkRefusedVariant(ctx context.Context, b *bench) error {
	good := b.sample(b.id("one-of-three"), 3)
	bad := b.RefuseVariant(clone(good), 1)
	refused := bad.Variants[1].ID
	rest := clone(bad)
	rest.Variants = slices.Delete(rest.Variants, 1, 2)

	ref := b.ref(good.ID)
	for _, call := range []string{"creation", "the same again"} {
		next, listing, err := b.put(ctx, ref, bad, shopadapter.AllFields)
		if err != nil {
			return fmt.Errorf("%s: %w", call, err)
		}
		ref = next
		if len(listing.Refused) != 1 || listing.Refused[refused] == "" {
			return fmt.Errorf("%s: refused: got %v, want variant %s with a reason", call, listing.Refused, refused)
		}
		if err := b.expect(ctx, rest); err != nil {
			return fmt.Errorf("%s: %w", call, err)
		}
	}
	_, listing, err := b.put(ctx, ref, good, shopadapter.AllFields)
	if err != nil {
		return fmt.Errorf("mended: %w", err)
	}
	if len(listing.Refused) > 0 {
		return fmt.Errorf("mended: refused is still %v", listing.Refused)
	}
	return b.expect(ctx, good)
}

func checkAllRefused(ctx context.Context, b *bench) error {
	for _, variants := range []int{1, 2} {
		good := b.sample(b.id(fmt.Sprint("all-of-", variants)), variants)
		bad := clone(good)
		for i := range variants {
			bad = b.RefuseVariant(bad, i)
		}
		ref, _, err := b.try(ctx, b.ref(good.ID), bad, shopadapter.AllFields)
		if kind := shopadapter.Explain(err); kind == nil || kind.Kind != shopadapter.Rejected {
			return fmt.Errorf("of %d variants all are refused: got %v, want an error of kind rejected", variants, err)
		}
		if err := b.expectOffSale(ctx, good.ID); err != nil {
			return err
		}
		if _, _, err := b.put(ctx, ref, good, shopadapter.AllFields); err != nil {
			return fmt.Errorf("mended: %w", err)
		}
		if err := b.expect(ctx, good); err != nil {
			return fmt.Errorf("mended: %w", err)
		}
	}
	return nil
}

func checkRefusedProduct(ctx context.Context, b *bench) error {
	rejected := func(name string, err error) error {
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Rejected {
			return fmt.Errorf("%s: got %v, want an error of kind rejected", name, err)
		}
		if e.Error() == "" || e.ShopWide {
			return fmt.Errorf("%s: a rejection says why and is of one product, this is %+v", name, *e)
		}
		return nil
	}
	good := b.sample(b.id("new"), 3)
	ref, _, err := b.try(ctx, b.ref(good.ID), b.RefuseProduct(clone(good)), shopadapter.AllFields)
	if err := rejected("new", err); err != nil {
		return err
	}
	if err := b.expectOffSale(ctx, good.ID); err != nil {
		return err
	}
	if ref, _, err = b.put(ctx, ref, good, shopadapter.AllFields); err != nil {
		return fmt.Errorf("mended: %w", err)
	}
	if err := b.expect(ctx, good); err != nil {
		return fmt.Errorf("mended: %w", err)
	}
	revised := b.revise(good, 1)
	ref, _, err = b.try(ctx, ref, b.RefuseProduct(clone(revised)), shopadapter.AllFields)
	if err := rejected("a change", err); err != nil {
		return err
	}
	if _, _, err = b.put(ctx, ref, revised, shopadapter.AllFields); err != nil {
		return fmt.Errorf("a change, mended: %w", err)
	}
	return b.expect(ctx, revised)
}
