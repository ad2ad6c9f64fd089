package woocommerce

import (
	"context"
	"errors"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// currency is that of WooCommerce > Settings > General, in which prices are written. It is "" where
// the key's user may not see the settings, or the shop is older than the route (WooCommerce 3.5). A
// text that is no code of a currency proves nothing, and is an error.
func (a *adapter) currency(ctx context.Context) (string, error) {
	var current struct {
		Code rest.Text `json:"code"`
	}
	err := a.Get(ctx, rest.KindRead, "/data/currencies/current", &current, "_fields", "code")
	if r := rest.Refused(err); r != nil &&
		(r.Status == http.StatusForbidden && r.Code == rest.CodeCannotView || r.Status == http.StatusNotFound &&
			r.Code == rest.CodeNoRoute) {
		return "", nil
	}
	code, ok := shopadapter.CurrencyCode(string(current.Code))
	if err == nil && current.Code != "" && !ok {
		return "", errors.New("the shop answers the question for its currency with something else")
	}
	return code, err
}
