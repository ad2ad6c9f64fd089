package myshop

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// limits bound what is read of an answer.
var limits = jsonlimit.Limits{Bytes: 4 << 20, Elements: 100_000, Depth: 20}

// call makes one request. Its error says who can mend it, which is what decides what comes next:
//
//	shopadapter.Reject   the supplier, by changing the product: 400, 409, 413, 422
//	shopadapter.Block    the merchant, in the shop or the settings: 401, 403, a wrong address
//	shopadapter.Retry    time: 429, 5xx, no answer, an answer that cannot be read
//
// httpstatus.Error makes the error of a status. Everywhere() is added where every product would
// meet it, After(d) where the shop says when to come back. An error without a kind counts as Retry,
// so one of the http.Client's is handed on as it is. Where your shop answers 200 with an error in
// the body, read that here, and ask the same question.
func (a *adapter) call(ctx context.Context, method, path string, send, into any) error {
	body, err := json.Marshal(send)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	data, err := jsonlimit.Read(resp.Body, limits)
	if err != nil {
		return err
	}
	switch {
	case httpstatus.Of(resp.StatusCode, resp.Header) == httpstatus.Done:
	case resp.StatusCode == http.StatusNotFound && method == http.MethodDelete:
		return nil // it is gone, which was asked for
	case resp.StatusCode == http.StatusNotFound && method == http.MethodPatch:
		return shopadapter.Retry("it was deleted in the shop meanwhile: the next call finds out")
	default:
		var said struct{ Error string }
		_ = json.Unmarshal(data, &said) // another body says nothing
		return httpstatus.Error(resp.StatusCode, resp.Header, quote.Line(said.Error, 200, a.redact))
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return shopadapter.Retry("the shop's answer cannot be read: %w", err)
	}
	return nil
}

// redact takes the token out of a text that the shop sent.
func (a *adapter) redact(text string) string { return strings.ReplaceAll(text, a.token, "…") }
