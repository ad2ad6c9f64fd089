package sandbox

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
)

// Transport is the marketplace without sockets: it answers any host, in the goroutine of the
// caller, so that it works with the clock of testing/synctest. A request whose context ends
// meanwhile fails with the context's error, like one on a socket; it may have been executed. A
// connection that a fault cuts is an error that wraps io.ErrUnexpectedEOF.
func (m *Marketplace) Transport() http.RoundTripper { return Transport(m.Handler()) }

// Transport makes a RoundTripper of any handler, such as a webhook receiver's, as the method of the
// same name does.
func Transport(h http.Handler) http.RoundTripper { return direct{h} }

type direct struct{ handler http.Handler }

// RoundTrip calls the handler.
func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := req.Clone(ctx) // a handler may write to its request, a RoundTripper must not
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close() //nolint:errcheck // it was read
	in.RequestURI, in.RemoteAddr = req.URL.RequestURI(), "127.0.0.1:1"
	if in.Host == "" {
		in.Host = req.URL.Host
	}
	answer := httptest.NewRecorder()
	cut := serve(d.handler, answer, in)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if cut != nil && !answer.Flushed {
		return nil, cut
	}
	resp := answer.Result()
	if resp.Request = req; cut != nil {
		resp.ContentLength, resp.Body = -1, io.NopCloser(io.MultiReader(resp.Body, broken{cut}))
	}
	return resp, nil
}

// broken is a body that ends with an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// serve calls a handler, and turns http.ErrAbortHandler into an error.
func serve(h http.Handler, w http.ResponseWriter, req *http.Request) (cut error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == http.ErrAbortHandler: //nolint:errorlint // a panic's value is compared, as net/http does
			cut = fmt.Errorf("connection cut: %w", io.ErrUnexpectedEOF)
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(w, req)
	return nil
}
