package myshop

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// Unpublish takes the product out of sale, or deletes it.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (said string, err error) {
	own, err := a.find(ctx, ref.Publication)
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.call(ctx, http.MethodDelete, path(p.ID), nil, nil)
		case p.OnSale:
			err = a.call(ctx, http.MethodPatch, path(p.ID), map[string]any{"onSale": false}, nil)
		}
	}
	return "", err
}
