package shopify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// largestAnswer bounds an answer, in bytes after decompression: a page of two hundred variants is some hundred kilobytes.
const largestAnswer = 16 << 20

var errAnswerTooLong = errors.New("the answer is too long")

// An exchange is one answer as it came in. The GraphQL library keeps neither the status nor the headers of most answers, nor the body of one
// that is an error, and all three say who can mend it.
type exchange struct {
	status int
	header http.Header
	body   []byte // nil when the answer broke off
}

type exchangeKey struct{}

func record(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// wireClient is the caller's client, which follows no redirect (a redirected POST would arrive as a GET and look answered) and whose transport adds
// the token and records the answer.
func wireClient(client *http.Client, token string) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	c := *client
	base := c.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	c.Transport = &wire{base: base, token: token}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

type wire struct {
	base  http.RoundTripper
	token string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json")
	r.Header.Set("X-Shopify-Access-Token", w.token)
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "pubsync")
	}
	response, err := w.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		x = &exchange{}
	}
	x.status, x.header = response.StatusCode, response.Header
	body, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > largestAnswer {
		return nil, errAnswerTooLong
	}
	x.body = body
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}
