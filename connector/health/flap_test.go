package health

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A store that accepts the try and refuses the next write is tried at growing intervals, and its
// trouble is one.
func TestTroubleThatComesAgainIsTriedLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newHealth(&disk{})
		back := 0
		h.OnStoreBack = func(context.Context) { back++ }
		begun := time.Now()
		for time.Since(begun) < 10*time.Minute {
			h.StoreFailed(errors.New("one key cannot be written"))
			for !h.StoreWorks(t.Context()) {
				time.Sleep(100 * time.Millisecond)
			}
		}
		if back < 5 || back > 20 {
			t.Errorf("got %d tries in ten minutes, want 5 to 20", back)
		}
		if since, _ := h.StoreTrouble(); !since.Equal(begun) {
			t.Errorf("got trouble since %v, want since the first failure at %v", since, begun)
		}

		time.Sleep(calm)
		later := time.Now()
		h.StoreFailed(errors.New("no space left on device"))
		if since, _ := h.StoreTrouble(); !since.Equal(later) {
			t.Errorf("after a calm minute: got trouble since %v, want since %v", since, later)
		}
		if !h.StoreWorks(t.Context()) {
			t.Error("after a calm minute: got a store that is not tried, want it tried at once")
		}
	})
}
