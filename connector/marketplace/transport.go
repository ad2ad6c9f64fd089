package marketplace

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	answerTimeout = 30 * time.Second
	largestAnswer = 16 << 20         // bytes, decompressed
	longestPause  = 15 * time.Minute // a longer Retry-After is asked again after this
)

// An exchange is what one request met on the wire. The client library keeps neither the headers nor the whole body of an answer that is an
// error, so the transport writes them down here.
type exchange struct {
	status     int
	retryAfter time.Duration
	body       []byte
}

type exchangeKey struct{}

// outlet is the way out: it adds what every request carries, and bounds and records every answer.
type outlet struct {
	base      http.RoundTripper
	origin    url.URL
	token     string
	userAgent string
	languages string
}

func (o *outlet) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", o.userAgent)
	if o.languages != "" {
		req.Header.Set("Accept-Language", o.languages)
	}
	if o.token != "" && req.URL.Scheme == o.origin.Scheme && req.URL.Host == o.origin.Host {
		req.Header.Set("Authorization", "Bearer "+o.token)
	}
	resp, err := o.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		x = &exchange{}
	}
	x.status = resp.StatusCode
	x.retryAfter, _ = shopadapter.ParseRetryAfter(resp.Header, time.Now())
	x.retryAfter = min(x.retryAfter, longestPause)
	var body bytes.Buffer
	body.Grow(int(min(max(resp.ContentLength, 0)+bytes.MinRead, 1<<20)))
	_, err = body.ReadFrom(http.MaxBytesReader(nil, resp.Body, largestAnswer))
	x.body = body.Bytes()
	if err != nil {
		x.body = nil
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.body))
	return resp, nil
}

// newHTTPClient follows no redirect: a redirected POST becomes a GET without a body, and its answer looks like a success.
func newHTTPClient(c Config, base http.RoundTripper) *http.Client {
	o := &outlet{base: base, token: c.Token, userAgent: c.UserAgent, languages: strings.Join(c.Languages, ", ")}
	if o.userAgent == "" {
		o.userAgent = "pubsync"
	}
	if u, err := url.Parse(c.URL); err == nil {
		o.origin = *u
	}
	return &http.Client{
		Transport:     o,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       answerTimeout,
	}
}

// newTransport is the default way to the network.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: answerTimeout,
		ExpectContinueTimeout: time.Second,
	}
}

func withExchange(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}
