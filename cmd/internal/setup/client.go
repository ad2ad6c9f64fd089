package setup

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/pubsync/pubsync/connector/visitor"
	"github.com/pubsync/pubsync/store"
)

const (
	shopDialTimeout   = 10 * time.Second
	shopHeaderTimeout = 2 * time.Minute // shared hosting takes its time over a large batch
	shopTimeout       = 5 * time.Minute
	shopAnswerLimit   = 64 << 20
)

func (c *Setup) userAgent() string {
	return "pubsync/" + c.version + " (+https://github.com/pubsync/pubsync)"
}

// ShopClient returns a client for an adapter: it names itself, follows no redirect, and bounds time
// and size.
func (c *Setup) ShopClient() *http.Client {
	transport := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: shopDialTimeout, KeepAlive: 30 * time.Second}).DialContext,

		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: shopDialTimeout, ResponseHeaderTimeout: shopHeaderTimeout,
	}
	return &http.Client{
		Transport: bounded{transport, c.userAgent()}, Timeout: shopTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded sets the User-Agent of each request and bounds each answer.
type bounded struct {
	next  http.RoundTripper
	agent string
}

func (t bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("User-Agent") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", t.agent)
	}
	res, err := t.next.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, shopAnswerLimit)
	}
	return res, err
}

// leased sends no request of a shop without the lease of its account.
type leased struct {
	next http.RoundTripper
	held func() bool
}

func (t leased) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.held() {
		return t.next.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close() //nolint:errcheck // it is not sent
	}
	return nil, store.ErrFenced
}

// Visitor sees the pages of products. A page may be in a private network where an address of the
// shop's settings is there too.
func (c *Setup) Visitor() *http.Client {
	var hosts []string
	for _, value := range c.Adapter {
		u, err := url.Parse(value)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" {
			hosts = append(hosts, visitor.Beside(u.Hostname())...)
		}
	}
	return visitor.NewClient(hosts...)
}
