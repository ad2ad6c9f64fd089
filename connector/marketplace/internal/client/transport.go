package client

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

const (
	// AnswerTimeout is how long an answer may take, its body included.
	AnswerTimeout = 30 * time.Second
	// LongestPause is when the server is asked again at the latest, however long its Retry-After
	// is.
	LongestPause = 15 * time.Minute
)

// What an answer may measure, in bytes after decompression.
const (
	UsualAnswer   = 1 << 20  // identifiers, states and messages: a page of a hundred entries is some 20 kB
	schemaAnswer  = 8 << 20  // the largest schema known, of another service, takes 2.4 MB
	ProductAnswer = 16 << 20 // suppliers put pictures into descriptions
)

// An exchange is what one request met on the wire. The transport bounds the answer and writes down
// its status and Retry-After, of which the client library keeps nothing; the library reads the
// rest.
type exchange struct {
	limits     jsonlimit.Limits // of the answer
	languages  string           // of the request; "": those of every request
	status     int
	retryAfter time.Duration
	body       []byte // nil when the answer was cut off or exceeds a limit
	release    func() // ends the turn of a large answer
}

// done ends the exchange's turn, if it has one.
func (x *exchange) done() {
	if x.release != nil {
		x.release()
		x.release = nil
	}
}

type exchangeKey struct{}

// A carrier is the transport: it adds what every request carries, and bounds and records every
// answer.
type carrier struct {
	base       http.RoundTripper
	large      chan struct{} // held by the one answer longer than UsualAnswer that is read or decoded
	origin     url.URL
	credential *credential
	userAgent  string
	languages  string
}

func (o *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	// The time-out includes the body, which is read here. http.Client's own takes a goroutine a
	// request.
	ctx, cancel := context.WithTimeout(req.Context(), AnswerTimeout)
	defer cancel()
	req = req.WithContext(ctx)
	req.Header = maps.Clone(req.Header) // the caller's stays as it is
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", o.userAgent)
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	languages := o.languages
	if x != nil && x.languages != "" {
		languages = x.languages
	}
	if languages != "" {
		req.Header.Set("Accept-Language", languages)
	}
	if token := o.credential.token(); token != "" && req.URL.Scheme == o.origin.Scheme &&
		req.URL.Host == o.origin.Host {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := o.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if x == nil {
		x = &exchange{limits: jsonlimit.Limits{Bytes: UsualAnswer}}
		defer x.done()
	}
	x.status = resp.StatusCode
	x.retryAfter, _ = shopadapter.ParseRetryAfter(resp.Header, time.Now())
	x.retryAfter = min(x.retryAfter, LongestPause)
	x.body, err = jsonlimit.Read(&bodyLimiter{r: resp.Body, o: o, x: x, done: ctx.Done()}, x.limits)
	if err != nil {
		x.body = nil
		return nil, err
	}
	// The library decodes an answer with status 200 or 201 alone. Nor does http.Client follow a
	// redirect then, which would turn the POST into a GET whose answer looks like a success.
	resp.StatusCode, resp.Body = http.StatusOK, io.NopCloser(bytes.NewReader(x.body))
	return resp, nil
}

// A bodyLimiter reads an answer. Before the byte after the first UsualAnswer it waits until no
// other large answer is read or decoded: one takes a few times its length in memory, four at once
// too much.
type bodyLimiter struct {
	r    io.Reader
	o    *carrier
	x    *exchange
	done <-chan struct{} // of the request's context
	read int
}

func (t *bodyLimiter) Read(p []byte) (int, error) {
	if t.read >= UsualAnswer && t.x.release == nil {
		select {
		case t.o.large <- struct{}{}:
			t.x.release = func() { <-t.o.large }
		case <-t.done:
			return 0, context.DeadlineExceeded
		}
	}
	n, err := t.r.Read(p)
	t.read += n
	return n, err
}

// newHTTPClient is the HTTP client under the library.
func newHTTPClient(c Config, base http.RoundTripper, credential *credential) *http.Client {
	o := &carrier{
		base:       base,
		large:      make(chan struct{}, 1),
		credential: credential,
		userAgent:  c.UserAgent,
		languages:  strings.Join(c.Languages, ", "),
	}
	if o.userAgent == "" {
		o.userAgent = "pubsync"
	}
	if u, err := url.Parse(c.URL); err == nil {
		o.origin = *u
	}
	return &http.Client{Transport: o}
}

// newTransport is the default way to the network.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: AnswerTimeout,
		ExpectContinueTimeout: time.Second,
	}
}

func withExchange(ctx context.Context, limits jsonlimit.Limits) (context.Context, *exchange) {
	x := &exchange{limits: limits}
	return context.WithValue(ctx, exchangeKey{}, x), x
}
