package woocommerce

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
)

// Check reads with the key, and writes with it: a batch of nothing, which changes nothing and needs
// the permission to write. Where the API does not answer, a request to the address itself says why.
func (a *adapter) Check(ctx context.Context) error {
	var some list[product]
	_, err := a.call(ctx, request{method: http.MethodGet, path: "/products", kind: kindRead, query: url.Values{
		"per_page": {"1"}, "_fields": {"id"},
	}}, &some)
	if err != nil {
		return a.diagnose(ctx, err)
	}
	var nothing json.RawMessage
	_, err = a.call(ctx, emptyBatch, &nothing)
	if r := refused(err); r != nil && (r.status == http.StatusUnauthorized || r.status == http.StatusForbidden) &&
		r.code != "" {
		return &shopadapter.Error{
			Kind: shopadapter.Blocked, ShopWide: true, Err: r,
			Message: "the key may read and not write: give it the permission Read/Write in WooCommerce > Settings > " +
				"Advanced > REST API" + said(
				r,
			),
		}
	}
	if r := refused(err); r != nil && r.status < http.StatusInternalServerError &&
		r.status != http.StatusTooManyRequests {
		if e := shopadapter.Explain(err); e.Kind == shopadapter.Rejected {
			return shopadapter.Retry("the shop does not take a write that changes nothing: %s", r.message)
		}
	}
	if err != nil {
		return err
	}
	if _, err := a.Prices(ctx); err != nil {
		return err
	}
	// The categories are read now, so that the first product need not wait for them.
	return a.categories.load(ctx, a, a.categories.when())
}
