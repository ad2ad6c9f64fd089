package look

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A publication that only a webhook knows is looked at again six times, every ten seconds.
func TestAwaited(t *testing.T) {
	const before, named, after = "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-02T03:04:07Z"
	all := []int{0, 10, 20, 30, 40, 50, 60}
	for _, tt := range []struct {
		name  string
		named string
		found []string // by each look; "" for nothing
		looks []int    // seconds
	}{
		{"as new as it was named", named, []string{named}, all[:1]},
		{"as new as it was named, in another zone", named, []string{"2026-01-02T05:04:06+02:00"}, all[:1]},
		{"as new as it was named, less precisely", "2026-01-02T03:04:06.123Z", []string{named}, all[:1]},
		{"newer", named, []string{after}, all[:1]},
		{"older, and then there", named, []string{before, named}, all[:2]},
		{"nothing, then older, then there", named, []string{"", before, after}, all[:3]},
		{"older for ever", named, []string{before}, all},
		{"nothing for ever", named, []string{""}, all},
		{"no time was named", "", []string{""}, all[:1]},
		{"what was named is no time", "now", []string{before}, all[:1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a announced
				start := time.Now()
				a.add("p1", tt.named)
				var looks []int
				for {
					looks = append(looks, int(time.Since(start).Seconds()))
					shown := tt.found[min(len(looks), len(tt.found))-1]
					again := a.judge("p1", shown, shown != "", time.Now())
					if again.IsZero() {
						break
					}
					time.Sleep(time.Until(again))
				}
				if !slices.Equal(looks, tt.looks) {
					t.Errorf("looks after %v seconds, want %v", looks, tt.looks)
				}
				if len(a.of) != 0 {
					t.Errorf("got %v awaited, want none", a.of)
				}
			})
		})
	}
}

// A burst takes no more memory than the most that is awaited.
func TestAwaitedIsBounded(t *testing.T) {
	var a announced
	for i := range 3 * mostAnnounced / 2 {
		a.add(fmt.Sprint(i), "")
	}
	if got := len(a.of); got > mostAnnounced {
		t.Errorf("got %d awaited, want %d at most", got, mostAnnounced)
	}
}
