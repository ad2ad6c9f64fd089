package engine

import (
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

func TestOverdue(t *testing.T) {
	const minute = time.Minute
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	friday := monday.Add(4 * 24 * time.Hour)
	for _, tt := range []struct {
		schedule string
		done     time.Time
		after    time.Duration
		want     bool
	}{
		{"17 * * * *", monday, 58 * minute, false},
		{"17 * * * *", monday, 59 * minute, true}, // two runs of cron are never exactly an hour apart
		{"17 * * * *", monday.Add(17 * minute), 58 * minute, false},
		{"17 * * * *", monday, -minute, true}, // the clock has been set back
		{"@every 10s", monday, 8 * time.Second, false},
		{"@every 10s", monday, 10 * time.Second, true},
		{"0 3 * * *", monday, 23 * time.Hour, false},
		{"0 3 * * *", monday, 24 * time.Hour, true},
		{"0 8,9,20 * * *", monday, 2 * time.Hour, true},
		{"0 8,9,20 * * *", monday.Add(8 * time.Hour), 10 * time.Hour, false},
		{"0 3 * * 1-5", friday.Add(4 * time.Hour), 24 * time.Hour, true}, // from Monday to Tuesday is a day
		{"0 3 30 2 *", monday, 1000 * 24 * time.Hour, false},             // there is no such day
	} {
		schedule, err := cron.ParseStandard(tt.schedule)
		if err != nil {
			t.Fatal(err)
		}
		if got := overdue(schedule, tt.done, tt.done.Add(tt.after)); got != tt.want {
			t.Errorf(
				"%s after an enumeration of %s, by %q: overdue is %t, want %t", tt.after, tt.done, tt.schedule, got,
				tt.want,
			)
		}
	}
}
