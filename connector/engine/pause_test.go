package engine

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

func TestWhenAPausedShopIsChecked(t *testing.T) {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	long := breaker.Status{
		Open:    true,
		Firm:    true,
		Checked: true,
		Begun:   begun,
		Span:    10 * time.Minute,
		Until:   begun.Add(10 * time.Minute),
	}
	with := func(change func(*breaker.Status)) breaker.Status {
		t := long
		change(&t)
		return t
	}
	for _, tt := range []struct {
		name string
		t    breaker.Status
		last time.Time
		want time.Duration // after the pause began; below zero: never
	}{
		{"the first time", long, time.Time{}, 30 * time.Second},
		{"after a check", long, begun.Add(time.Minute), 90 * time.Second},
		{"after a check before the pause", long, begun.Add(-time.Minute), 30 * time.Second},
		{
			"once the shop paused again after a check", with(func(t *breaker.Status) { t.Misled = 1 }),
			time.Time{},
			time.Minute,
		},
		{"and again and again", with(func(t *breaker.Status) { t.Misled = 40 }), time.Time{}, checkEveryMax},
		{"a pause that nobody asked for", with(func(t *breaker.Status) { t.Firm = false }), time.Time{}, 30 * time.Second},
		{"a pause of a minute", with(func(t *breaker.Status) { t.Span = time.Minute }), time.Time{}, -1},
		{"without a check", with(func(t *breaker.Status) { t.Checked = false }), time.Time{}, -1},
		{"a refusal", with(func(t *breaker.Status) { t.Refused = true }), time.Time{}, -1},
		{"no pause", breaker.Status{Checked: true}, time.Time{}, -1},
	} {
		at, ok := nextCheck(tt.t, tt.last, checkEvery)
		if ok != (tt.want >= 0) || ok && at.Sub(begun) != tt.want {
			t.Errorf("%s: got %t, %s after the pause began, want %s", tt.name, ok, at.Sub(begun), tt.want)
		}
	}
}
