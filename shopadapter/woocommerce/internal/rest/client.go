// Package rest talks to WooCommerce's REST API v3: it signs requests, bounds and reads answers,
// says who can mend a refusal, and finds out why a shop does not answer at all. It knows products
// and variations as the API shows them, and nothing of publications.
//
// What was seen on a real WooCommerce 11.0.1, and is met here:
//
//   - Over https key and secret are Basic credentials. Over plain http WooCommerce takes none, so
//     each request is signed with OAuth 1.0a. A missing User-Agent is refused by many firewalls.
//   - Plugins filter answers, and PHP makes a number of a string and an object of a list with a gap.
//     Notices of PHP before the JSON make an answer unreadable, though the shop has carried the
//     request out.
//   - One code stands for an unknown key, a wrong secret, a clock that differs and a key that may
//     not write. A 503 with Retry-After is a pause, in maintenance one of ten minutes that takes
//     seconds; a 503 without one may be a PHP that was killed.
//   - PHP goes on working when its client is gone (Uncertain), and what it had stored when it died
//     stays (Died).
//   - A batch is answered with 200 whatever became of it: each item is looked at.
//   - Requests in parallel are fewer while the shop answers 503 or slows down, and more again while
//     it does not (additive increase, multiplicative decrease). Redirects are not followed.
package rest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

const (
	// RequestTimeout bounds one request where the caller's client does not: a hundred variations on
	// slow hosting take a minute or two.
	RequestTimeout = 5 * time.Minute
	userAgent      = "pubsync (+https://github.com/pubsync/pubsync)"
)

// The kinds of request, by how long they take.
const (
	KindRead   = "read"
	KindList   = "list"
	KindWrite  = "write"
	KindBatch  = "batch"
	KindUpload = "upload"
	kindIndex  = "index"
)

// limits are the most that an answer to the request may hold. An answer with one product has some
// hundred elements, with a hundred variations and sixty pictures a thousand; WooCommerce lists a
// hundred products at the most, and a variation in a batch has eighty fields, with plugins a few
// times that. WordPress' index is asked for two of its members; an old one answers with every route
// there is.
func (r Request) limits() jsonlimit.Limits {
	l := jsonlimit.Limits{Bytes: 2 << 20, Elements: 10_000, Depth: 64}
	switch r.Kind {
	case KindList:
		l.Bytes, l.Elements = 8<<20, 50_000
	case KindBatch:
		l.Bytes, l.Elements = 4<<20, 1_000+500*max(r.Ops, 1)
	case kindIndex:
		l.Bytes, l.Elements = 8<<20, 100_000
	}
	return l
}

// Root is where the API is below the shop's address.
const Root = "/wp-json/wc/v3"

// A Client makes the requests of one shop.
type Client struct {
	Base   string // the shop's address, without a slash at its end
	key    string
	secret string
	HTTP   *http.Client
	redact *strings.Replacer
	limit  *limiter
}

// New is a client for the shop at an address, in the form that shopAddress gives it.
func New(base, key, secret string, with *http.Client) *Client {
	return &Client{Base: base, key: key, secret: secret, HTTP: with, redact: redactor(key, secret), limit: newLimiter()}
}

// A Request is one call of the API.
type Request struct {
	Method string
	Path   string // below the API's root
	Query  url.Values
	Body   any // nil: none
	Kind   string
	Ops    int // operations in it, for a batch
}

// Call makes a request of the API and reads what it answers into out. Its error is the context's,
// or a shopadapter.Error; a *refusal is in the chain of the latter where the shop answered with a
// fault.
func (c *Client) Call(ctx context.Context, r Request, out any) (http.Header, error) {
	got, err := c.Send(ctx, r, c.Base+Root+r.Path, true)
	if err != nil {
		return nil, err
	}
	if got.Status/100 != 2 {
		e := c.classify(r, got)
		if walled(r, got) && c.writable(ctx) {
			// The firewall takes offence at what stands in the request. The shop as a whole is
			// well.
			e.ShopWide = false
			e.Message = fmt.Sprintf(
				"a firewall before the shop takes offence at this product's text (HTTP %d): have it let %s through",
				got.Status,
				Root,
			)
		}
		return nil, e
	}
	if err := jsonlimit.Unmarshal(Trimmed(got.Body), r.limits(), out); err != nil {
		g := c.unreadable(got)
		e := &shopadapter.Error{Message: g.Error(), Err: g}
		if g.check {
			e.Kind, e.ShopWide = shopadapter.Blocked, true
		}
		return nil, e
	}
	return got.Header, nil
}

