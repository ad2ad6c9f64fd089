package medusa

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// Unpublish makes the product a draft, or deletes it together with its variants, options, quantities and translations.
func (a *Adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	own, err := a.find(ctx, ref, briefFields)
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.deleteProduct(ctx, p.ID)
		case p.Status != draft:
			err = a.withhold(ctx, p.ID)
		}
	}
	return err
}

// withhold takes a product out of sale. The stamp stays as it is.
func (a *Adapter) withhold(ctx context.Context, id string) error {
	_, err := a.post(ctx, "withhold product", "products/"+id, query{"fields": "id"}, input{"status": draft})
	return err
}

// deleteProduct deletes the translations first: Medusa would keep them, and after the product nothing leads to them.
func (a *Adapter) deleteProduct(ctx context.Context, id string) error {
	s, err := a.shop(ctx, false)
	if err == nil && s.locales != nil {
		err = a.deleteTranslations(ctx, id)
	}
	if err == nil {
		_, err = a.call(ctx, "delete product", http.MethodDelete, "products/"+id, nil, nil)
	}
	return err
}

func (a *Adapter) deleteTranslations(ctx context.Context, product string) error {
	held, err := a.translationsOf(ctx, product)
	var ids []string
	for _, t := range held {
		ids = append(ids, t.ID)
	}
	if len(ids) > 0 {
		_, err = a.post(ctx, "delete translations", "translations/batch", nil, input{"delete": ids})
	}
	return err
}
