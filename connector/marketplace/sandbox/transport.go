package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// errCut is what a client sees of a connection that ended too early.
var errCut = fmt.Errorf("connection cut: %w", io.ErrUnexpectedEOF)

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
	body := req.Body
	if body == nil {
		body = http.NoBody
	}
	defer body.Close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := req.Clone(ctx) // a handler may write to its request, a RoundTripper must not
	in.Body = body
	in.RequestURI = req.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:1"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Host == "" {
		in.Host = req.URL.Host
	}
	rec := &recorder{header: make(http.Header)}
	err := rec.serve(d.handler, in)
	if ctxErr := context.Cause(ctx); ctxErr != nil {
		return nil, ctxErr
	}
	if err != nil && !rec.flushed {
		return nil, err
	}
	rec.WriteHeader(http.StatusOK)
	resp := &http.Response{
		Status:     strconv.Itoa(rec.status) + " " + http.StatusText(rec.status),
		StatusCode: rec.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        rec.sent,
		ContentLength: int64(rec.body.Len()),
		Request:       req,
		Body:          io.NopCloser(&rec.body),
	}
	if err != nil {
		resp.ContentLength = -1
		resp.Body = io.NopCloser(io.MultiReader(&rec.body, broken{err}))
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
	flushed      bool
	body         bytes.Buffer
}

// serve calls the handler, and turns http.ErrAbortHandler into an error.
func (r *recorder) serve(h http.Handler, req *http.Request) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == http.ErrAbortHandler: //nolint:errorlint // a panic's value is compared, as net/http does
			err = errCut
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

// Flush records that something reached the client before the connection ended.
func (r *recorder) Flush() {
	r.WriteHeader(http.StatusOK)
	r.flushed = true
}
