package vendure

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// maxAnswer bounds an answer of the shop, in bytes after decompression. A product with a few hundred variants is well below a megabyte.
const maxAnswer = 32 << 20

var errAnswerTooLarge = errors.New("the shop's answer is too large")

type httpDoer interface {
	Do(*http.Request) (*http.Response, error)
}

// An exchange is what the transport saw of one request: the GraphQL client drops the status and the headers of most answers, and with them
// Retry-After and the session's token.
type exchange struct {
	status int
	header http.Header
	body   []byte
}

type exchangeKey struct{}

func withExchange(ctx context.Context) (context.Context, *exchange) {
	seen := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, seen), seen
}

// recordingClient is the caller's client with a transport that fills the exchange of the request's context. It follows no redirect: the client
// would turn a redirected POST into a GET and take the answer for a success.
func recordingClient(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	c := *client
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = recorder{next}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

type recorder struct{ next http.RoundTripper }

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	seen, ok := request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	_ = response.Body.Close()
	seen.status, seen.header = response.StatusCode, response.Header
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxAnswer:
		return nil, errAnswerTooLarge
	}
	seen.body = body
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}
