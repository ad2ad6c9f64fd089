package laws

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A tap is the transport between adapter and shop, with a switch for faults.
type tap struct {
	mu    sync.Mutex
	count int   // requests since arm
	at    int   // the request to hit, or every
	fault fault // nil: none
}

type fault func(req *http.Request, next http.RoundTripper) (*http.Response, error)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func (w *tap) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		w.mu.Lock()
		w.count++
		fault, here := w.fault, w.at == every || w.at == w.count
		w.mu.Unlock()
		if here && fault != nil {
			return fault(req, next)
		}
		return next.RoundTrip(req)
	})
}

const every = 0

// arm sets a fault for the at-th request from now, or for every one. lift tells whether it was met.
func (w *tap) arm(at int, f fault) (lift func() (met bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count, w.at, w.fault = 0, at, f
	return func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fault = nil
		return w.count >= max(at, 1)
	}
}

var errCut = errors.New("the connection was cut by the conformance suite")

// unsent loses the request before the shop sees it.
func unsent(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
	_, err := drain(req.Body)
	return nil, errors.Join(errCut, err)
}

func answer(status int, header, body string) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		if _, err := drain(req.Body); err != nil {
			return nil, err
		}
		head := fmt.Sprintf("HTTP/1.1 %d %s\r\n%s\r\n\r\n", status, http.StatusText(status), header)
		return http.ReadResponse(bufio.NewReader(strings.NewReader(head+body)), req)
	}
}

// acted lets the shop act, and replaces its answer.
func acted(reply func(req *http.Request, resp *http.Response, body []byte) (*http.Response, error)) fault {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := drain(resp.Body)
		if err != nil {
			return nil, err
		}
		return reply(req, resp, body)
	}
}

// Faults after the shop has acted: no answer, a proxy's page, half a body.
var (
	unanswered = acted(func(*http.Request, *http.Response, []byte) (*http.Response, error) { return nil, errCut })
	garbled    = acted(func(req *http.Request, _ *http.Response, _ []byte) (*http.Response, error) {
		page := "<!doctype html><title>Back soon</title><p>We are updating our shop."
		return answer(http.StatusOK, "Content-Type: text/html", page)(req, nil)
	})
	halved = acted(func(_ *http.Request, resp *http.Response, body []byte) (*http.Response, error) {
		half := bytes.NewReader(body[:len(body)/2])
		resp.Body = io.NopCloser(io.MultiReader(half, iotest.ErrReader(io.ErrUnexpectedEOF)))
		return resp, nil
	})
)

func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}

type cut struct {
	name    string
	restart bool // the process died: a new adapter goes on with the bare key
	fault   fault
	k       int    // the request or durable step to strike
	met     bool   // the call met the fault
	arrive  func() // carries out the late request; nil: none
}

// paused asks for a pause of seven seconds.
const paused = "is answered 429"

// cuts are the ways to strike calls. A request or its answer is lost, and the process goes on or dies; the shop
// answers otherwise; the request arrives late. Without a transport a durable step is cut.
func (b *bench) cuts(kind string) []*cut {
	if b.NoTransport {
		return []*cut{{name: "is the last of a process", fault: unsent, restart: true}}
	}
	late := &cut{name: "reaches the shop after its caller gave up"}
	late.fault = late.hold
	return map[string][]*cut{
		"lost": {
			{name: "is lost", fault: unsent},
			{name: "is lost with the process", fault: unsent, restart: true},
			{name: "has no answer", fault: unanswered},
			{name: "has no answer, and the process dies", fault: unanswered, restart: true},
		},
		"half-way": {
			{name: paused, fault: answer(429, "Content-Type: text/plain\r\nRetry-After: 7", "slow down")},
			{name: "is answered 500", fault: answer(500, "Content-Type: application/json", `{"message":"internal error"}`)},
			{name: "is answered 503, a page", fault: answer(503, "Content-Type: text/html", "<h1>503 Service Unavailable</h1>")},
			{name: "is answered with a page", fault: garbled},
			{name: "is answered with half a body", fault: halved},
		},
		"late": {late},
	}[kind]
}

func (c *cut) hold(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	body, err := drain(req.Body)
	if err != nil {
		return nil, err
	}
	c.arrive = func() {
		late := req.Clone(context.WithoutCancel(req.Context()))
		late.Body = io.NopCloser(bytes.NewReader(body))
		_, _ = unanswered(late, next) //nolint:bodyclose,errcheck // nobody waits for it
		c.arrive = nil
	}
	return nil, errCut
}

// mostRequests bounds a call; a product of a few variants needs far fewer.
const mostRequests = 200

// everyPlace runs the scenario with each request of its struck call hit, until the call ends before it is hit.
func (b *bench) everyPlace(c *cut, scenario func()) {
	before := len(b.all(""))
	for c.k, c.met = 1, true; c.met; c.k += max(b.Stride, 1) {
		b.place, c.met = fmt.Sprintf(", where request %d of the struck call %s", c.k, c.name), false
		scenario()
		// A product that was made and never stamped is ours too, and no later call finds it.
		b.that(len(b.all("")) <= before, "products without a stamp were left behind")
		b.that(c.met || c.k > 1,
			"the call met no fault at all: does every request pass the transport that Open was given?")
		b.that(c.k < mostRequests, "the call has not ended after %d requests", mostRequests)
	}
	b.place = ""
}

// strike runs a call with the fault in its way. Another error, or one that is not transient, ends the check.
func (s *subject) strike(c *cut, call func() error) error {
	lift := s.wire.arm(c.k, c.fault)
	err := call()
	met := lift()
	if c.met = c.met || met; !met {
		s.must("without a fault", err)
	} else if c.restart {
		s.restart()
		s.ref = s.bare()
	}
	if e := shopadapter.Explain(err); e != nil {
		s.that(e.Kind == shopadapter.Transient, "kind of the error: got %s, want transient: %v", e.Kind, err)
		s.that(!met || c.name != paused || e.RetryAfter == 7*time.Second && e.ShopWide,
			"the error: got shop-wide %t, to come back after %s, want true and 7s: %v", e.ShopWide, e.RetryAfter, err)
	}
	return err
}

const foreignHost = "elsewhere.example.net"

func contained(text string, secrets []string) int {
	return slices.IndexFunc(secrets, func(secret string) bool {
		return secret != "" && (strings.Contains(text, secret) || wire.Hider("", secret).Replace(text) != text)
	})
}

func sentOf(req *http.Request) string {
	body, err := drain(req.Body)
	req.Body = nil
	return fmt.Sprintf("%v %s %s %v", req.Header, req.URL, body, err)
}

// echoed answers with what was sent, in every place where APIs put an error's text.
func echoed(status int) fault {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		echo := sentOf(req)
		data, err := json.Marshal(map[string]any{
			"title": echo, "detail": echo, "message": echo, "error": echo, "code": "bad_request",
			"errors": []map[string]any{{"message": echo, "extensions": map[string]any{"code": "BAD_REQUEST"}}},
		})
		if err != nil {
			return nil, err
		}
		return answer(status, "Content-Type: application/problem+json", string(data))(req, next)
	}
}
