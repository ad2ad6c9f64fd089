package woocommerce

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
)

// Currency is that of WooCommerce > Settings > General, in which prices are written. It is "" where
// the key's user may not see the settings, or the shop is older than the route (WooCommerce 3.5). A
// text that is no code of a currency proves nothing, and is an error.
func (a *adapter) Currency(ctx context.Context) (string, error) {
	var current struct {
		Code text `json:"code"`
	}
	_, err := a.call(
		ctx,
		request{
			method: http.MethodGet,
			path:   "/data/currencies/current",
			kind:   kindRead,
			query:  url.Values{"_fields": {"code"}},
		},
		&current,
	)
	if r := refused(err); r != nil &&
		(r.status == http.StatusForbidden && r.code == codeCannotView || r.status == http.StatusNotFound && r.code == codeNoRoute) {
		return "", nil
	}
	code, ok := shopadapter.CurrencyCode(string(current.Code))
	if err == nil && current.Code != "" && !ok {
		return "", errors.New("the shop answers the question for its currency with something else")
	}
	return code, err
}
