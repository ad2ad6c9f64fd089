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
)

// The limits of open connections. They are lower where the process may open few files, since the
// store and the shop need some too.
const (
	publicConnections = 1024
	adminConnections  = 128
)

// Servers serves several sockets and stops them together. The zero value serves none yet.
type Servers struct {
	all  []server
	done sync.WaitGroup
}

type server struct {
	*http.Server
	limiter *connLimiter
}

// Public serves the socket that the marketplace, and anybody, can reach.
func (s *Servers) Public(log *slog.Logger, l net.Listener, h http.Handler) {
	s.add(log, l, h, 5*time.Second, newConnLimiter(min(publicConnections, mayOpen()/2)))
}

// Admin serves the socket of the people who run the worker. A quarter of its connections is never
// kept, so that a health check finds room beside callers that wait for a sweep.
func (s *Servers) Admin(log *slog.Logger, l net.Listener, h http.Handler) {
	limiter := newConnLimiter(min(adminConnections, mayOpen()/8))
	limiter.kept = limiter.most - max(limiter.most/4, 1)
	s.add(log, l, h, 30*time.Second, limiter)
}

// add serves a socket on which a request must arrive within a limit, and be answered within twice
// the limit.
func (s *Servers) add(log *slog.Logger, l net.Listener, h http.Handler, limit time.Duration, limiter *connLimiter) {
	srv := &http.Server{
		Handler: limiter.closeWhenBusy(h), MaxHeaderBytes: 32 << 10,
		ReadTimeout: limit, WriteTimeout: 2 * limit, IdleTimeout: 2 * time.Minute,
		ConnContext: limiter.admit, ConnState: limiter.changed,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.all = append(s.all, server{srv, limiter})
	s.done.Go(func() {
		if err := srv.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener failed", "address", l.Addr().String(), "error", err)
		}
	})
}

// Shutdown stops accepting, lets the requests under way end within the span, and then cuts them
// off. Connections whose sender is not authenticated are cut off after a second.
func (s *Servers) Shutdown(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, srv := range s.all {
		s.done.Go(func() {
			hurry := time.AfterFunc(min(within, quiet), srv.limiter.dropEvictable)
			defer hurry.Stop()
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
