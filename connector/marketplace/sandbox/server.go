package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// A Server is a marketplace on a port.
type Server struct {
	*Marketplace
	URL string // the base address, without a trailing slash

	http *httptest.Server
}

// Start serves a new marketplace on a free port of the loopback interface. It panics where none is
// free. Close the server when done.
func Start(opts Options) *Server {
	return Serve(New(opts), httptest.NewUnstartedServer(nil).Listener)
}

// Serve serves a marketplace on a listener, which becomes the server's.
func Serve(m *Marketplace, listener net.Listener) *Server {
	s := &Server{Marketplace: m, http: &httptest.Server{
		Listener: listener, Config: &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second},
	}}
	s.http.Start()
	s.URL = s.http.URL
	if a, is := listener.Addr().(*net.TCPAddr); is && a.IP.IsUnspecified() { // then this machine reaches it by any
		s.URL = fmt.Sprintf("http://127.0.0.1:%d", a.Port)
	}
	return s
}

// Close ends slow answers and deliveries, cuts every connection, and returns when no goroutine of
// the server is left.
func (s *Server) Close() {
	s.Marketplace.Close()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Transport is the marketplace without sockets: it answers any host, in the goroutine of the
// caller, so that it works with the clock of testing/synctest. A request whose context ends
// meanwhile fails, like one on a socket; it may have been executed. A connection that a fault cuts
// is an error that wraps io.ErrUnexpectedEOF.
func (m *Marketplace) Transport() http.RoundTripper { return Transport(m.Handler()) }

// Transport makes a RoundTripper of any handler, such as a webhook receiver's.
func Transport(h http.Handler) http.RoundTripper { return direct{h} }

type direct struct{ handler http.Handler }

// RoundTrip calls the handler.
func (d direct) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx, in := req.Context(), req.Clone(req.Context()) // a handler may write to its request, a RoundTripper must not
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close() //nolint:errcheck // it was read
	in.RequestURI, in.RemoteAddr, in.Host = req.URL.RequestURI(), "127.0.0.1:1", cmp.Or(in.Host, req.URL.Host)
	defer func() {
		switch p := recover(); {
		case p != nil && p != http.ErrAbortHandler: //nolint:errorlint // a panic's value is compared, as net/http does
			panic(p)
		case ctx.Err() != nil:
			resp, err = nil, context.Cause(ctx)
		case p != nil:
			resp, err = nil, fmt.Errorf("connection cut: %w", io.ErrUnexpectedEOF)
		}
	}()
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, in)
	resp = answer.Result()
	resp.Request = req
	return resp, nil
}
