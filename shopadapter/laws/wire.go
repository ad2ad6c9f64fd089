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
	"time"
)

// A wire is the transport between adapter and shop, with a switch for faults. It is what every
// adapter of a bench is opened over.
type wire struct {
	mu    sync.Mutex
	at    int   // the request that the fault is for, counted down to 0: it has passed; every: each request
	fault fault // nil: none
	met   bool  // the fault was met
	tap   func()
	made  int      // requests so far
	wrote []string // those of them whose method says that they write
}

// A fault stands in for the round trip of one request.
type fault func(req *http.Request, next http.RoundTripper) (*http.Response, error)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func (w *wire) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		fault, tap := w.next()
		w.record(req)
		if tap != nil {
			tap()
			defer tap()
		}
		if fault == nil {
			return next.RoundTrip(req)
		}
		return fault(req, next)
	})
}

func (w *wire) next() (fault, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.fault == nil || w.at == 0:
		return nil, w.tap
	case w.at > 1:
		w.at--
		return nil, w.tap
	case w.at == 1:
		w.at = 0
	}
	w.met = true
	return w.fault, w.tap
}

func (w *wire) record(req *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	switch req.Method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete: // a POST may be a query
		w.wrote = append(w.wrote, req.Method+" "+req.URL.Path)
	}
}

// count returns a function that tells of the requests made since.
func (w *wire) count() (since func() (requests int, writes []string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	made, wrote := w.made, len(w.wrote)
	return func() (int, []string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.made - made, slices.Clone(w.wrote[wrote:])
	}
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

// watch calls tap before and after each request.
func (w *wire) watch(tap func()) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tap = tap
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tap = nil
	}
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
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	discard(resp.Body)
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
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(body[:len(body)/2])), cutReader{}))
	return resp, nil
}

type cutReader struct{}

func (cutReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// answer answers in the shop's place.
func answer(status int, contentType, body string, header http.Header) fault {
	return func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
		discard(req.Body)
		h := header.Clone()
		if h == nil {
			h = http.Header{}
		}
		h.Set("Content-Type", contentType)
		return &http.Response{
			Status:        fmt.Sprintf("%d %s", status, http.StatusText(status)),
			StatusCode:    status,
			Proto:         "HTTP/1.1",
			ProtoMajor:    1,
			ProtoMinor:    1,
			Header:        h,
			Body:          io.NopCloser(strings.NewReader(body)),
			ContentLength: int64(len(body)),
			Request:       req,
		}, nil
	}
}

// held keeps a request until its context ends, which cancel sees to. late is called when that does
// not happen within the patience: the adapter made the request with another context.
func held(after bool, cancel context.CancelFunc, patience time.Duration, late func()) fault {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		if after {
			resp, err := next.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			discard(resp.Body)
		} else {
			discard(req.Body)
		}
		cancel()
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-timer.C:
			late()
			return nil, errCut
		}
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
	if body == nil {
		return
	}
	_, _ = io.Copy(io.Discard, body)
	_ = body.Close()
}
