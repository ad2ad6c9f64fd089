package myshop

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
)

// Unpublish takes the product out of sale, or deletes it.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	own, err := a.find(ctx, ref.Publication)
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.remove(ctx, p.ID)
		case p.OnSale:
			err = a.call(
				ctx, http.MethodPatch, "/api/products/"+url.PathEscape(p.ID), map[string]any{"onSale": false}, nil,
			)
		}
	}
	return "", err
}

// Remove deletes a draft that a late creation left.
func (w *write) Remove(ctx context.Context, id string) error { return w.a.remove(ctx, id) }

func (a *adapter) remove(ctx context.Context, id string) error {
	return a.call(ctx, http.MethodDelete, "/api/products/"+url.PathEscape(id), nil, nil)
}
