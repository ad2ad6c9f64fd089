package setup

import (
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// The accounts of a process share the slots for calls, as many as the process has set. A process
// with one account has no bound but that of the account.
func TestCallSlotsAreOfAProcess(t *testing.T) {
	e, err := config.Read([]string{"PUBSYNC_ACCOUNTS_CONCURRENCY=3"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shared := &Shared{}
	one, _ := New(e, config.ToLook, "test")
	two, _ := New(e, config.ToLook, "test")
	slots := shared.callSlots(one)
	if shared.callSlots(two) != slots {
		t.Error("two accounts have slots of their own, want the same")
	}
	if !slots.TryAcquire(3) || slots.TryAcquire(1) {
		t.Error("got another number of slots than 3")
	}
	if one.shared.callSlots(one) != nil {
		t.Error("a process with one account has a bound over all, want none")
	}
}
