package medusa

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Unpublish makes the product a draft, or deletes it together with its variants, options, quantities and translations.
func (a *Adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	own, err := a.find(ctx, ref, briefFields)
	if err != nil {
		return err
	}
	for _, p := range own {
		switch {
		case how == shopadapter.Delete:
			err = a.deleteProduct(ctx, p.ID)
		case p.Status != draft:
			err = a.withhold(ctx, p.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withhold takes a product out of sale. The stamp stays as it is.
func (a *Adapter) withhold(ctx context.Context, id string) error {
	return step.Within("withhold product", a.call(ctx, http.MethodPost, "products/"+id, query{"fields": "id"}, input{"status": draft}, nil))
}

// deleteProduct deletes the translations first: Medusa would keep them, and after the product nothing leads to them.
func (a *Adapter) deleteProduct(ctx context.Context, id string) error {
	s, err := a.shop(ctx, false)
	if err != nil {
		return err
	}
	if s.locales != nil {
		held, err := a.translationsOf(ctx, id)
		if err != nil {
			return err
		}
		var ids []string
		for _, t := range held {
			ids = append(ids, t.ID)
		}
		if len(ids) > 0 {
			if err := a.call(ctx, http.MethodPost, "translations/batch", nil, input{"delete": ids}, nil); err != nil {
				return step.Within("delete translations", err)
			}
		}
	}
	return step.Within("delete product", a.call(ctx, http.MethodDelete, "products/"+id, nil, nil, nil))
}
