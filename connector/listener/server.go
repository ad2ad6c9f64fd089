// Package listener serves the sockets of a worker and accepts the marketplace's webhooks.
//
// Anybody may reach the public socket. A request has 2 s for its header and 5 s in all. A body takes up
// to 16 KiB of memory; 16 signed and 16 unsigned ones may be larger, and the oldest unfinished one gives
// way to the next. A body is authenticated before it is parsed. A webhook is acknowledged once what it
// points at is durable.
package listener

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// Servers serves several sockets and stops them together.
type Servers struct {
	all  []*http.Server
	done sync.WaitGroup
}

// Public serves the socket that the marketplace, and anybody, can reach.
func (s *Servers) Public(log *slog.Logger, l net.Listener, h http.Handler) {
	s.add(log, l, h, 2, 10*time.Second)
}

// Admin serves the socket of the people who run the worker.
func (s *Servers) Admin(log *slog.Logger, l net.Listener, h http.Handler) {
	s.add(log, l, h, 8, time.Minute)
}

// add serves a socket with a part of the files that the process may open, so that store and shop keep
// theirs. Further connections wait in the system's queue.
func (s *Servers) add(log *slog.Logger, l net.Listener, h http.Handler, part int, answer time.Duration) {
	srv := &http.Server{
		Handler: h, MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: 2 * time.Second, ReadTimeout: 5 * time.Second,
		WriteTimeout: answer, IdleTimeout: 30 * time.Second,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.all = append(s.all, srv)
	s.done.Go(func() {
		err := srv.Serve(netutil.LimitListener(l, min(2048, mayOpen())/part))
		if !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener failed", "address", l.Addr().String(), "error", err)
		}
	})
}

// Shutdown stops accepting, lets the requests under way end within the span, and then cuts them off.
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
