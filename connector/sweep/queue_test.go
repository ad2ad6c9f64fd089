package sweep

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// A purse is a budget that is open, or overdrawn for a while.
type purse struct{ until time.Time }

func (p purse) Open(now time.Time) bool { return !now.Before(p.until) }
func (p purse) Wait(now time.Time, most time.Duration) time.Duration {
	return min(p.until.Sub(now), most)
}
func (purse) Spend(points, restoreRate float64, now time.Time) {}
func newQueue() *queue                                         { return &queue{asked: breaker.NewSignal()} }

func (q *queue) expect(t *testing.T, now time.Time, h Hints, want ...Kind) {
	t.Helper()
	for _, kind := range want {
		got, _, ok := q.next(now, h, Changes, Whole, Hinted)
		if !ok || got != kind {
			t.Fatalf("the next is of kind %d, %t, want %d", got, ok, kind)
		}
		q.begin(kind)
	}
	if got, _, ok := q.next(now, h, Changes, Whole, Hinted); ok {
		t.Fatalf("got another sweep of kind %d, want none", got)
	}
}

func TestQueue(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name  string
		asked []Kind
		hints purse
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
			name: "a hint whose budget is overdrawn", asked: []Kind{Hinted}, hints: purse{now.Add(3 * time.Second)},
			wait: 3 * time.Second,
		},
		{
			name: "a hint keeps no other waiting", asked: []Kind{Hinted, Whole}, hints: purse{now.Add(time.Hour)},
			want: []Kind{Whole}, wait: breaker.Idle,
		},
		{
			name: "a sweep of what changed finds what the hint was about", asked: []Kind{Hinted, Changes}, want: []Kind{Changes},
			wait: breaker.Idle,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := newQueue()
			for _, kind := range tt.asked {
				q.ask(kind)
			}
			q.expect(t, now, tt.hints, tt.want...)
			if _, wait, _ := q.next(now, tt.hints, Changes, Whole, Hinted); wait != tt.wait {
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
	for name, wake := range map[string]func(*queue){
		"at its time":             nil,
		"asked for anew":          func(q *queue) { q.ask(Whole) },
		"the marketplace is back": func(q *queue) { q.hurry() },
	} {
		t.Run(name, func(t *testing.T) {
			q, at := newQueue(), now
			q.ask(Whole)
			q.begin(Whole)
			q.failed(Whole, 1, later)
			q.expect(t, now, purse{})
			if wake == nil {
				at = later
			} else {
				wake(q)
			}
			if got, _, ok := q.next(at, purse{}, Changes, Whole, Hinted); !ok || got != Whole {
				t.Fatalf("got %v, %t, want it made again", got, ok)
			}
			if n := q.begin(Whole); n != 1 {
				t.Errorf("%d attempts in vain, want 1", n)
			}
			q.made(Whole)
			q.ask(Whole)
			if n := q.begin(Whole); n != 0 {
				t.Errorf("after one was made: got %d failed attempts, want 0", n)
			}
		})
	}
	q := newQueue()
	q.ask(Whole)
	q.begin(Whole)
	q.ask(Whole) // while it is being made
	q.failed(Whole, 1, later)
	q.expect(t, now, purse{}, Whole)
}
