package engine

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

// A Health is what the loops record of a worker's condition: the last error, trouble with the store, panics.
type Health struct {
	onStoreBack func(context.Context) // called once the store can be written again
	onPanic     func()                // called for each panic

	log    *slog.Logger
	redact func(string) string // takes secrets out of a text
	store  store.Store

	mu     sync.Mutex
	last   desk.LastError
	cause  error         // why the store cannot be written
	since  time.Time     // of that trouble
	mended time.Time     // when the store could last be written again
	wait   time.Duration // before it is tried again
	again  time.Time     // when that is

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

// end ends the worker with an error that no time mends. Only the first one counts.
func (h *Health) end(err error) {
	select {
	case h.fatal <- err:
	default:
	}
}

// The parts that fail and are mended.
const (
	partShop        = "shop"
	partMarketplace = "marketplace"
	partStore       = "store"
	partSweep       = "sweep"
	PartWebhook     = "webhook"
)

// FailedAt records an error of a part as the last one. id is the publication that it was about, "" for every call.
func (h *Health) FailedAt(part, id, message string) {
	h.record(desk.LastError{Message: message, At: time.Now(), Part: part, Publication: id})
}

// record makes an error the last one. A panic in a call fails the call too, and stays a panic.
func (h *Health) record(e desk.LastError) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Message == "" || h.last.Part != "" || !strings.HasSuffix(e.Message, h.last.Message) {
		h.last = e
	}
}

// Mended forgets the last error where it is of that part, and of every call or of one of these publications.
func (h *Health) Mended(part string, ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Part == part && (h.last.Publication == "" || slices.Contains(ids, h.last.Publication)) {
		h.last = desk.LastError{}
	}
}

// lastError is the last error that nothing has mended.
func (h *Health) lastError() desk.LastError {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// The values of shopError.op.
const (
	listShop  = "list what the shop holds"
	checkShop = "shop"
)

// A shopError is an error of the shop that was met outside of the work on one publication.
type shopError struct {
	op  string // the call that failed
	err error
}

func (e *shopError) Error() string { return e.op + ": " + e.err.Error() }
func (e *shopError) Unwrap() error { return e.err }

// maxMessage bounds what is kept, logged and shown of an adapter's error or of a panic, in characters.
const maxMessage = 400

// Recovered logs and counts a panic, and returns what is to be recorded of it.
func (h *Health) Recovered(p any, facts ...any) string {
	message := "internal error: " + h.line(fmt.Sprint(p))
	h.log.Error("panic", append(facts, "panic", message, "stack", string(debug.Stack()))...)
	h.onPanic()
	h.record(desk.LastError{Message: message, At: time.Now()})
	return message
}

// guard makes a call of an adapter. A panic is a transient error, and no error is longer than maxMessage or shows a
// secret.
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

// line is a text of any length on one line of maxMessage characters at most, without secrets.
func (h *Health) line(text string) string {
	const most = 64 << 10 // bytes that are looked at for what to show
	return wire.Line(text[:min(len(text), most)], maxMessage, h.redact)
}

const (
	calm      = time.Minute // trouble of the store that comes again within it is the same trouble
	firstWait = time.Second
	mostWait  = time.Minute
)

// Stored takes in how a call of the store ended. A full disk may get room again; a file that is damaged or gone ends
// the worker. A store may refuse one write and accept what storeWorks tries: where the same trouble comes again, the
// wait before the next try doubles.
func (h *Health) Stored(err error) {
	if err == nil || store.Stopped(err) {
		return
	}
	h.FailedAt(partStore, "", err.Error())
	now := time.Now()
	h.mu.Lock()
	news := h.cause == nil
	if h.cause = err; news {
		if h.mended.IsZero() || now.Sub(h.mended) >= calm {
			h.since, h.wait = now, 0
		} else {
			h.wait = min(max(firstWait, 2*h.wait), mostWait)
		}
		h.again = now.Add(h.wait)
	}
	h.mu.Unlock()
	switch {
	case store.Hopeless(err):
		h.end(err)
	case news:
		h.log.Error("store cannot be written, trying on", "error", err)
	}
}

// storeWorks reports whether the store can be written. Where it could not be, storeWorks tries to.
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
	was := h.cause != nil // else another call has said so
	if was {
		h.cause, h.mended = nil, time.Now()
	}
	h.mu.Unlock()
	h.Mended(partStore)
	if was {
		h.log.Info("store can be written again")
		h.onStoreBack(ctx)
	}
	return true
}

// storeTrouble is why the store cannot be written, nil where it can, and since when.
func (h *Health) storeTrouble() (since time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.cause
}
