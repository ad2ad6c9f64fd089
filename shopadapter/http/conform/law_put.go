package conform

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func putLaws() []Law {
	return []Law{
		{
			ID: "put", check: checkPut,
			Sentence: "PUT answers 200 or 201 with the listing's id; an address is absolute, and where variants are " +
				"named, each has an id of its own.",
		}, {
			ID: "put-twice", check: checkPutTwice,
			Sentence: "The same PUT twice is one product: the second answers with the same ids, at once after the " +
				"first.",
		}, {
			ID: "last-wins", check: checkLastWins,
			Sentence: "The last PUT wins: the listing stays and has the variants of the last body, no others.",
		}, {
			ID: "whole-body", check: checkWholeBody,
			Sentence: "The body is whole whatever \"changed\" names: a product that the shop does not know is made " +
				"from it.",
		}, {
			ID: "recreate", check: checkRecreate,
			Sentence: "The header Pubsync-Recreate makes no second product where there is one.",
		},
	}
}

func checkPut(ctx context.Context, b *bench) error {
	for _, n := range []int{1, 3} {
		p := sample(b.id(fmt.Sprint(n)), n)
		l, err := b.published(ctx, p)
		if err != nil {
			return err
		}
		if u, err := url.Parse(string(l.URL)); l.URL != "" &&
			(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf(`the "url" %q is no absolute http or https address`, l.URL)
		}
		if err := sameVariants(p, l); err != nil {
			return err
		}
	}
	return nil
}

// sameVariants is nil when the listing has an id of its own for each variant of the product, and
// for nothing else, or names no variants at all.
func sameVariants(p shopadapter.Product, l httpshop.Answer) error {
	if l.Variants == nil && l.Refused == nil {
		return nil
	}
	ids := map[httpshop.Text]string{}
	for _, v := range p.Variants {
		if _, refused := l.Refused[v.ID]; refused {
			return fmt.Errorf("the good variant %s is refused", v.ID)
		}
		id := l.Variants[v.ID]
		if id == "" {
			return fmt.Errorf(`"variants" has no id for %s`, v.ID)
		}
		if other, taken := ids[id]; taken {
			return fmt.Errorf("the variants %s and %s have the same id %q", other, v.ID, id)
		}
		ids[id] = v.ID
	}
	if len(l.Variants) != len(p.Variants) {
		return fmt.Errorf(
			`"variants" names %q, the product has %d`,
			slices.Sorted(maps.Keys(l.Variants)),
			len(p.Variants),
		)
	}
	return nil
}

func checkPutTwice(ctx context.Context, b *bench) error {
	p := sample(b.id("a"), 3)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	for range 3 {
		again, err := b.published(ctx, p)
		if err != nil {
			return err
		}
		if again.ID != first.ID {
			return fmt.Errorf("the listing was %q and is %q", first.ID, again.ID)
		}
		if !maps.Equal(first.Variants, again.Variants) {
			return fmt.Errorf("the variants were %v and are %v", first.Variants, again.Variants)
		}
	}
	all, err := b.products(ctx)
	if err != nil {
		return ignoreNoList(err)
	}
	_, err = one(all, string(p.ID))
	return err
}

func checkLastWins(ctx context.Context, b *bench) error {
	p := sample(b.id("a"), 3)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	p.Title, p.Variants = "Garden lantern, revised", slices.Clone(p.Variants[1:])
	p.Variants[0].Quantity, p.Variants[0].Price = 0, "24.95"
	second, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	if second.ID != first.ID {
		return fmt.Errorf("the listing was %q and is %q", first.ID, second.ID)
	}
	if err := sameVariants(p, second); err != nil {
		return fmt.Errorf("after a variant was taken away: %w", err)
	}
	p = sample(p.ID, 4)
	third, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	if err := sameVariants(p, third); err != nil {
		return fmt.Errorf("after variants were added: %w", err)
	}
	return nil
}

func checkWholeBody(ctx context.Context, b *bench) error {
	for _, changed := range []shopadapter.Fields{shopadapter.NoFields, shopadapter.FieldStock, shopadapter.FieldPrice | shopadapter.FieldImages} {
		p := sample(b.id(changed.String()), 2)
		r, err := b.putChanged(ctx, p, changed, nil)
		if err != nil {
			return err
		}
		l, err := readListing(r)
		if err == nil {
			err = sameVariants(p, l)
		}
		if err != nil {
			return fmt.Errorf("changed %s: %w", changed, err)
		}
	}
	return nil
}

func checkRecreate(ctx context.Context, b *bench) error {
	p := sample(b.id("a"), 2)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	r, err := b.putChanged(ctx, p, shopadapter.AllFields, http.Header{"Pubsync-Recreate": {"true"}})
	if err != nil {
		return err
	}
	again, err := readListing(r)
	if err != nil {
		return err
	}
	if again.ID != first.ID {
		return fmt.Errorf("the listing was %q and is %q", first.ID, again.ID)
	}
	return nil
}
