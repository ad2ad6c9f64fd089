package publication

import (
	"testing"
	"time"
)

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", true},
		{"2026-01-02T03:04:06Z", "2026-01-02T03:04:05Z", false},
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", false},
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.999Z", false}, // the same, less precisely
		{"2026-01-02T03:04:05.123Z", "2026-01-02T03:04:05.123456Z", false},
		{"2026-01-02T03:04:05.122Z", "2026-01-02T03:04:05.123456Z", true},
		{"2026-01-02T03:04:05.122999999Z", "2026-01-02T03:04:05.123Z", true},
		{"2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05Z", false}, // the same in another zone
		{"2026-01-02T05:04:05+02:00", "2026-01-02T03:04:06.5Z", true},
		{"1767323045", "1767323046", false},
		{"", "2026-01-02T03:04:05Z", false},
		{"2026-01-02T03:04:05Z", "soon", false},
	} {
		if got := older(tt.a, tt.b); got != tt.want {
			t.Errorf("%q is older than %q: %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

// What the API shows is held against what a webhook announced, for a minute.
func TestAnnouncement(t *testing.T) {
	const before, named, after = "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-02T03:04:07Z"
	for _, tt := range []struct {
		name      string
		announced string
		looks     int
		shown     string        // "" for no publication
		since     time.Duration // since the webhook
		again     time.Duration // after the look; 0: no look follows
	}{
		{"as new as announced", named, 0, named, 0, 0},
		{"newer", named, 0, after, 0, 0},
		{"older", named, 0, before, 0, 10 * time.Second},
		{"older, and it has been looked at once", named, 1, before, 10 * time.Second, 20 * time.Second},
		{"older, and it has been looked at twice", named, 2, before, 30 * time.Second, 30 * time.Second},
		{"older, at the end of the minute", named, 3, before, time.Minute, 0},
		{"older, and just enough time is left", named, 0, before, 50 * time.Second, 10 * time.Second},
		{"older, and too little time is left", named, 0, before, 51 * time.Second, 0},
		{"not there", named, 0, "", 0, 10 * time.Second},
		{"not there, and nothing was said of its time", "", 0, "", 0, 0},
		{"there, and nothing was said of its time", "", 0, before, 0, 0},
		{"an announcement that is no time", "soon", 0, before, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
			now := start.Add(tt.since)
			want := time.Time{}
			if tt.again > 0 {
				want = now.Add(tt.again)
			}
			a := Announcement{UpdatedAt: tt.announced, At: start, Looks: tt.looks}
			if got := a.Again(tt.shown, tt.shown != "", now); !got.Equal(want) {
				t.Errorf("again at %s, want %s", got, want)
			}
		})
	}
}
