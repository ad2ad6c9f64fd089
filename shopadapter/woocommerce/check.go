package woocommerce

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// Check reads with the key, and writes with it: a batch of nothing, which changes nothing and needs the permission to write. Where the API does not
// answer, the address is asked what it is instead.
func (a *adapter) Check(ctx context.Context) error {
	var some list[product]
	_, err := a.call(ctx, request{method: http.MethodGet, path: "/products", kind: kindRead, query: url.Values{
		"per_page": {"1"}, "_fields": {"id"},
	}}, &some)
	if r := refused(err); r != nil && r.status == http.StatusNotFound {
		return a.diagnose(ctx, err)
	}
	if err != nil {
		return err
	}
	var nothing json.RawMessage
	_, err = a.call(ctx, emptyBatch, &nothing)
	if r := refused(err); r != nil && (r.status == http.StatusUnauthorized || r.status == http.StatusForbidden) && r.code != "" {
		return &shopadapter.Error{
			Kind: shopadapter.Blocked, ShopWide: true, Err: r,
			Message: "the key may read and not write: give it the permission Read/Write in WooCommerce > Settings > Advanced > REST API" + said(r),
		}
	}
	if r := refused(err); r != nil && r.status < http.StatusInternalServerError && r.status != http.StatusTooManyRequests {
		if e := shopadapter.Explain(err); e.Kind == shopadapter.Rejected {
			return shopadapter.Retry("the shop does not take a write that changes nothing: %s", r.message)
		}
	}
	if err != nil {
		return err
	}
	// The categories are read now, so that the first product need not wait for them.
	return a.categories.load(ctx, a, a.categories.when())
}

// index is what WordPress says of its REST API to anybody.
type index struct {
	Namespaces list[text] `json:"namespaces"`
}

// diagnose finds out why there is no API at the address. err is what is said when nothing more can be found.
func (a *adapter) diagnose(ctx context.Context, err error) error {
	pretty, prettyErr := a.index(ctx, "/wp-json/", nil)
	if prettyErr != nil {
		return prettyErr
	}
	plainly, plainErr := a.index(ctx, "/", url.Values{"rest_route": {"/"}})
	if plainErr != nil {
		return plainErr
	}
	has := func(i *index) bool { return i != nil && slices.Contains(i.Namespaces, "wc/v3") }
	var e *shopadapter.Error
	switch {
	case pretty == nil && plainly == nil:
		e = shopadapter.Block("there is no WordPress at the address: check PUBSYNC_WOOCOMMERCE_URL, which is the address of the shop's front page")
	case !has(pretty) && !has(plainly):
		e = shopadapter.Block("WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce")
	case pretty == nil:
		e = shopadapter.Block("the shop has no pretty permalinks, which its REST API needs: choose Post name in WordPress > Settings > Permalinks, " +
			"and see that the web server rewrites addresses to index.php")
	default:
		return err
	}
	e.Err = err
	return e.Everywhere()
}

// index asks an address, without credentials, whether it is a WordPress. nil: it is not.
func (a *adapter) index(ctx context.Context, path string, query url.Values) (*index, error) {
	got, err := a.send(ctx, request{method: http.MethodGet, query: query, kind: kindRead}, a.base+path, false)
	switch {
	case err != nil:
		return nil, err
	case got.status == http.StatusTooManyRequests || got.status >= http.StatusInternalServerError:
		return nil, a.classify(request{method: http.MethodGet}, got)
	}
	var i index
	if got.status != http.StatusOK || !jsonObject(got.body, &i) || len(i.Namespaces) == 0 {
		return nil, nil
	}
	return &i, nil
}
