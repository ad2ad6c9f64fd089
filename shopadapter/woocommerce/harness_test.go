package woocommerce

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// quickly is a patience for tests that do not turn the clock themselves.
func quickly() patience { return patience{step: time.Millisecond, steps: 15} }

// connect opens an adapter over the shop.
func (f *fakeShop) connect(
	t testing.TB, p patience, wrap func(http.RoundTripper) http.RoundTripper, pairs ...string,
) *adapter {
	t.Helper()
	a, err := f.dial(p, wrap, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (f *fakeShop) dial(p patience, wrap func(http.RoundTripper) http.RoundTripper, pairs ...string) (*adapter, error) {
	settings := map[string]string{"URL": f.Base, "KEY": fakeshop.Key, "SECRET": fakeshop.Secret}
	for i := 0; i+1 < len(pairs); i += 2 {
		settings[pairs[i]] = pairs[i+1]
	}
	if wrap == nil {
		wrap = func(next http.RoundTripper) http.RoundTripper { return next }
	}
	a, err := open(
		shopadapter.Options{
			Settings: settings, VATPercent: f.VAT, Logger: f.logger, HTTPClient: &http.Client{Transport: wrap(f.Shop)},
		},
		p,
	)
	if err == nil {
		a.try = f.TryAll
	}
	return a, err
}

// A fakeShop is the shop that the tests of this package are held against, with what they ask of it.
type fakeShop struct {
	*fakeshop.Shop
	front
	silent map[string]bool // addresses of pictures whose servers accept and never answer
	logger *slog.Logger    // of the adapter; nil: none
}

func newFakeShop(t testing.TB) *fakeShop {
	f := &fakeShop{Shop: fakeshop.New(t)}
	f.Front = func(w http.ResponseWriter, r *http.Request, local string) bool { return f.serve(f.Base, w, r, local) }
	return f
}

// opened is a fake shop, and an adapter over it.
func opened(t testing.TB, pairs ...string) (*fakeShop, *adapter) {
	t.Helper()
	f := newFakeShop(t)
	return f, f.connect(t, quickly(), nil, pairs...)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// around is a transport that stands before another.
func around(
	answer func(next http.RoundTripper, req *http.Request) (*http.Response, error),
) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) { return answer(next, req) })
	}
}
