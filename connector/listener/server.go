package listener

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// The limits of open connections. They are lower where the process may open few files, since the
// store and the shop need some too.
const (
	publicConnections = 1024
	adminConnections  = 128
)

const (
	arrival = 5 * time.Second  // of a whole request, since its connection or its first byte
	idle    = 30 * time.Second // between two requests of a connection
)

// Servers serves several sockets and stops them together. The zero value serves none yet.
type Servers struct {
	all  []*http.Server
	done sync.WaitGroup
}

// Public serves the socket that the marketplace, and anybody, can reach.
func (s *Servers) Public(log *slog.Logger, l net.Listener, h http.Handler) {
	s.add(log, l, h, min(publicConnections, mayOpen()/2), 10*time.Second)
}

// Admin serves the socket of the people who run the worker.
func (s *Servers) Admin(log *slog.Logger, l net.Listener, h http.Handler) {
	s.add(log, l, h, min(adminConnections, mayOpen()/8), time.Minute)
}

// add serves a socket with so many open connections: further ones wait in the system's queue. A
// request must arrive within arrival, and be answered within a limit.
func (s *Servers) add(log *slog.Logger, l net.Listener, h http.Handler, most int, answer time.Duration) {
	srv := &http.Server{
		Handler: h, MaxHeaderBytes: 32 << 10,
		ReadTimeout: arrival, WriteTimeout: answer, IdleTimeout: idle,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.all = append(s.all, srv)
	s.done.Go(func() {
		if err := srv.Serve(netutil.LimitListener(l, most)); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener failed", "address", l.Addr().String(), "error", err)
		}
	})
}

// Shutdown stops accepting, lets the requests under way end within the span, and then cuts them
// off.
func (s *Servers) Shutdown(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, srv := range s.all {
		s.done.Go(func() {
			if srv.Shutdown(ctx) != nil {
				_ = srv.Close() //nolint:errcheck // it is being thrown away
			}
		})
	}
	s.done.Wait()
}

// IsLoopback reports whether an address is this machine's own.
func IsLoopback(addr net.Addr) bool {
	ap, err := netip.ParseAddrPort(addr.String())
	return err == nil && ap.Addr().Unmap().IsLoopback()
}
