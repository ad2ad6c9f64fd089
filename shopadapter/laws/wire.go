package laws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A wire is the transport between adapter and shop, with a switch for faults. It is what every
// adapter of a bench is opened over.
type wire struct {
	mu    sync.Mutex
	at    int   // the request that the fault is for, counted down to 0: it has passed; every: each request
	fault fault // nil: none
	met   bool  // the fault was met
}

// A fault stands in for the round trip of one request.
type fault func(req *http.Request, next http.RoundTripper) (*http.Response, error)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func (w *wire) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if fault := w.next(); fault != nil {
			return fault(req, next)
		}
		return next.RoundTrip(req)
	})
}

func (w *wire) next() fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil || w.at == 0 {
		return nil
	}
	if w.at > 0 {
		w.at--
	}
	if w.at > 0 {
		return nil
	}
	w.met = true
	return w.fault
}

// every as the place of a fault means every request.
const every = -1

// arm puts a fault in the way of the at-th request from now, or of every one. lift takes it away
// and tells whether it was met.
func (w *wire) arm(at int, f fault) (lift func() (met bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.fault, w.met = at, f, false
	return func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fault = nil
		return w.met
	}
}

// requests counts those of a part of the check.
func (b *bench) requests(part func()) int {
	var made atomic.Int64
	lift := b.wire.arm(every, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		made.Add(1)
		return next.RoundTrip(req)
	})
	defer lift()
	part()
	return int(made.Load())
}

var errCut = errors.New("the connection was cut by the conformance suite")

// unsent loses the request before the shop has seen it.
func unsent(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
	_, err := drain(req.Body)
	return nil, errors.Join(errCut, err)
}

// acted lets the shop act, and reads its answer to the end.
func acted(req *http.Request, next http.RoundTripper) (resp *http.Response, body []byte, err error) {
	if resp, err = next.RoundTrip(req); err == nil {
		body, err = drain(resp.Body)
	}
	return resp, body, err
}

// unanswered loses the answer after the shop has acted.
func unanswered(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	if _, _, err := acted(req, next); err != nil {
		return nil, err
	}
	return nil, errCut
}

// garbled lets the shop act and answers with a page of HTML, as a proxy in front of a shop under
// maintenance does.
func garbled(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	if _, _, err := acted(req, next); err != nil {
		return nil, err
	}
	page := "<!doctype html><title>Back soon</title><p>We are updating our shop."
	return answer(http.StatusOK, "text/html", page, nil)(req, nil)
}

// halved lets the shop act and cuts the body of the answer in its middle.
func halved(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	resp, body, err := acted(req, next)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:len(body)/2]), cutReader{}))
	return resp, nil
}

type cutReader struct{}

func (cutReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// answer answers in the shop's place.
func answer(status int, contentType, body string, header http.Header) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		if _, err := drain(req.Body); err != nil {
			return nil, err
		}
		h := http.Header{"Content-Type": {contentType}}
		for name, values := range header {
			h[name] = values
		}
		return &http.Response{
			Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: req,
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	}
}

// A tardy request was given up by its caller before the shop has seen it. The shop carries it out
// when it arrives.
type tardy struct{ carry func() }

func (t *tardy) hold(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	body, err := drain(req.Body)
	if err != nil {
		return nil, err
	}
	t.carry = func() {
		late := req.Clone(context.WithoutCancel(req.Context()))
		late.Body = io.NopCloser(bytes.NewReader(body))
		_, _ = unanswered(late, next) //nolint:bodyclose,errcheck // nobody waits for it
	}
	return nil, errCut
}

// arrive carries the request out, once.
func (t *tardy) arrive() {
	if carry := t.carry; carry != nil {
		t.carry = nil
		carry()
	}
}

// drain reads a body to its end.
func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}

// A cut is a place at which one call of a scenario is struck by a fault.
type cut struct {
	name    string
	restart bool // the process died with the call: a new adapter with nothing but the key goes on
	arm     func(k int) (lift func() (met bool))
	k       int  // the request, or the durable step, that is struck
	met     bool // the call made enough requests to meet the fault
	late    *tardy
}

// cuts are the ways in which calls are struck: a request or its answer is lost, by a process that
// goes on or that dies; the shop answers otherwise; or the request arrives late. Without a transport
// it is the durable steps that are cut off, and always the process dies.
func (b *bench) cuts(kind string) (list []cut) {
	wired := func(name string, restart bool, f fault) {
		list = append(list, cut{name: name, restart: restart, arm: func(k int) func() bool { return b.wire.arm(k, f) }})
	}
	switch {
	case b.NoTransport:
		return []cut{{name: "interrupted-restart", restart: true, arm: b.Interrupt}}
	case kind == "lost":
		wired("request-lost", false, unsent)
		wired("request-lost-restart", true, unsent)
		wired("answer-lost", false, unanswered)
		wired("answer-lost-restart", true, unanswered)
	case kind == "half-way":
		wired(paused, false, answer(http.StatusTooManyRequests, "text/plain", "slow down", http.Header{"Retry-After": {"7"}}))
		wired("500", false, answer(http.StatusInternalServerError, "application/json", `{"message":"internal error"}`, nil))
		wired("503-html", false,
			answer(http.StatusServiceUnavailable, "text/html", "<h1>503 Service Unavailable</h1>", nil))
		wired("html", false, garbled)
		wired("half-body", false, halved)
	case kind == "late":
		late := &tardy{}
		wired("late", false, late.hold)
		list[0].late = late
	}
	return list
}

// mostRequests bounds the search for the last request of a call: far above what one product of a
// few variants can need.
const mostRequests = 200

// everyPlace runs the scenario with the first request of its struck call hit, then with the second,
// and so on. It ends when the call ends before the fault is met.
func (b *bench) everyPlace(c *cut, scenario func()) {
	before := len(b.all(""))
	for c.k = 1; ; c.k += max(b.Stride, 1) {
		b.place, c.met = fmt.Sprintf("%s-%d, ", c.name, c.k), false
		scenario()
		// A product that was made and never stamped is ours too, and no later call finds it.
		if after := len(b.all("")); after > before {
			b.fail("%d products without a stamp were left behind", after-before)
		}
		switch {
		case !c.met && c.k == 1:
			b.fail("the call met no fault at all: does every request pass the transport that Open was given?")
		case !c.met:
			b.place = ""
			return
		case c.k >= mostRequests:
			b.fail("the call has not ended after %d requests", mostRequests)
		}
	}
}

// strike runs a call with the fault in its way. An error of the call's own, which met no fault, ends
// the check, and so does one that time does not mend. After a restart the subject has the bare key.
func (s *subject) strike(c *cut, call func() error) error {
	lift := c.arm(c.k)
	err := call()
	met := lift()
	if c.met = c.met || met; !met {
		s.must("without a fault", err)
	} else if c.restart {
		s.forget()
	}
	s.passes(err)
	e := shopadapter.Explain(err)
	if met && c.name == paused && e != nil && (e.RetryAfter != 7*time.Second || !e.ShopWide) {
		s.fail("the error: got shop-wide %t, to come back after %s, want true and 7s: %w", e.ShopWide, e.RetryAfter, err)
	}
	return err
}

// paused is the name of the cut by which the shop asks for a pause of seven seconds.
const paused = "429"
