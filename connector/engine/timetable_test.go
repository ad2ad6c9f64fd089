package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

func every(t *testing.T, spec string) cron.Schedule {
	t.Helper()
	s, err := cron.ParseStandard(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInterval(t *testing.T) {
	for _, tt := range []struct {
		spec string
		want time.Duration
	}{
		{"*/5 * * * *", 5 * time.Minute},
		{"17 * * * *", time.Hour},
		{"*/10 8-18 * * 1-5", 10 * time.Minute},
		{"30 1 * * *", 24 * time.Hour},
		{"0 0 30 2 *", 0}, // there is no such day
		{"@every 10s", 10 * time.Second},
		{"@every 90m", 90 * time.Minute},
	} {
		if got := interval(every(t, tt.spec), epoch); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.spec, got, tt.want)
		}
	}
}

// Every account has an offset of its own, within a minute and a tenth of the interval, and always
// the same.
func TestOffset(t *testing.T) {
	for _, tt := range []struct{ interval, most time.Duration }{
		{time.Second, 100 * time.Millisecond},
		{time.Minute, 6 * time.Second},
		{5 * time.Minute, 30 * time.Second},
		{10 * time.Minute, time.Minute},
		{24 * time.Hour, time.Minute},
	} {
		thirds := [3]int{}
		for i := range 300 {
			account := fmt.Sprint("account-", i)
			by := offset(account, tt.interval)
			if by < 0 || by >= tt.most || by != offset(account, tt.interval) {
				t.Fatalf("%s of %s: %s, want less than %s", account, tt.interval, by, tt.most)
			}
			thirds[3*by/tt.most]++
		}
		if slices.Min(thirds[:]) < 70 {
			t.Errorf("interval %s: got %v offsets in each third, want 70 at least", tt.interval, thirds)
		}
	}
	if offset("a", time.Hour) == offset("b", time.Hour) {
		t.Error("got one offset for two accounts, want two")
	}
}
