package setup

import "testing"

// The accounts of a process share the slots for calls. A process with one account has no bound but
// that of the account.
func TestCallSlotsAreOfAProcess(t *testing.T) {
	slots, one, two := Slots(), &Setup{}, &Setup{}
	if one.slots != nil {
		t.Error("a process with one account has a bound over all, want none")
	}
	one.Share(slots)
	two.Share(slots)
	if one.slots != two.slots {
		t.Error("two accounts have slots of their own, want the same")
	}
	if !slots.TryAcquire(mostCalls) || slots.TryAcquire(1) {
		t.Errorf("got another number of slots than %d", mostCalls)
	}
}
