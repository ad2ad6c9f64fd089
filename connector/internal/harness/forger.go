package harness

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/connector"
)

// A Forger stands between worker and marketplace.
type Forger struct {
	next http.RoundTripper
	// Answer answers an operation in the marketplace's place; "" lets the request through.
	Answer func(operation, body string) string
	// Change rewrites an answer of the marketplace.
	Change func(operation, answer string) string
	mu     sync.Mutex // held by both, and by Do
}

// Do changes the forger, or what its functions know, while requests are under way.
func (f *Forger) Do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// RoundTrip implements http.RoundTripper.
func (f *Forger) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(asked), `"operationName":"`)
	operation, _, _ := strings.Cut(rest, `"`)
	body := ""
	f.Do(func() {
		if f.Answer != nil {
			body = f.Answer(operation, string(asked))
		}
	})
	if body != "" {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
		}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	resp, err := f.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	said, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	body = string(said)
	f.Do(func() {
		if f.Change != nil {
			body = f.Change(operation, body)
		}
	})
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, err
}

// Forge puts a forger before the bench's marketplace.
func (b *Bench) Forge() *Forger {
	f := &Forger{next: b.Market.Transport()}
	b.Tune = func(o *connector.Options) { o.Marketplace = Client(f) }
	return f
}
