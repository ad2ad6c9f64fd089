// Package wire sends requests to one server, a shop or the marketplace, as JSON or as GraphQL.
//
// An answer is bounded before it is decoded, and large ones are read one at a time. A redirect is an answer:
// followed, it would turn a POST into a GET that looks like a success. The credential goes only to the server's own
// origin, and an error's text is one short line without secrets.
//
// One call is one request: the caller tries again.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Options say how to reach a server.
type Options struct {
	Endpoint  string            // of GraphQL; its origin is the server's own
	Peer      string            // the server's name in errors: "the shop"
	Transport http.RoundTripper // nil: the Client's own, with time-outs
	UserAgent string
	Authorize func(*http.Request) // adds the credential for the server's own origin; may be nil
	Secrets   func() []string     // hidden in every text; may be nil
	Timeout   time.Duration       // of a whole answer; 0: none
}

// A Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	o      Options
	origin url.URL
	http   http.Client
	large  chan struct{} // holds a token while a large answer is read or decoded
	hider  atomic.Pointer[hider]
}

// New makes a Client without a request.
func New(o Options) *Client {
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		}
	}
	c := &Client{o: o, large: make(chan struct{}, 1), http: http.Client{
		Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if u, err := url.Parse(o.Endpoint); err == nil {
		c.origin = *u
	}
	return c
}

// Close releases idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// An Answer is what came back to one request.
type Answer struct {
	Status     int // 0: no answer
	Header     http.Header
	Body       []byte        // nil if it was cut off or exceeds a limit
	RetryAfter time.Duration // as the server asks; 0: none

	// of GraphQL
	Data, Extensions json.RawMessage
	Faults           []Fault
}

// Limits bound an answer; 0 is none. Bytes alone do not bound memory: some kilobytes of gzip unfold into megabytes of
// `{},{},{},`, each some hundred bytes of Go.
type Limits struct {
	Bytes    int64 // decompressed
	Elements int   // objects, lists and commas: this bounds nesting too
}

// A LimitError says which limit an answer exceeds.
type LimitError struct{ Text string }

func (e *LimitError) Error() string { return e.Text }

// An Error says that no usable answer came. Time mends it.
type Error struct {
	Message    string // one line, without secrets
	Unsent     bool   // the server has not seen it
	Unreadable bool   // a whole answer in an unexpected form
	Err        error  // the cause; errors.Is finds a context's error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// JSON sends a value, or none for nil, and decodes the answer as [Client.Do] does.
func (c *Client) JSON(ctx context.Context, method, address string, body any, l Limits, into any) (*Answer, error) {
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

// Encode returns JSON without escaping markup.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// Do sends a request and decodes the body of a 2xx into a value, if not nil. Its error is an [*Error]; the Answer
// comes too if only the form is wrong.
func (c *Client) Do(req *http.Request, l Limits, into any) (*Answer, error) {
	return c.send(req, l, func(a *Answer) error {
		if into == nil || a.Status/100 != 2 {
			return nil
		}
		return c.decode(a.Body, into)
	})
}

func (c *Client) decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return &Error{Message: "the answer cannot be read: " + c.Clean(err.Error()), Unreadable: true, Err: err}
	}
	return nil
}

func (c *Client) send(req *http.Request, l Limits, decode func(*Answer) error) (*Answer, error) {
	a, ctx := &Answer{}, req.Context()
	if c.o.Timeout > 0 { // http.Client's own takes a goroutine a request
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
	}
	sent := req.WithContext(ctx)
	sent.Header = maps.Clone(req.Header) // the caller's stays as it is
	sent.Header.Set("Accept", cmp.Or(sent.Header.Get("Accept"), "application/json"))
	if c.o.UserAgent != "" {
		sent.Header.Set("User-Agent", c.o.UserAgent)
	}
	if c.o.Authorize != nil && req.URL.Scheme == c.origin.Scheme && req.URL.Host == c.origin.Host {
		c.o.Authorize(sent)
	}
	resp, err := c.http.Do(sent)
	if err != nil {
		return a, c.lost(req.Context(), 0, err)
	}
	defer resp.Body.Close()
	a.Status, a.Header = resp.StatusCode, resp.Header
	a.RetryAfter, _ = retryAfter(resp.Header, time.Now())
	body, done, err := c.read(ctx, resp.Body, resp.ContentLength, l)
	defer done()
	if err != nil {
		return a, c.lost(req.Context(), a.Status, err)
	}
	a.Body = body
	return a, decode(a)
}

// usual is in bytes. Decoding takes a few times an answer's length, so larger ones go one at a time.
const usual = 1 << 20

// read returns a body within its limits. Call done after decoding.
func (c *Client) read(
	ctx context.Context, from io.Reader, length int64, l Limits,
) (body []byte, done func(), err error) {
	var b bytes.Buffer
	if length <= l.Bytes {
		b.Grow(max(int(length), 0) + bytes.MinRead)
	}
	done = func() {}
	most := cmp.Or(l.Bytes, math.MaxInt64-1) + 1
	if _, err = io.CopyN(&b, from, min(most, usual)); err == nil && most > usual {
		select {
		case c.large <- struct{}{}:
			done = func() { <-c.large }
			_, err = io.CopyN(&b, from, most-usual)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		err = l.check(b.Bytes())
	case err == nil:
		err = &LimitError{fmt.Sprintf("the answer is longer than %d bytes", l.Bytes)}
	}
	return b.Bytes(), done, err
}

// check bounds the elements of an object or a list. Web pages pass.
func (l Limits) check(body []byte) error {
	text := bytes.TrimLeft(body, " \t\r\n\uFEFF")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil
	}
	elements, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' || c == '{' || c == '[':
			elements++
		}
	}
	if l.Elements > 0 && elements > l.Elements {
		return &LimitError{fmt.Sprintf("the answer holds more than %d elements", l.Elements)}
	}
	return nil
}

// lost returns the error of a request without a whole answer. The context's comes first: being stopped is not the
// server's failure.
func (c *Client) lost(ctx context.Context, status int, err error) *Error {
	e := &Error{Err: err}
	var excess *LimitError
	var dial *net.OpError
	cause := err // the innermost: outer texts name the address, which may hold a secret
	for next := err; next != nil; next = errors.Unwrap(next) {
		cause = next
	}
	switch why := c.Clean(cause.Error()); {
	case ctx.Err() != nil:
		e.Message, e.Err = ctx.Err().Error(), ctx.Err()
	case errors.As(err, &excess):
		e.Message = excess.Text
	case status != 0:
		e.Message = "the answer was cut off: " + why
	case errors.As(err, &dial) && dial.Op == "dial":
		e.Message, e.Unsent = c.o.Peer+" cannot be reached: "+why, true
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = fmt.Sprintf("no answer within %v", c.o.Timeout)
	default:
		e.Message = "no answer: " + why
	}
	return e
}

// ErrPrivate marks an address that PublicTransport does not dial.
var ErrPrivate = errors.New("the host's address is not a public one")

// PublicTransport is for addresses that a stranger chose: they may name a metadata service or a router's page. It dials
// only public addresses, and hosts that the merchant allows, as host or host:port. It judges resolved addresses, so
// no changing name or redirect gets around it. It uses no proxy, which would hide them.
func PublicTransport(allow ...string) *http.Transport {
	const patience = 10 * time.Second // to connect, and to an answer's header
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(address) //nolint:errcheck // the transport gives a port
		// by name, before it is resolved: the merchant trusts no other name of the same address
		allowed := slices.ContainsFunc(allow, func(entry string) bool {
			return strings.EqualFold(entry, address) || strings.EqualFold(strings.Trim(entry, "[]"), host)
		})
		dialer := net.Dialer{Timeout: patience, Control: func(_, resolved string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(resolved); !allowed && (err != nil || !isPublic(at.Addr())) {
				return ErrPrivate
			}
			return nil
		}}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Transport{
		DialContext: dial, ForceAttemptHTTP2: true, MaxIdleConns: 16, MaxIdleConnsPerHost: 2,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: patience,
		ResponseHeaderTimeout: patience, MaxResponseHeaderBytes: 64 << 10,
	}
}

// isPublic judges an IPv4 address inside an IPv6 one as what it is.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(reserved(), func(block netip.Prefix) bool { return block.Contains(a) })
}

// reserved lists what IsGlobalUnicast and IsPrivate let through: IANA's special-purpose registries, IPv6 ranges that
// translate to IPv4 of the caller's choice, and Azure's platform (168.63.129.16).
var reserved = sync.OnceValue(func() (blocks []netip.Prefix) {
	for block := range strings.FieldsSeq("0.0.0.0/8 100.64.0.0/10 168.63.129.16/32 192.0.0.0/24 192.0.2.0/24 " +
		"192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 ::/96 ::ffff:0:0:0/96 64:ff9b::/96 " +
		"64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fec0::/10") {
		blocks = append(blocks, netip.MustParsePrefix(block))
	}
	return blocks
})
