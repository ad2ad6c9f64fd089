package setup

import (
	"context"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/pubsync/pubsync/connector/breaker"
)

const (
	readyEvery = 100 * time.Millisecond
	aliveEvery = 10 * time.Second // where systemd watches without saying how often
)

// notify tells systemd when the worker is ready to store webhooks, that it is alive, and when it stops. Where
// systemd does not listen (NOTIFY_SOCKET) it does nothing. A disk that is full is no reason to restart: only
// a store that does not answer is, for which alive does not return.
func notify(ctx context.Context, log *slog.Logger, ready func(context.Context) error, alive func(context.Context)) {
	tell := func(message string) bool {
		listens, err := daemon.SdNotify(false, message)
		if err != nil {
			log.Warn("systemd cannot be told", "message", message, "error", err)
		}
		return listens
	}
	if !tell("STATUS=starting") {
		return
	}
	for ready(ctx) != nil && ctx.Err() == nil {
		breaker.Sleep(ctx, readyEvery)
	}
	if ctx.Err() == nil {
		tell(daemon.SdNotifyReady + "\nSTATUS=webhooks are accepted, sweeps are made")
	}
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("systemd's watchdog is not understood", "error", err)
	}
	every := aliveEvery
	if limit > 0 {
		every = limit / 3
	}
	for ctx.Err() == nil {
		alive(ctx)
		tell(daemon.SdNotifyWatchdog)
		breaker.Sleep(ctx, every)
	}
	tell(daemon.SdNotifyStopping)
}
