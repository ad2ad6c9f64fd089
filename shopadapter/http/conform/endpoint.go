package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// An Endpoint is what is held to the laws.
type Endpoint struct {
	URL    string              // the base address, PUBSYNC_HTTP_URL
	Token  string              // PUBSYNC_HTTP_TOKEN; "" for none
	Client *http.Client        // makes every request; redirects are not followed
	Redact func(string) string // takes secrets out of what is shown; nil: shown as it is

	// DeleteByHand deletes a listing in the shop as the merchant would, not by the protocol.
	// listing is the id that PUT answered. nil: nobody knows how.
	DeleteByHand func(ctx context.Context, listing string, id shopadapter.PublicationID) error
}

// An Exchange is one request and what came back, as it is shown to a person.
type Exchange struct {
	Request string `json:"request"`          // method and path
	Body    string `json:"body,omitempty"`   // of the request, cut to a readable length
	Status  int    `json:"status,omitempty"` // 0: no answer
	Answer  string `json:"answer,omitempty"` // its body, cut; or why there is none
}

const (
	maxAnswer = 1 << 20 // bytes read of an answer
	maxShown  = 400     // characters shown of a body
)

// A reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ok reports whether a PUT was accepted.
func (r reply) ok() bool { return r.status == http.StatusOK || r.status == http.StatusCreated }

// A caller makes the requests of one law and remembers them.
type caller struct {
	Endpoint
	mu   sync.Mutex
	said []Exchange
}

// A request is one call of the endpoint.
type request struct {
	method string
	path   string // below the base address, with its query
	body   []byte
	token  *string // in place of the endpoint's own; "" for none
	header http.Header
}

// do makes a request. An error means that no whole answer came.
func (c *caller) do(ctx context.Context, q request) (reply, error) {
	var body io.Reader
	if q.body != nil {
		body = bytes.NewReader(q.body)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, strings.TrimRight(c.URL, "/")+q.path, body)
	if err != nil {
		return reply{}, fmt.Errorf("make request: %w", err)
	}
	for name, values := range q.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	token := c.Token
	if q.token != nil {
		token = *q.token
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := *c.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	seen := Exchange{Request: q.method + " " + q.path, Body: c.show(q.body)}
	res, err := client.Do(req)
	var r reply
	if err == nil {
		defer res.Body.Close() //nolint:errcheck // only read
		r = reply{status: res.StatusCode, header: res.Header}
		r.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	}
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		seen.Answer = c.show([]byte("no answer: " + err.Error()))
		c.note(seen)
		return reply{}, fmt.Errorf("%s: no answer: %w", seen.Request, err)
	}
	seen.Status, seen.Answer = r.status, c.show(r.body)
	c.note(seen)
	return r, nil
}

func (c *caller) note(e Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, e)
}

// show is a body as a person reads it: on one line, cut, without secrets.
func (c *caller) show(body []byte) string {
	redact := c.Redact
	if redact == nil {
		redact = func(s string) string { return s }
	}
	return quote.Line(string(body), maxShown, redact)
}

// put publishes a product, whose every group is said to have changed.
func (c *caller) put(ctx context.Context, p shopadapter.Product) (reply, error) {
	return c.putChanged(ctx, p, shopadapter.AllFields, nil)
}

func (c *caller) putChanged(
	ctx context.Context,
	p shopadapter.Product,
	changed shopadapter.Fields,
	header http.Header,
) (reply, error) {
	body, err := httpshop.Encode(p, changed)
	if err != nil {
		return reply{}, fmt.Errorf("encode product: %w", err)
	}
	return c.do(ctx, request{method: http.MethodPut, path: httpshop.Path(p.ID), body: body, header: header})
}

// remove deletes a product or takes it out of sale.
func (c *caller) remove(ctx context.Context, id shopadapter.PublicationID, how shopadapter.Removal) (reply, error) {
	return c.do(ctx, request{method: http.MethodDelete, path: httpshop.Path(id) + "?mode=" + how.String()})
}

// published puts a product and reads the listing that the endpoint answers with.
func (c *caller) published(ctx context.Context, p shopadapter.Product) (httpshop.Answer, error) {
	r, err := c.put(ctx, p)
	if err != nil {
		return httpshop.Answer{}, err
	}
	return readListing(r)
}

func readListing(r reply) (httpshop.Answer, error) {
	var l httpshop.Answer
	if !r.ok() {
		return l, fmt.Errorf("a good product was answered with %d, 200 or 201 is wanted", r.status)
	}
	if err := json.Unmarshal(r.body, &l); err != nil {
		return l, fmt.Errorf(
			"the answer is not the JSON of a listing, with \"id\", \"url\", \"variants\" and \"refused\" where it "+
				"has them: %w",
			err,
		)
	}
	if l.ID == "" {
		return l, errors.New(`the answer has no "id"`)
	}
	return l, nil
}
