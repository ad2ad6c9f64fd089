package myshop

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// limits bound what is read of an answer.
var limits = wire.Limits{Bytes: 4 << 20, Elements: 100_000, Depth: 20}

// call makes one request. Its error says who can mend it, which is what decides what comes next:
//
//	shopadapter.Reject   the supplier, by changing the product: 400, 409, 413, 422
//	shopadapter.Block    the merchant, in the shop or the settings: 401, 403, a wrong address
//	shopadapter.Retry    time: 429, 5xx, no answer, an answer that cannot be read
//
// httpstatus.Error makes the error of a status. Everywhere() is added where every product would
// meet it, After(d) where the shop says when to come back. Where your shop answers 200 with an error
// in the body, read that here, and ask the same question.
func (a *adapter) call(ctx context.Context, method, path string, send, into any) error {
	got, err := a.wire.JSON(ctx, method, a.base+path, send, limits, into)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return shopadapter.Retry("%w", err)
	case httpstatus.Of(got.Status, got.Header) == httpstatus.Done:
		return nil
	case got.Status == http.StatusNotFound && method == http.MethodDelete:
		return nil // it is gone, which was asked for
	case got.Status == http.StatusNotFound && method == http.MethodPatch:
		return shopadapter.Retry("it was deleted in the shop meanwhile: the next call finds out")
	}
	var said struct{ Error string }
	_ = json.Unmarshal(got.Body, &said) // another body says nothing
	return httpstatus.Error(got.Status, got.Header, a.wire.Clean(said.Error))
}
