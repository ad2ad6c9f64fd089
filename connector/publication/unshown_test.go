package publication

import (
	"errors"
	"testing"

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
