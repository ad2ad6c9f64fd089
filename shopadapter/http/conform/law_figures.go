package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func figureLaws() []Law {
	return []Law{{
		ID: "figures", check: checkFigures,
		Sentence: "Where health says \"figures\", a PATCH with the figures of all variants is taken, at the same " +
			"listing, as often as it comes.",
	}, {
		ID: "figures-whole", check: checkFiguresWhole,
		Sentence: "A PATCH makes nothing: of a product that the shop does not hold with these very variants it is " +
			"answered with 404 or 409.",
	}}
}

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// takesFigures is a Skip where health does not say that the endpoint takes figures alone.
func (b *bench) takesFigures(ctx context.Context) error {
	r, err := b.do(ctx, request{method: http.MethodGet, path: "/health"})
	if err != nil {
		return err
	}
	var said struct {
		Figures bool `json:"figures"`
	}
	if json.Unmarshal(r.body, &said) != nil || !said.Figures {
		return &Skip{`GET /health does not say "figures": true, so each change comes as a PUT`}
	}
	return nil
}

// patch sends the figures of a product's variants.
func (b *bench) patch(ctx context.Context, p shopadapter.Product) (reply, error) {
	body, err := httpshop.EncodeFigures(shopadapter.FiguresOf(p.Variants), p.UpdatedAt, figures)
	if err != nil {
		return reply{}, fmt.Errorf("encode figures: %w", err)
	}
	return b.do(ctx, request{method: http.MethodPatch, path: httpshop.Path(p.ID), body: body})
}

// refigured is the product with other prices and stock.
func refigured(p shopadapter.Product, price string) shopadapter.Product {
	p.Variants = append([]shopadapter.Variant(nil), p.Variants...)
	for i := range p.Variants {
		p.Variants[i].Price, p.Variants[i].Quantity = price, p.Variants[i].Quantity+1
	}
	return p
}

func checkFigures(ctx context.Context, b *bench) error {
	if err := b.takesFigures(ctx); err != nil {
		return err
	}
	p := sample(b.id("a"), 3)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	for _, price := range []string{"21.95", "21.95", "19.95"} {
		p = refigured(p, price)
		r, err := b.patch(ctx, p)
		if err != nil {
			return err
		}
		l, err := readListing(r)
		if err != nil {
			return fmt.Errorf("PATCH: %w", err)
		}
		if l.ID != first.ID {
			return fmt.Errorf("PATCH: the listing was %q and is %q", first.ID, l.ID)
		}
		if !maps.Equal(first.Variants, l.Variants) {
			return fmt.Errorf("PATCH: the variants were %v and are %v", first.Variants, l.Variants)
		}
	}
	again, err := b.published(ctx, p)
	if err != nil {
		return fmt.Errorf("PUT after PATCH: %w", err)
	}
	if again.ID != first.ID {
		return fmt.Errorf("PUT after PATCH: the listing was %q and is %q", first.ID, again.ID)
	}
	return nil
}

func checkFiguresWhole(ctx context.Context, b *bench) error {
	if err := b.takesFigures(ctx); err != nil {
		return err
	}
	p := sample(b.id("a"), 2)
	if _, err := b.published(ctx, p); err != nil {
		return err
	}
	fewer := p
	fewer.Variants = p.Variants[:1]
	for _, c := range []struct {
		what string
		of   shopadapter.Product
	}{
		{"of a product that was never put", sample(b.id("never"), 2)},
		{"with one more variant", sample(p.ID, 3)},
		{"with one variant less", fewer},
	} {
		r, err := b.patch(ctx, c.of)
		if err != nil {
			return err
		}
		if r.status != http.StatusNotFound && r.status != http.StatusConflict {
			return fmt.Errorf("a PATCH %s was answered with %d, 404 or 409 is wanted", c.what, r.status)
		}
	}
	if err := b.removed(ctx, p.ID, shopadapter.Delete); err != nil {
		return err
	}
	r, err := b.patch(ctx, p)
	if err == nil && r.status != http.StatusNotFound && r.status != http.StatusConflict {
		err = fmt.Errorf("a PATCH of a product that was deleted was answered with %d, 404 or 409 is wanted", r.status)
	}
	return err
}
