package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A lease is held until its time is over, counted from the beginning of the last renewal. Once
// ended it is never held again.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := func(l *store.Lease) bool {
			synctest.Wait()
			select {
			case <-l.Lost():
				return true
			default:
				return false
			}
		}
		l := store.NewLease("a", 1, time.Now(), 7*time.Second)
		time.Sleep(6 * time.Second)
		l.Renewed(time.Now().Add(-2*time.Second), 7*time.Second)
		time.Sleep(4 * time.Second)
		if !l.Held() || lost(l) {
			t.Errorf("6s after a renewal was begun: held %t, lost %t, want a lease that is held", l.Held(), lost(l))
		}
		time.Sleep(time.Second)
		if l.Held() || !lost(l) {
			t.Errorf("7s after a renewal was begun: held %t, lost %t, want a lease that is lost", l.Held(), lost(l))
		}
		l.Renewed(time.Now(), 7*time.Second)
		if l.Held() {
			t.Error("a lease that was lost is held after a renewal")
		}
		l.End()
	})
}
