package laws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
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

// requests counts those of a part of the check, and names those whose method says that they write.
func (b *bench) requests(part func()) (made int, writes []string) {
	var mu sync.Mutex
	lift := b.wire.arm(every, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		mu.Lock()
		made++
		// a POST may be a query
		if slices.Contains([]string{http.MethodPut, http.MethodPatch, http.MethodDelete}, req.Method) {
			writes = append(writes, req.Method+" "+req.URL.Path)
		}
		mu.Unlock()
		return next.RoundTrip(req)
	})
	defer lift()
	part()
	return made, writes
}

var errCut = errors.New("the connection was cut by the conformance suite")

// unsent loses the request before the shop has seen it.
func unsent(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
	discard(req.Body)
	return nil, errCut
}

// unanswered loses the answer after the shop has acted.
func unanswered(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	discard(resp.Body)
	return nil, errCut
}

// garbled lets the shop act and answers with a page of HTML, as a proxy in front of a shop under
// maintenance does.
func garbled(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	if _, err := unanswered(req, next); !errors.Is(err, errCut) {
		return nil, err
	}
	page := "<!doctype html><title>Back soon</title><p>We are updating our shop."
	return answer(http.StatusOK, "text/html", page, nil)(req, nil)
}

// halved lets the shop act and cuts the body of the answer in its middle.
func halved(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
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
		discard(req.Body)
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
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		discard(req.Body)
	}
	t.carry = func() {
		late := req.Clone(context.WithoutCancel(req.Context()))
		late.Body = io.NopCloser(bytes.NewReader(body))
		if resp, err := next.RoundTrip(late); err == nil {
			_ = resp.Body.Close() //nolint:errcheck // nobody waits for it
		}
	}
	return nil, errCut
}

// arrive carries the request out, once.
func (t *tardy) arrive() {
	if t.carry != nil {
		t.carry()
		t.carry = nil
	}
}

func discard(body io.ReadCloser) {
	if body != nil {
		_, _ = io.Copy(io.Discard, body)
		_ = body.Close()
	}
}
