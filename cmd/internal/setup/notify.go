package setup

import (
	"context"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/pubsync/pubsync/connector/breaker"
)

// A supervised worker is one that systemd may watch.
type supervised struct {
	Ready func(context.Context) error // nil once webhooks can be stored
	Alive func(context.Context)       // returns while the store answers at all
	Log   *slog.Logger
}

const (
	readyEvery = 100 * time.Millisecond
	aliveEvery = 10 * time.Second // where systemd watches without saying how often
)

// notify tells systemd when the worker is ready, that it is alive, and when it stops. Where systemd
// does not listen (NOTIFY_SOCKET) it does nothing. A disk that is full is no reason to restart: only
// a store that does not answer is.
func (s supervised) notify(ctx context.Context) {
	if !s.tell("STATUS=starting") {
		return
	}
	for s.Ready(ctx) != nil && ctx.Err() == nil {
		breaker.Sleep(ctx, readyEvery)
	}
	if ctx.Err() == nil {
		s.tell(daemon.SdNotifyReady + "\nSTATUS=webhooks are accepted, sweeps are made")
	}
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		s.Log.Warn("systemd's watchdog is not understood", "error", err)
	}
	every := aliveEvery
	if limit > 0 {
		every = limit / 3
	}
	for ctx.Err() == nil {
		s.Alive(ctx)
		s.tell(daemon.SdNotifyWatchdog)
		breaker.Sleep(ctx, every)
	}
	s.tell(daemon.SdNotifyStopping)
}

func (s supervised) tell(message string) bool {
	listens, err := daemon.SdNotify(false, message)
	if err != nil {
		s.Log.Warn("systemd cannot be told", "message", message, "error", err)
	}
	return listens
}
