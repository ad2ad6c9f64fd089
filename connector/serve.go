package connector

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

// servers is the listeners being served.
type servers struct {
	all  []served
	done sync.WaitGroup
}

type served struct {
	*http.Server
	crowd *crowd
}

// The connections that a listener has at a time, unless the process may open too few files for them: the store and the shop need some too.
const (
	webhookConnections = 1024
	adminConnections   = 128
)

// serve serves the open sockets. The limits are for a public address: whoever sends slowly, much or nothing is dropped.
func (c *Connector) serve(l Listeners) *servers {
	s := &servers{}
	if l.Webhook != nil {
		s.add(c.log, l.Webhook, c.WebhookHandler(), 5*time.Second, min(webhookConnections, mayOpen()/2))
	}
	if l.Admin != nil {
		s.add(c.log, l.Admin, c.AdminHandler(isLoopback(l.Admin.Addr())), 30*time.Second, min(adminConnections, mayOpen()/8))
	}
	return s
}

func (s *servers) add(log *slog.Logger, l net.Listener, h http.Handler, limit time.Duration, most int) {
	crowd := newCrowd(most)
	server := &http.Server{
		Handler: crowd.dense(h), ReadHeaderTimeout: limit, ReadTimeout: limit, WriteTimeout: 2 * limit, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ConnContext: crowd.enter, ConnState: crowd.moved,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.all = append(s.all, served{server, crowd})
	s.done.Go(func() {
		if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener failed", "address", l.Addr().String(), "error", err)
		}
	})
}

// A second is enough to send what a connection was opened for.
const secondToSend = time.Second

// shutdown stops accepting, lets the requests under way end within the span, and then cuts them off. Connections on which nobody known asks for anything
// are cut off sooner: whoever holds on to one does not hold up the stop.
func (s *servers) shutdown(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, server := range s.all {
		s.done.Go(func() {
			hurry := time.AfterFunc(min(within, secondToSend), server.crowd.disperse)
			defer hurry.Stop()
			if server.Shutdown(ctx) != nil {
				_ = server.Close() //nolint:errcheck // it is being thrown away
			}
		})
	}
	s.done.Wait()
}

func isLoopback(addr net.Addr) bool {
	ap, err := netip.ParseAddrPort(addr.String())
	return err == nil && ap.Addr().Unmap().IsLoopback()
}
