package health

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/store"
)

// StoreFailed records a failed call of the store. A full disk may get room again; a file that is
// damaged or gone ends the worker. A call that ended with its caller's context is ignored.
func (h *Health) StoreFailed(err error) {
	if store.Stopped(err) {
		return
	}
	h.FailedAt(Store, "", err.Error())
	h.mu.Lock()
	news := h.cause == nil
	if news {
		h.trouble(time.Now())
	}
	h.cause = err
	h.mu.Unlock()
	switch {
	case store.Hopeless(err):
		h.End(err)
	case news:
		h.log.Error("store cannot be written, trying on", "error", err)
	}
}

const (
	calm      = time.Minute // trouble that comes again within it is the same trouble
	firstWait = time.Second
	mostWait  = time.Minute
)

// trouble begins or goes on. A store may refuse one write and accept what StoreWorks tries: where
// the same trouble comes again, the wait before the next try doubles.
func (h *Health) trouble(now time.Time) {
	if h.mended.IsZero() || now.Sub(h.mended) >= calm {
		h.since, h.wait = now, 0
	} else {
		h.wait = min(max(firstWait, 2*h.wait), mostWait)
	}
	h.again = now.Add(h.wait)
}

// StoreWorks reports whether the store can be written. Where it could not be, StoreWorks tries to,
// and the first call that succeeds logs it.
func (h *Health) StoreWorks(ctx context.Context) bool {
	switch {
	case h.StoreError() == nil:
		return true
	case h.storeWaits():
		return false
	case store.HasRoom(ctx, h.store) != nil:
		return false
	case !h.storeMended(): // another call has said so
		return true
	}
	h.log.Info("store can be written again")
	if h.back != nil {
		h.back(ctx)
	}
	return true
}

// storeMended ends the trouble, and reports whether there was any.
func (h *Health) storeMended() bool {
	h.mu.Lock()
	was := h.cause != nil
	if was {
		h.cause, h.mended = nil, time.Now()
	}
	h.mu.Unlock()
	h.Mended(Store)
	return was
}

// storeWaits reports whether it is too early for another try.
func (h *Health) storeWaits() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Before(h.again)
}

// StoreError is why the store cannot be written, nil where it can.
func (h *Health) StoreError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cause
}

// StoreTrouble is why the store cannot be written, and since when.
func (h *Health) StoreTrouble() (since time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.cause
}

// Unwritten is the error of a single run that ends while the store cannot be written.
func (h *Health) Unwritten() error {
	if err := h.StoreError(); err != nil {
		return fmt.Errorf("store cannot be written: %w", err)
	}
	return nil
}
