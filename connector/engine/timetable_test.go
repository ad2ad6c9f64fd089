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
		{"0,1 * * * *", time.Minute},
		{"*/10 8-18 * * 1-5", 10 * time.Minute},
		{"30 1 * * *", 24 * time.Hour},
		{"0 0 29 2 *", 24 * time.Hour}, // no more than a day is told apart
		{"@every 10s", 10 * time.Second},
		{"@every 90m", 90 * time.Minute},
	} {
		if got := interval(every(t, tt.spec)); got != tt.want {
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

// A shifted schedule comes as often as the one that it shifts, each time by the same span later.
func TestShift(t *testing.T) {
	begun := time.Date(2026, time.November, 20, 9, 0, 3, 0, time.UTC)
	for _, spec := range []string{"*/5 * * * *", "17 * * * *", "59 23 31 12 *", "@every 10s", "@every 7m", "@every " +
		"36h"} {
		s := every(t, spec)
		by := offset("acme", interval(s))
		moved := shift(s, "acme", begun)
		plain, late := begun, begun.Add(by)
		for range 20 {
			plain, late = s.Next(plain), moved.Next(late)
			if late.Sub(plain) != by {
				t.Fatalf("%s: %s in place of %s, want %s later", spec, late, plain, by)
			}
			if again := moved.Next(late.Add(-time.Millisecond)); !again.Equal(late) {
				t.Fatalf("%s: just before %s: got the next at %s, want then", spec, late, again)
			}
		}
	}
	never := shifted{cron.Schedule(neverComes{}), time.Second}
	if got := never.Next(begun); !got.IsZero() {
		t.Errorf("a schedule that never comes: got %s, want zero", got)
	}
}

type neverComes struct{}

func (neverComes) Next(time.Time) time.Time { return time.Time{} }
