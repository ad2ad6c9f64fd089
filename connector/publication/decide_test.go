package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

// Only what a person waits for is asked for: late pictures are tried again by themselves, and each
// try that counted as asked would forget the ones before.
func TestAskedFor(t *testing.T) {
	for _, tt := range []struct {
		mark store.Mark
		want bool
	}{
		{store.Mark{Class: store.ClassHook, Cause: store.CauseAsked}, true},
		{store.Mark{Class: store.ClassSweep, Cause: store.CauseSeen | store.CauseAsked}, true},
		{store.Mark{Class: store.ClassFull, Cause: store.CauseRead}, true},
		{store.Mark{Class: store.ClassFull, Cause: store.CausePictures}, false},
		{store.Mark{Class: store.ClassSweep, Cause: store.CauseRead}, false},
		{store.Mark{Class: store.ClassHook, Cause: store.CauseSigned}, false},
		{store.Mark{Class: store.ClassRefresh, Cause: store.CauseRefresh}, false},
	} {
		if got := (Decision{mark: tt.mark}).Ref().Asked; got != tt.want {
			t.Errorf("%+v: got %t, want %t", tt.mark, got, tt.want)
		}
	}
}
