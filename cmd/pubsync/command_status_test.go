// status tells of the process before, and of the next sweep.

package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Without a worker status tells of the last sweeps and of the last error of the process before, a
// worker or a single run.
func TestStatusTellsOfTheProcessBefore(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	status := func() (now desk.Status) {
		t.Helper()
		r := s.call("status", "--json")
		if err := json.Unmarshal([]byte(r.stdout), &now); err != nil || r.code != 0 {
			t.Fatalf("exit %d, want 0, %v: %s%s", r.code, err, r.stdout, r.stderr)
		}
		return now
	}
	begun := time.Now().Add(-time.Second)
	w := s.work()
	w.settles(1)
	w.stop()
	after := status()
	if at := after.Sweeps.Incremental.Completed; at.Before(begun) || after.Sweeps.Incremental.Error != "" ||
		after.LastError != nil {
		t.Errorf("after the worker: %+v, last error %+v", after.Sweeps, after.LastError)
	}
	if r := s.callWith([]string{"MARKETPLACE_TOKEN", "another"}, "run", "--once"); r.code != 3 {
		t.Fatalf("with another token: exit %d, %s", r.code, r.stderr)
	}
	refused := status()
	if e := refused.Sweeps.Incremental; e.Error == "" || !e.Completed.Equal(after.Sweeps.Incremental.Completed) ||
		!e.At.After(e.Completed) {
		t.Errorf("after a refused run: %+v", e)
	}
	if refused.LastError == nil || refused.LastError.Message == "" ||
		strings.Contains(refused.LastError.Message, "another") {
		t.Errorf("last error %+v", refused.LastError)
	}
	if r := s.call("status"); !strings.Contains(r.stdout, "last error") || !strings.Contains(r.stdout, "tried ") ||
		strings.Contains(r.stdout, "budget") {
		t.Errorf("printed: %s", r.stdout)
	}
}
