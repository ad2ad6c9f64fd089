// Package health holds what the loops of a worker record of its condition: the last error, the trouble
// with the store, when something last went well, and panics.
package health

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

// A Health is how one worker is doing. Its methods may be called from any goroutine.
type Health struct {
	OnStoreBack func(context.Context) // called once the store can be written again
	OnPanic     func()                // called for each panic

	log    *slog.Logger
	redact func(string) string
	store  store.Store

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
	return &Health{
		log: log, redact: redact, store: s, started: time.Now(), fatal: make(chan error, 1),
		OnStoreBack: func(context.Context) {}, OnPanic: func() {},
	}
}

// Started is when the worker was made.
func (h *Health) Started() time.Time { return h.started }

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

// Ended receives the error that ends the worker.
func (h *Health) Ended() <-chan error { return h.fatal }

// An Error is something that went wrong. It is the last one until another one comes, or it is mended.
type Error struct {
	Message     string    `json:"message"`
	At          time.Time `json:"at"`
	Part        string    `json:"part,omitempty"`        // that failed; "": nothing mends it, as a panic
	Publication string    `json:"publication,omitempty"` // that the call was about; "": every call
}

// The parts that fail and are mended.
const (
	Shop        = "shop"
	Marketplace = "marketplace"
	Store       = "store"
	Sweep       = "sweep"
	Webhook     = "webhook"
)

// FailedAt records an error of a part as the last one. id is the publication that it was about, "" where it
// concerns every call.
func (h *Health) FailedAt(part, id, message string) {
	h.Record(Error{Message: message, At: time.Now(), Part: part, Publication: id})
}

// Record makes an error the last one. A panic in a call fails the call too, and stays a panic.
func (h *Health) Record(e Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Message == "" || h.last.Part != "" || !strings.HasSuffix(e.Message, h.last.Message) {
		h.last = e
	}
}

// Mended forgets the last error where it is of that part, and of every call or of one of these
// publications.
func (h *Health) Mended(part string, ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Part == part && (h.last.Publication == "" || slices.Contains(ids, h.last.Publication)) {
		h.last = Error{}
	}
}

// Last is the last error.
func (h *Health) Last() Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// The values of ShopError.Op.
const (
	ListShop  = "list what the shop holds"
	CheckShop = "shop"
)

// A ShopError is an error of the shop that was met outside of the work on one publication.
type ShopError struct {
	Op  string // the call that failed
	Err error
}

func (e *ShopError) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *ShopError) Unwrap() error { return e.Err }

// MaxMessage bounds what is kept, logged and shown of an adapter's error or of a panic, in characters: the
// one may quote a whole page of the shop, the other hold all that was worked on.
const MaxMessage = 400

// Recovered logs and counts a panic, and returns what is to be recorded of it.
func (h *Health) Recovered(p any, facts ...any) string {
	message := "internal error: " + h.Line(fmt.Sprint(p))
	h.log.Error("panic", append(facts, "panic", message, "stack", string(debug.Stack()))...)
	h.OnPanic()
	h.Record(Error{Message: message, At: time.Now()})
	return message
}

// Guard makes a call of an adapter. A panic is a transient error like any other, and no error is longer than
// MaxMessage or shows a secret.
func (h *Health) Guard(call func() error, facts ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = shopadapter.Retry("%s", h.Recovered(p, facts...))
		}
	}()
	err = call()
	if e := shopadapter.Explain(err); e != nil && (len(e.Error()) > MaxMessage || h.redact(e.Error()) != e.Error()) {
		bounded := *e
		bounded.Message, bounded.Err = h.Line(e.Error()), err
		return &bounded
	}
	return err
}

// Line is a text of any length on one line of MaxMessage characters at most, without the secrets that are
// known here.
func (h *Health) Line(text string) string {
	const most = 64 << 10 // bytes that are looked at for what to show
	return wire.Line(text[:min(len(text), most)], MaxMessage, h.redact)
}

const (
	calm      = time.Minute // trouble of the store that comes again within it is the same trouble
	firstWait = time.Second
	mostWait  = time.Minute
)

// StoreFailed records a failed call of the store. A full disk may get room again; a file that is damaged or
// gone ends the worker. A call that ended with its caller's context is ignored.
//
// A store may refuse one write and accept what StoreWorks tries: where the same trouble comes again, the
// wait before the next try doubles.
func (h *Health) StoreFailed(err error) {
	if store.Stopped(err) {
		return
	}
	h.FailedAt(Store, "", err.Error())
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
		h.End(err)
	case news:
		h.log.Error("store cannot be written, trying on", "error", err)
	}
}

// StoreWorks reports whether the store can be written. Where it could not be, StoreWorks tries to, and the
// first call that succeeds logs it.
func (h *Health) StoreWorks(ctx context.Context) bool {
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
	h.Mended(Store)
	if was {
		h.log.Info("store can be written again")
		h.OnStoreBack(ctx)
	}
	return true
}

// StoreTrouble is why the store cannot be written, nil where it can, and since when.
func (h *Health) StoreTrouble() (since time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.cause
}
