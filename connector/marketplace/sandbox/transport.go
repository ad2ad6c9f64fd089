package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
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
	rec := &recorder{header: make(http.Header)}
	cut := rec.serve(d.handler, in)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if cut != nil && !rec.flushed {
		return nil, cut
	}
	rec.WriteHeader(http.StatusOK)
	resp := &http.Response{
		Status:     fmt.Sprintf("%d %s", rec.status, http.StatusText(rec.status)),
		StatusCode: rec.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: rec.sent, ContentLength: int64(rec.body.Len()), Body: io.NopCloser(&rec.body), Request: req,
	}
	if cut != nil {
		resp.ContentLength, resp.Body = -1, io.NopCloser(io.MultiReader(&rec.body, broken{cut}))
	}
	return resp, nil
}

// broken is a body that ends with an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// A recorder is the ResponseWriter of a handler that is called directly.
type recorder struct {
	header, sent http.Header
	status       int
	flushed      bool // something reached the client before the connection ended
	body         bytes.Buffer
}

// serve calls the handler, and turns http.ErrAbortHandler into an error.
func (r *recorder) serve(h http.Handler, req *http.Request) (cut error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == http.ErrAbortHandler: //nolint:errorlint // a panic's value is compared, as net/http does
			cut = fmt.Errorf("connection cut: %w", io.ErrUnexpectedEOF)
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(r, req)
	return nil
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status, r.sent = status, r.header.Clone()
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

func (r *recorder) Flush() { r.flushed = true }
