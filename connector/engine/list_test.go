package engine

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// expect begins the sweeps that are to be made, in this order and no other; hints is how long the budget of
// unsigned webhooks is shut.
func (l *lister) expect(t *testing.T, now time.Time, hints time.Duration, want ...Kind) {
	t.Helper()
	for _, kind := range want {
		got, _, ok := l.nextTask(now, hints, Changes, Whole, Hinted)
		if !ok || got != kind {
			t.Fatalf("the next is of kind %d, %t, want %d", got, ok, kind)
		}
		l.beginTask(kind)
	}
	if got, _, ok := l.nextTask(now, hints, Changes, Whole, Hinted); ok {
		t.Fatalf("got another sweep of kind %d, want none", got)
	}
}

func TestQueue(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name  string
		asked []Kind
		hints time.Duration
		want  []Kind
		wait  time.Duration // for what is left
	}{
		{name: "nothing asked", wait: breaker.Idle},
		{
			name: "what changed goes before the whole list", asked: []Kind{Whole, Changes}, want: []Kind{Changes, Whole},
			wait: breaker.Idle,
		},
		{name: "asked twice is asked once", asked: []Kind{Changes, Changes}, want: []Kind{Changes}, wait: breaker.Idle},
		{name: "a hint", asked: []Kind{Hinted}, want: []Kind{Hinted}, wait: breaker.Idle},
		{
			name: "a hint whose budget is overdrawn", asked: []Kind{Hinted}, hints: 3 * time.Second,
			wait: 3 * time.Second,
		},
		{
			name: "a hint keeps no other waiting", asked: []Kind{Hinted, Whole}, hints: time.Hour,
			want: []Kind{Whole}, wait: breaker.Idle,
		},
		{
			name: "a sweep of what changed finds what the hint was about", asked: []Kind{Hinted, Changes}, want: []Kind{Changes},
			wait: breaker.Idle,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := newLister()
			for _, kind := range tt.asked {
				q.Ask(kind)
			}
			q.expect(t, now, tt.hints, tt.want...)
			if _, wait, _ := q.nextTask(now, tt.hints, Changes, Whole, Hinted); wait != tt.wait {
				t.Errorf("waits %s, want %s", wait, tt.wait)
			}
		})
	}
}

// A sweep that failed is made again at its time, or at once when it is asked for anew or when the
// marketplace is back; its attempts are counted until one is made.
func TestQueueTriesAgain(t *testing.T) {
	now := time.Now()
	later := now.Add(time.Minute)
	for name, wake := range map[string]func(*lister){
		"at its time":             nil,
		"asked for anew":          func(q *lister) { q.Ask(Whole) },
		"the marketplace is back": func(q *lister) { q.hurry() },
	} {
		t.Run(name, func(t *testing.T) {
			q, at := newLister(), now
			q.Ask(Whole)
			q.beginTask(Whole)
			q.endTask(Whole, 1, later)
			q.expect(t, now, 0)
			if wake == nil {
				at = later
			} else {
				wake(q)
			}
			if got, _, ok := q.nextTask(at, 0, Changes, Whole, Hinted); !ok || got != Whole {
				t.Fatalf("got %v, %t, want it made again", got, ok)
			}
			if n := q.beginTask(Whole); n != 1 {
				t.Errorf("%d attempts in vain, want 1", n)
			}
			q.endTask(Whole, 0, now)
			q.Ask(Whole)
			if n := q.beginTask(Whole); n != 0 {
				t.Errorf("after one was made: got %d failed attempts, want 0", n)
			}
		})
	}
	q := newLister()
	q.Ask(Whole)
	q.beginTask(Whole)
	q.Ask(Whole) // while it is being made
	q.endTask(Whole, 1, later)
	q.expect(t, now, 0, Whole)
}
