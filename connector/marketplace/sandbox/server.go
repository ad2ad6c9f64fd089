package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
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
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("sandbox: Start: %v", err))
	}
	return Serve(New(opts), listener)
}

// Serve serves a marketplace on a listener, which becomes the server's. Where the marketplace has
// no BaseURL it becomes the listener's address.
func Serve(m *Marketplace, listener net.Listener) *Server {
	m.mu.Lock()
	if m.baseURL == "" {
		m.baseURL = "http://" + reachable(listener.Addr())
	}
	s := &Server{Marketplace: m, URL: m.baseURL}
	m.mu.Unlock()
	server := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second}
	s.http = &httptest.Server{Listener: listener, Config: server}
	s.http.Start()
	return s
}

// Close ends slow answers and deliveries, cuts every connection, and returns when no goroutine of
// the server is left.
func (s *Server) Close() {
	s.Marketplace.Close()
	s.http.CloseClientConnections()
	s.http.Close()
}

// reachable is the address at which this machine reaches a listener: the loopback one where it
// listens at every address.
func reachable(addr net.Addr) string {
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil || !ap.Addr().IsUnspecified() {
		return addr.String()
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), ap.Port()).String()
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
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p != http.ErrAbortHandler: //nolint:errorlint // a panic's value is compared, as net/http does
			panic(p)
		case ctx.Err() != nil:
			resp, err = nil, context.Cause(ctx)
		default:
			resp, err = nil, fmt.Errorf("connection cut: %w", io.ErrUnexpectedEOF)
		}
	}()
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, in)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	resp = answer.Result()
	resp.Request = req
	return resp, nil
}
