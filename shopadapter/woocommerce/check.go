package woocommerce

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// Check reads with the key, and writes with it: a batch of nothing, which changes nothing and needs
// the permission to write. It asks for brands, which a WooCommerce that is too old has not. Where the
// API does not answer, a request to the address itself says why.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var some rest.List[rest.Product]
	err = a.Get(ctx, rest.KindRead, "/products", &some, "per_page", "1", "_fields", "id")
	if err != nil {
		return is, a.Diagnose(ctx, err)
	}
	var nothing json.RawMessage
	_, err = a.Call(ctx, rest.EmptyBatch, &nothing)
	if r := rest.Refused(err); r != nil && (r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden) &&
		r.Code != "" {
		return is, &shopadapter.Error{
			Kind: shopadapter.Blocked, ShopWide: true, Err: r,
			Message: "the key may read and not write: give it the permission Read/Write in WooCommerce > Settings > " +
				"Advanced > REST API" + rest.Said(r),
		}
	}
	if r := rest.Refused(err); r != nil && r.Status < http.StatusInternalServerError &&
		r.Status != http.StatusTooManyRequests {
		if e := shopadapter.Explain(err); e.Kind == shopadapter.Rejected {
			return is, shopadapter.Retry("the shop does not take a write that changes nothing: %s", r.Message)
		}
	}
	if err != nil {
		return is, err
	}
	if is.Prices, err = a.prices.Get(ctx, true); err != nil {
		return is, err
	}
	if is.Currency, err = a.currency(ctx); err != nil {
		return is, err
	}
	var brands json.RawMessage
	err = a.Get(ctx, rest.KindRead, "/products/brands", &brands, "per_page", "1", "_fields", "id")
	if rest.HasCode(err, rest.CodeNoRoute) {
		return is, shopadapter.Block("the shop has no brands, which WooCommerce has from 9.6 on: update WooCommerce to " +
			"9.6 or later").Everywhere()
	}
	// The categories are read now, so that the first product need not wait for them.
	if err := a.categories.Load(ctx, a.categories.When()); err != nil {
		return is, err
	}
	is.Warning, _ = a.warning.Get(ctx, false) //nolint:errcheck // a shop whose pages cannot be seen still takes products
	is.Figures, is.Written = true, a.categories.Digest()
	return is, nil
}
