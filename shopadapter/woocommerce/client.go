package woocommerce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

const (
	// requestTimeout bounds one request where the caller's client does not: a hundred variations on
	// slow hosting take a minute or two.
	requestTimeout = 5 * time.Minute
	userAgent      = "pubsync (+https://github.com/pubsync/pubsync)"
)

// The kinds of request, by how long they take.
const (
	kindRead   = "read"
	kindList   = "list"
	kindWrite  = "write"
	kindBatch  = "batch"
	kindUpload = "upload"
	kindIndex  = "index"
)

// limits are the most that an answer to the request may hold. An answer with one product has some
// hundred elements, with a hundred variations and sixty pictures a thousand; WooCommerce lists a
// hundred products at the most, and a variation in a batch has eighty fields, with plugins a few
// times that. WordPress' index is asked for two of its members; an old one answers with every route
// there is.
func (r request) limits() jsonlimit.Limits {
	l := jsonlimit.Limits{Bytes: 2 << 20, Elements: 10_000, Depth: 64}
	switch r.kind {
	case kindList:
		l.Bytes, l.Elements = 8<<20, 50_000
	case kindBatch:
		l.Bytes, l.Elements = 4<<20, 1_000+500*max(r.ops, 1)
	case kindIndex:
		l.Bytes, l.Elements = 8<<20, 100_000
	}
	return l
}

// apiPath is where the API is below the shop's address.
const apiPath = "/wp-json/wc/v3"

// A client makes the requests of one shop.
type client struct {
	base   string // the shop's address, without a slash at its end
	key    string
	secret string
	http   *http.Client
	redact *strings.Replacer
	limit  *limiter
}

// newClient is a client for the shop at an address, in the form that shopAddress gives it.
func newClient(base, key, secret string, with *http.Client) *client {
	return &client{base: base, key: key, secret: secret, http: with, redact: redactor(key, secret), limit: newLimiter()}
}

// A request is one call of the API.
type request struct {
	method string
	path   string // below the API's root
	query  url.Values
	body   any // nil: none
	kind   string
	ops    int // operations in it, for a batch
}

// An answer is an answer that was read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call makes a request of the API and reads what it answers into out. Its error is the context's,
// or a shopadapter.Error; a *refusal is in the chain of the latter where the shop answered with a
// fault.
func (c *client) call(ctx context.Context, r request, out any) (http.Header, error) {
	got, err := c.send(ctx, r, c.base+apiPath+r.path, true)
	if err != nil {
		return nil, err
	}
	if got.status/100 != 2 {
		e := c.classify(r, got)
		if walled(r, got) && c.writable(ctx) {
			// The firewall takes offence at what stands in the request. The shop as a whole is
			// well.
			e.ShopWide = false
			e.Message = fmt.Sprintf(
				"a firewall before the shop takes offence at this product's text (HTTP %d): have it let %s through",
				got.status,
				apiPath,
			)
		}
		return nil, e
	}
	if err := jsonlimit.Unmarshal(trimmed(got.body), r.limits(), out); err != nil {
		g := c.unreadable(got)
		return nil, &shopadapter.Error{Message: g.Error(), Err: g}
	}
	return got.header, nil
}

// walled tells whether a firewall rather than the shop answered to a write.
func walled(r request, got *answer) bool {
	return r.body != nil && r.path != emptyBatch.path && quote.IsPage(got.body) &&
		(got.status == http.StatusForbidden || got.status == http.StatusNotAcceptable)
}

// emptyBatch needs the permission to write and changes nothing.
var emptyBatch = request{method: http.MethodPost, path: "/products/batch", body: struct{}{}, kind: kindRead}

// writable tells whether the shop takes a write at all.
func (c *client) writable(ctx context.Context) bool {
	var nothing json.RawMessage
	_, err := c.call(ctx, emptyBatch, &nothing)
	return err == nil
}

// send makes one request, with credentials or without, and reads the answer.
func (c *client) send(ctx context.Context, r request, address string, known bool) (*answer, error) {
	var content []byte
	if r.body != nil {
		var err error
		if content, err = json.Marshal(r.body); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
	}
	turn, err := c.limit.acquire(ctx, r.kind, r.ops)
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
		return nil, c.silence(err)
	}
	turn.done(strain(got.status))
	return got, nil
}

func (c *client) roundTrip(
	ctx context.Context,
	r request,
	address string,
	content []byte,
	known bool,
) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	target, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read address: %w", err)
	}
	query, basic := r.query, known
	if known && target.Scheme == "http" {
		query, basic = signed(r.method, address, r.query, c.key, c.secret, time.Now()), false
	}
	target.RawQuery = query.Encode()
	var body io.Reader
	if content != nil {
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if basic {
		req.SetBasicAuth(c.key, c.secret)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := jsonlimit.Read(resp.Body, r.limits())
	if err != nil {
		return nil, err
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: data}, nil
}

// silence is the error of a request that got no whole answer.
func (c *client) silence(err error) error {
	cause := err
	var u *url.Error
	if errors.As(err, &u) {
		cause = u.Err // what is around it repeats the address, and over http that holds the key
	}
	message := "no answer from the shop: " + c.clean(cause.Error())
	var excess *jsonlimit.Error
	if errors.As(err, &excess) {
		message = "the shop answers more than was asked for: " + excess.Error()
	}
	if notSent(err) {
		return &shopadapter.Error{Message: message, Err: errNotSent}
	}
	return &shopadapter.Error{Message: message, Err: errNoAnswer}
}

var (
	errNotSent  = errors.New("the shop was not reached")
	errNoAnswer = errors.New("the shop did not answer")
)

// notSent tells a request that cannot have arrived: no connection was made.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// inDoubt tells whether a request that ended in err may have been carried out, or may still be.
func inDoubt(err error) bool {
	if err == nil || errors.Is(err, errNotSent) {
		return false
	}
	r := refused(err)
	return r == nil || r.status >= http.StatusInternalServerError
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

func productPath(id int64) string { return "/products/" + strconv.FormatInt(id, 10) }
