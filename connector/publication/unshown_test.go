package publication

import (
	"errors"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A publication fails by itself where the marketplace shows others, and not this one twice in a
// row.
func TestFailedReadOfItsOwn(t *testing.T) {
	refused := errors.New("internal error")
	for _, tt := range []struct {
		name   string
		inARow int
		paused bool
		own    bool
	}{
		{"the first", 1, false, false},
		{"the second", 2, false, true},
		{"the hundredth", 100, false, true},
		{"the first, and calls are paused", 1, true, false},
		{"the second, and calls are paused", 2, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := FailedRead{Err: refused, InARow: tt.inARow}.Own(tt.paused)
			if own := got != nil; own != tt.own {
				t.Fatalf("its own failure: %t, want %t", own, tt.own)
			}
			if got == nil {
				return
			}
			if got.Kind != shopadapter.Transient {
				t.Errorf("kind %s, want %s", got.Kind, shopadapter.Transient)
			}
			if !errors.Is(got, refused) {
				t.Errorf("got %v, want it to wrap %v", got, refused)
			}
		})
	}
}

// An objection to an assumed form is rechecked soon, and not for ever.
func TestFailedReadIsRechecked(t *testing.T) {
	for _, tt := range []struct {
		name    string
		suspect bool
		inARow  int
		want    bool
	}{
		{"an objection", true, 1, true},
		{"the last recheck", true, 8, true},
		{"one more", true, 9, false},
		{"no objection", false, 1, false},
	} {
		pause, ok := FailedRead{Suspect: tt.suspect, InARow: tt.inARow}.Recheck()
		if ok != tt.want {
			t.Errorf("%s: rechecked %t, want %t", tt.name, ok, tt.want)
		}
		if ok && pause != 2*time.Second {
			t.Errorf("%s: rechecked after %s, want 2s", tt.name, pause)
		}
	}
}