// walled reports whether a firewall rather than the shop answered to a write.
func walled(r Request, got *rest.Answer) bool {
	return r.Body != nil && r.Path != EmptyBatch.Path && quote.IsPage(got.Body) &&
		(got.Status == http.StatusForbidden || got.Status == http.StatusNotAcceptable)
}

// EmptyBatch needs the permission to write and changes nothing.
var EmptyBatch = Request{Method: http.MethodPost, Path: "/products/batch", Body: struct{}{}, Kind: KindRead}

// writable reports whether the shop accepts a write at all.
func (c *Client) writable(ctx context.Context) bool {
	var nothing json.RawMessage
	_, err := c.Call(ctx, EmptyBatch, &nothing)
	return err == nil
}

// Send makes one request, with credentials or without, and reads the answer.
func (c *Client) Send(ctx context.Context, r Request, address string, known bool) (*rest.Answer, error) {
	var content []byte
	if r.Body != nil {
		var err error
		if content, err = json.Marshal(r.Body); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
	}
	turn, err := c.limit.acquire(ctx, r.Kind, r.Ops)
	if err != nil {
		return nil, err
	}
	got, err := c.roundTrip(ctx, r, address, content, known)
	switch {
	case ctx.Err() != nil:
		turn.done(unknown)
		return nil, ctx.Err()
	case err != nil:
		turn.done(verdict(err))
		return nil, silence(err)
	}
	turn.done(strain(got.Status))
	return got, nil
}

// Visit is a page of the shop's, as a stranger sees it.
func (c *Client) Visit(ctx context.Context, address string) ([]byte, error) {
	got, err := c.Send(ctx, Request{Method: http.MethodGet, Kind: kindIndex}, address, false)
	if err != nil {
		return nil, err
	}
	return got.Body, nil
}

func (c *Client) roundTrip(
	ctx context.Context, r Request, address string, content []byte, known bool,
) (*rest.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, RequestTimeout)
	defer cancel()
	shared := rest.Client{HTTP: c.HTTP, Base: address, Limits: r.limits(), Redact: c.redact, Header: http.Header{
		"User-Agent": {userAgent}, "Accept": {"application/json"},
	}}
	query := r.Query
	switch {
	case known && strings.HasPrefix(address, "http:"):
		query = signed(r.Method, address, r.Query, c.key, c.secret, time.Now())
	case known:
		shared.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.key+":"+c.secret)))
	}
	path := ""
	if len(query) > 0 {
		path = "?" + query.Encode()
	}
	return shared.Send(ctx, r.Method, path, content, nil)
}

// silence is the error of a request that got no whole answer.
func silence(err error) error {
	e := &shopadapter.Error{Message: err.Error(), Err: ErrNoAnswer}
	if notSent(err) {
		e.Err = ErrNotSent
	}
	return e
}

var (
	// ErrNotSent is in the chain of the error of a request that cannot have arrived.
	ErrNotSent = errors.New("the shop was not reached")
	// ErrNoAnswer is in the chain of the error of one that may have been carried out.
	ErrNoAnswer = errors.New("the shop did not answer")
)

// notSent tells a request that cannot have arrived: no connection was made.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// Uncertain reports whether a request that ended in err may have been carried out, or may still be.
func Uncertain(err error) bool {
	if err == nil || errors.Is(err, ErrNotSent) {
		return false
	}
	r := Refused(err)
	return r == nil || r.Status >= http.StatusInternalServerError
}

// verdict is what a request without an answer tells of the shop's strength.
func verdict(err error) outcome {
	var t interface{ Timeout() bool }
	if errors.As(err, &t) && t.Timeout() {
		return strained
	}
	return unknown
}

// strain is what a status tells of the shop's strength. Beside the standard's there are those of
// hosting panels (508: resource limit reached) and of Cloudflare (520 to 524: the origin did not
// answer as it should).
func strain(status int) outcome {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable,
		status == http.StatusGatewayTimeout, status == http.StatusLoopDetected, 520 <= status && status <= 524:
		return strained
	case status >= http.StatusInternalServerError:
		return unknown
	}
	return answered
}
