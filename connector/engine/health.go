package engine

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

// A Health records a worker's condition.
type Health struct {
	onStoreBack func(context.Context)
	onPanic     func()

	log    *slog.Logger
	redact func(string) string
	store  store.Store

	mu    sync.Mutex
	last  desk.LastError
	cause error // why the store cannot be written
	since time.Time

	mended  time.Time // when the store last recovered
	again   time.Time // when a store in trouble is tried
	started time.Time
	fatal   chan error
}

func newHealth(log *slog.Logger, redact func(string) string, s store.Store) *Health {
	now := time.Now()
	return &Health{
		log: log, redact: redact, store: s, started: now, fatal: make(chan error, 1),
		onStoreBack: func(context.Context) {}, onPanic: func() {},
	}
}

// end ends the worker. Only the first error counts.
func (h *Health) end(err error) {
	select {
	case h.fatal <- err:
	default:
	}
}

// Failed records the last error, which stands until a sweep ends well.
func (h *Health) Failed(message string) {
	h.setLastError(desk.LastError{Message: message, At: time.Now()})
}

func (h *Health) setLastError(e desk.LastError) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = e
}

func (h *Health) lastError() desk.LastError {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// A shopError is met outside of the work on one publication.
type shopError struct {
	op  string
	err error
}

func (e *shopError) Error() string { return e.op + ": " + e.err.Error() }
func (e *shopError) Unwrap() error { return e.err }

// maxMessage bounds an adapter's error or a panic, in characters.
const maxMessage = 400

// Recovered logs, counts and records a panic, and returns its message.
func (h *Health) Recovered(p any, facts ...any) string {
	message := "internal error: " + h.line(fmt.Sprint(p))
	h.log.Error("panic", append(facts, "panic", message, "stack", string(debug.Stack()))...)
	h.onPanic()
	h.Failed(message)
	return message
}

// recovers is deferred by what asks the marketplace. It turns a panic into an error.
func (h *Health) recovers(err *error, op string, facts ...any) {
	if p := recover(); p != nil {
		*err = &marketplace.Error{Op: op, Message: h.Recovered(p, facts...)}
	}
}

// guard calls an adapter. It turns a panic into a transient error, and bounds and redacts errors.
func (h *Health) guard(call func() error, facts ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = shopadapter.Retry("%s", h.Recovered(p, facts...))
		}
	}()
	err = call()
	if e := shopadapter.Explain(err); e != nil && (len(e.Error()) > maxMessage || h.redact(e.Error()) != e.Error()) {
		bounded := *e
		bounded.Message, bounded.Err = h.line(e.Error()), err
		return &bounded
	}
	return err
}

// line cuts a text to maxMessage characters on one line, without secrets.
func (h *Health) line(text string) string {
	const most = 64 << 10 // bytes that are read
	return wire.Line(text[:min(len(text), most)], maxMessage, h.redact)
}

// Stored records how a store call ended. A damaged or missing file ends the worker; a full disk may get room. A store
// that accepts a try and refuses the next write is in the same trouble, and is tried more and more seldom.
func (h *Health) Stored(err error) {
	if err == nil || store.Stopped(err) {
		return
	}
	h.Failed(err.Error())
	h.mu.Lock()
	news := h.cause == nil
	if h.cause = err; news {
		now := time.Now()
		if now.Sub(h.mended) >= time.Minute { // else it is the same trouble
			h.since = now
		}
		h.again = now.Add(min(max(time.Second, now.Sub(h.since)/2), time.Minute))
	}
	h.mu.Unlock()
	switch {
	case store.Hopeless(err):
		h.end(err)
	case news:
		h.log.Error("store cannot be written, trying on", "error", err)
	}
}

// storeWorks reports whether the store can be written, and tries it after trouble.
func (h *Health) storeWorks(ctx context.Context) bool {
	h.mu.Lock()
	works, early := h.cause == nil, time.Now().Before(h.again)
	h.mu.Unlock()
	if works {
		return true
	}
	if early || store.HasRoom(ctx, h.store) != nil {
		return false
	}
	h.mu.Lock()
	was := h.cause != nil
	h.cause, h.mended = nil, time.Now()
	h.mu.Unlock()
	if was {
		h.log.Info("store can be written again")
		h.onStoreBack(ctx)
	}
	return true
}

func (h *Health) storeTrouble() (since time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.cause
}
