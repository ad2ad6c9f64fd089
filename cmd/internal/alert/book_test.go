package alert

import (
	"slices"
	"testing"
	"time"
)

// Each cause is told when it is new, at most once an hour, and when it has been gone for a minute.
func TestBook(t *testing.T) {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	shop, three, four := Cause{"shop", "shop away"}, Cause{"blocked", "3 blocked"}, Cause{"blocked", "4 blocked"}
	b := book{}
	for _, step := range []struct {
		name        string
		after       time.Duration
		found       []Cause
		fresh, gone []string
	}{
		{"nothing", 0, nil, nil, nil},
		{"two at once", time.Minute, []Cause{three, shop}, []string{"3 blocked", "shop away"}, nil},
		{"they last", 2 * time.Minute, []Cause{three, shop}, nil, nil},
		{"one is gone", 3 * time.Minute, []Cause{three}, nil, nil},
		{"and stays away", 4 * time.Minute, []Cause{three}, nil, []string{"shop away"}},
		{"it is told once", 5 * time.Minute, []Cause{three}, nil, nil},
		{"it comes back within the hour", 10 * time.Minute, []Cause{three, shop}, nil, nil},
		{"it goes, and nobody was told", 11 * time.Minute, []Cause{three}, nil, nil},
		{"nobody is told that either", 13 * time.Minute, []Cause{three}, nil, nil},
		{"more within the hour", 20 * time.Minute, []Cause{four}, nil, nil},
		{"still more after the hour", 62 * time.Minute, []Cause{four, shop}, []string{"4 blocked", "shop away"}, nil},
		{"the same for hours", 5 * time.Hour, []Cause{four, shop}, nil, nil},
		{"a moment of peace", 5*time.Hour + time.Minute, nil, nil, nil},
		{"it was none", 5*time.Hour + 2*time.Minute - time.Second, []Cause{four, shop}, nil, nil},
		{"all well", 6 * time.Hour, nil, nil, nil},
		{"all told", 6*time.Hour + time.Minute, nil, nil, []string{"4 blocked", "shop away"}},
		{"all forgotten", 9 * time.Hour, nil, nil, nil},
	} {
		fresh, gone := b.update(step.found, begun.Add(step.after), resolvedAfter)
		if !slices.Equal(fresh, step.fresh) {
			t.Errorf("%s: got told %q, want %q", step.name, fresh, step.fresh)
		}
		if !slices.Equal(gone, step.gone) {
			t.Errorf("%s: got resolved %q, want %q", step.name, gone, step.gone)
		}
	}
	if len(b) != 0 {
		t.Errorf("got %v left, want an empty book", b)
	}
}
