package health

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/store"
)

// StoreFailed notes one failed call of the store. A disk may get room again; a file that is damaged
// or gone gets no better, and ends the worker. A call that ended with its caller's context says
// nothing about the store.
func (h *Health) StoreFailed(err error) {
	if store.Stopped(err) {
		return
	}
	h.Note(err)
	h.mu.Lock()
	news := h.cause == nil
	if news {
		h.since = time.Now()
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

// StoreWorks reports whether the store can be written, and tries where it could not be. The one
// call that finds it mended says so.
func (h *Health) StoreWorks(ctx context.Context) bool {
	switch {
	case h.StoreError() == nil:
		return true
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
	defer h.mu.Unlock()
	was := h.cause != nil
	h.cause = nil
	return was
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
