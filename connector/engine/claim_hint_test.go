package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// The look of an unsigned webhook begins when the points of the last one are paid off, not up to a
// minute later: that moment lies within a millisecond, and the store's times do not.
func TestAHintIsClaimedOnceItsPointsArePaidOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, file := newClaims(t)
		file.mark(t, store.ClassHint, "p1")
		const paidOff = 100*time.Millisecond + 200*time.Microsecond
		x.hints.spend(paidOff.Seconds(), 10, time.Now())
		_, wait, ok, err := x.peek(t.Context(), queueAny)
		if ok || err != nil {
			t.Fatalf("claimed %t, %v before the points are paid off, want nothing", ok, err)
		}
		if wait != paidOff {
			t.Fatalf("got a wait of %v, want %v", wait, paidOff)
		}
		time.Sleep(wait)
		if _, got := next(t, x, queueAny); got != "p1" {
			t.Errorf("claimed %q once they are paid off, want p1", got)
		}
	})
}
