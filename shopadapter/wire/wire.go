package wire

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Options say how to reach a server.
type Options struct {
	Endpoint string // of GraphQL requests; its origin is the server's own
	Peer     string // how error texts name the server: "the shop"
	// Transport is the way to the network; nil: one of the Client's own, with time-outs.
	Transport http.RoundTripper
	UserAgent string
	// Authorize adds the credential to a request to the server's own origin; may be nil.
	Authorize func(*http.Request)
	// Secrets are taken out of every text that is shown; may be nil.
	Secrets func() []string
	// Timeout is how long an answer may take, its body included; 0: as long as the context.
	Timeout time.Duration
}

// A Client sends requests to one server. Its methods may be called from any goroutine.
type Client struct {
	o      Options
	origin url.URL
	http   http.Client
	own    *http.Transport // nil where the transport is the caller's
	large  chan struct{}   // held by the one large answer that is read or decoded
	hider  atomic.Pointer[hider]
}

// New makes a Client. It makes no request.
func New(o Options) *Client {
	c := &Client{o: o, large: make(chan struct{}, 1)}
	if u, err := url.Parse(o.Endpoint); err == nil {
		c.origin = *u
	}
	if o.Transport == nil {
		dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
		c.own = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
			ResponseHeaderTimeout: o.Timeout,
		}
		o.Transport = c.own
	}
	c.http = http.Client{
		Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Close gives up the idle connections of a transport of the Client's own.
func (c *Client) Close() error {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// An Answer is what came back to one request.
type Answer struct {
	Status     int           // of HTTP; 0: no answer
	Header     http.Header   //
	Body       []byte        // nil where it was cut off or exceeds a limit
	RetryAfter time.Duration // the server's own word on when to come back; 0: none

	// of GraphQL alone
	Data, Extensions json.RawMessage
	Faults           []Fault
}

// Do sends a request and decodes the body of a 2xx into a value, which may be nil. The error is an
// [*Error]; with one about the form of the body, the Answer is there too.
func (c *Client) Do(req *http.Request, l Limits, into any) (*Answer, error) {
	return c.send(req, l, func(a *Answer) error {
		if into == nil || a.Status/100 != 2 {
			return nil
		}
		return c.decode(a.Body, into)
	})
}

// send sends a request, and has decode read a whole answer within its limits.
func (c *Client) send(req *http.Request, l Limits, decode func(*Answer) error) (*Answer, error) {
	a, ctx := &Answer{}, req.Context()
	if c.o.Timeout > 0 { // http.Client's own takes a goroutine a request
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
	}
	sent := req.WithContext(ctx)
	sent.Header = maps.Clone(req.Header) // the caller's stays as it is
	if sent.Header.Get("Accept") == "" {
		sent.Header.Set("Accept", "application/json")
	}
	if c.o.UserAgent != "" {
		sent.Header.Set("User-Agent", c.o.UserAgent)
	}
	if c.o.Authorize != nil && req.URL.Scheme == c.origin.Scheme && req.URL.Host == c.origin.Host {
		c.o.Authorize(sent)
	}
	resp, err := c.http.Do(sent)
	if err != nil {
		return a, c.lost(req.Context(), a, err)
	}
	defer resp.Body.Close()
	a.Status, a.Header = resp.StatusCode, resp.Header
	a.RetryAfter, _ = retryAfter(resp.Header, time.Now())
	body := &bounded{r: resp.Body, most: l, done: ctx.Done(), large: c.large}
	defer body.end()
	if a.Body, err = io.ReadAll(body); err != nil {
		a.Body = nil
		return a, c.lost(req.Context(), a, err)
	}
	return a, decode(a)
}

// JSON sends a value, nil for none, to an address, and decodes the answer as [Client.Do] does.
func (c *Client) JSON(ctx context.Context, method, address string, body any, l Limits, into any) (
	*Answer, error,
) {
	req, err := c.request(ctx, method, address, body)
	if err != nil {
		return &Answer{}, err
	}
	return c.Do(req, l, into)
}

func (c *Client) request(ctx context.Context, method, address string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		text, err := Encode(body)
		if err != nil {
			return nil, &Error{Message: "the request cannot be written: " + c.Clean(err.Error()), Unsent: true, Err: err}
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil { // its text holds the address
		return nil, &Error{Message: "the address is none", Unsent: true}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// Encode is a value as JSON with the characters of markup as they are.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// decode is json.Unmarshal, whose error is an Error.
func (c *Client) decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return &Error{Message: "the answer cannot be read: " + c.Clean(err.Error()), Unreadable: true, Err: err}
	}
	return nil
}

// Clean makes one line of at most some 200 characters of a text from elsewhere, without secrets, not
// even their first twelve characters.
func (c *Client) Clean(s string) string {
	const most, start = 200, 12
	var secrets, hidden []string
	if c.o.Secrets != nil {
		secrets = c.o.Secrets()
	}
	h := c.hider.Load()
	if h == nil || !slices.Equal(h.of, secrets) {
		for _, secret := range secrets {
			hidden = append(hidden, secret, hex.EncodeToString([]byte(secret)))
			if len(secret) > start {
				hidden = append(hidden, secret[:start])
			}
		}
		h = &hider{slices.Clone(secrets), Hider("[token]", hidden...)}
		c.hider.Store(h)
	}
	return Line(s, most, h.Replace)
}

// A hider is the [Hider] of some secrets. An answer may need it 10,000 times, and it takes long to make.
type hider struct {
	of []string
	*strings.Replacer
}
