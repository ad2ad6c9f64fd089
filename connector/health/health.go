// Package health holds what the loops of a worker record of its condition: the last error, the
// trouble with the store, when something last went well, and panics. Each loop gets the one Health
// of its worker, status and the single run read it.
package health

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A Health is how one worker is doing. Its methods may be called from any goroutine.
type Health struct {
	log    *slog.Logger
	redact func(string) string
	store  store.Store
	back   func(context.Context) // called once the store can be written again
	panics func()                // called for each panic

	mu     sync.Mutex
	last   Error
	cause  error         // why the store cannot be written
	since  time.Time     // of that trouble
	mended time.Time     // when the store could last be written again
	wait   time.Duration // before it is tried again
	again  time.Time     // when that is

	started  time.Time
	progress atomic.Int64
	fatal    chan error
}

// New is the health of a worker whose store is s. Redact takes secrets out of a text.
func New(log *slog.Logger, redact func(string) string, s store.Store) *Health {
	return &Health{log: log, redact: redact, store: s, started: time.Now(), fatal: make(chan error, 1)}
}

func (h *Health) Started() time.Time { return h.started }

// OnStoreBack has f called each time the store can be written again. To be called before the first
// loop starts.
func (h *Health) OnStoreBack(f func(context.Context)) { h.back = f }

// OnPanic has f called for each panic. To be called before the first loop starts.
func (h *Health) OnPanic(f func()) { h.panics = f }

// Progressed records that something went well.
func (h *Health) Progressed(now time.Time) { h.progress.Store(now.UnixNano()) }

// Progress is when something last went well.
func (h *Health) Progress() time.Time { return time.Unix(0, h.progress.Load()) }

// End ends the worker with an error that no time mends. Only the first one counts.
func (h *Health) End(err error) {
	select {
	case h.fatal <- err:
	default:
	}
}

func (h *Health) Ended() <-chan error { return h.fatal }
