package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A Server is a marketplace on a port.
type Server struct {
	*Marketplace
	URL string // the base address, without a trailing slash

	http   *http.Server
	served sync.WaitGroup
}

// Start serves a new marketplace on a free port of the loopback interface. Where BaseURL is empty
// it becomes the server's. Start panics where no port is free. Close the server when done.
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
	s := &Server{Marketplace: m}
	m.mu.Lock()
	if m.baseURL == "" {
		m.baseURL = "http://" + reachable(listener.Addr())
	}
	s.URL = m.baseURL
	m.mu.Unlock()
	s.http = &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second, ConnState: s.watch}
	s.served.Go(func() { _ = s.http.Serve(listener) }) // ends with Close
	return s
}

// Close cuts every connection, ends deliveries, and returns when no goroutine of the server is
// left.
func (s *Server) Close() {
	_ = s.http.Close() // what cannot be closed is closed already
	s.Marketplace.Close()
	s.served.Wait()
}

// watch counts connections, whose goroutines http.Server does not wait for. The goroutine of Serve
// reports new ones, so that the count is above zero until that ends.
func (s *Server) watch(_ net.Conn, state http.ConnState) {
	switch state { //nolint:exhaustive // the others neither begin nor end one
	case http.StateNew:
		s.served.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.served.Done()
	}
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
