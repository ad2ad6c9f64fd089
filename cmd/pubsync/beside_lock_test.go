// A command beside a worker does not wait for its lock.

package main_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestACommandBesideAWorkerDoesNotWaitForItsLock asks the worker many times: waiting for the lock
// would take a second each time.
func TestACommandBesideAWorkerDoesNotWaitForItsLock(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	w := s.work()
	w.settles(1)
	const calls = 12
	quick := 0
	for range calls {
		r := s.call("status")
		if r.code != 0 {
			t.Fatalf("status: exit %d, want 0: %s", r.code, tail(r.stderr))
		}
		if r.took < 900*time.Millisecond {
			quick++
		}
	}
	if quick == 0 {
		t.Errorf("each of %d calls waited as long as the lock is waited for", calls)
	}
}
