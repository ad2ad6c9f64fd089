package look

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A publication that only a webhook knows is looked at four times in a minute, and no longer.
func TestAwaited(t *testing.T) {
	const before, named, after = "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-02T03:04:07Z"
	for _, tt := range []struct {
		name  string
		named string
		found []string // by each look; "" for nothing
		first int      // seconds
		looks []int    // seconds
	}{
		{"as new as it was named", named, []string{named}, 0, []int{0}},
		{"newer", named, []string{after}, 0, []int{0}},
		{"older, and then there", named, []string{before, named}, 0, []int{0, 10}},
		{"nothing, then older, then there", named, []string{"", before, after}, 0, []int{0, 10, 30}},
		{"older for ever", named, []string{before}, 0, []int{0, 10, 30, 60}},
		{"nothing for ever", named, []string{""}, 0, []int{0, 10, 30, 60}},
		{"no time was named", "", []string{""}, 0, []int{0}},
		{"what was named is no time", "now", []string{before}, 0, []int{0}},
		{"looked at late", named, []string{before}, 45, []int{45, 55}},
		{"looked at too late", named, []string{before}, 55, []int{55}},
		{"looked at much too late", named, []string{before}, 3600, []int{3600}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a announced
				start := time.Now()
				a.add("p1", tt.named, start)
				time.Sleep(time.Duration(tt.first) * time.Second)
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

// A burst takes no more memory than the most that is awaited, and a quiet hour leaves none of it.
func TestAwaitedIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a announced
		for i := range mostAnnounced + 10 {
			a.add(fmt.Sprint(i), "", time.Now())
		}
		if len(a.of) != mostAnnounced {
			t.Errorf("got %d awaited, want %d", len(a.of), mostAnnounced)
		}
		time.Sleep(time.Hour)
		if a.add("p1", "", time.Now()); len(a.of) != 1 {
			t.Errorf("an hour later: got %d awaited, want 1", len(a.of))
		}
	})
}
