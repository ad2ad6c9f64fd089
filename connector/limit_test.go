package connector

import (
	"fmt"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

func TestLooksArePutOff(t *testing.T) {
	type hook struct {
		after  time.Duration // since the look that was noted
		signed bool
		wait   time.Duration // from then
	}
	for _, tt := range []struct {
		name  string
		noted []bool // signed or not: the looks that webhooks led to, all at once
		hooks []hook
	}{
		{"no look yet", nil, []hook{{0, true, 0}, {0, false, 0}}},
		{"signed after signed", []bool{true}, []hook{
			{0, true, 10 * time.Second},
			{time.Second, true, 9 * time.Second},
			{9999 * time.Millisecond, true, time.Millisecond},
			{10 * time.Second, true, 0},
			{time.Hour, true, 0},
		}},
		{"unsigned after unsigned", []bool{false}, []hook{
			{0, false, time.Minute}, {time.Second, false, 59 * time.Second}, {time.Minute, false, 0}, {time.Hour, false, 0},
		}},
		{"each counts the looks that its own kind led to: unsigned after signed", []bool{true}, []hook{{0, false, 0}}},
		{"and signed after unsigned", []bool{false}, []hook{{0, true, 0}, {time.Second, true, 0}}},
		{"both", []bool{true, false}, []hook{
			{time.Second, true, 9 * time.Second}, {time.Second, false, 59 * time.Second}, {20 * time.Second, true, 0}, {20 * time.Second, false, 40 * time.Second},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				for _, h := range tt.hooks {
					l, start := newLooks(), time.Now()
					for _, signed := range tt.noted {
						l.note("p1", signed, start)
					}
					time.Sleep(h.after)
					now := time.Now()
					if got := l.when("p1", h.signed, now).Sub(now); got != h.wait {
						t.Errorf("signed %t, %s after: a look in %s, want %s", h.signed, h.after, got, h.wait)
					}
					if got := l.when("p2", h.signed, now); !got.Equal(now) {
						t.Errorf("another publication waits for %s", got.Sub(now))
					}
				}
			})
		})
	}
}

// A look that webhooks alone ask for is put off; one that anything else asks for too is made, and counts.
func TestLooksBegin(t *testing.T) {
	const signed, unsigned = store.CauseSigned, store.CauseUnsigned
	for _, tt := range []struct {
		name          string
		before, cause store.Cause
		after, putOff time.Duration
	}{
		{"the first", 0, signed, 0, 0},
		{"signed, too soon", signed, signed, 4 * time.Second, 6 * time.Second},
		{"signed, in time", signed, signed, signedGap, 0},
		{"unsigned, too soon", unsigned, unsigned, 4 * time.Second, 56 * time.Second},
		{"unsigned, in time", unsigned, unsigned, unsignedGap, 0},
		{"the other kind", unsigned, signed, time.Second, 0},
		{"both, after signed: the unsigned one may", signed, signed | unsigned, time.Second, 0},
		{"both, after unsigned: the signed one may", unsigned, signed | unsigned, time.Second, 0},
		{"both, after both: as soon as one may", signed | unsigned, signed | unsigned, time.Second, 9 * time.Second},
		{"signed, and a person asks", signed, signed | store.CauseAsked, time.Second, 0},
		{"signed, and a retry", signed, signed | store.CauseRetry, time.Second, 0},
		{"no webhook", signed | unsigned, store.CauseRead, 0, 0},
		{"after a look that no webhook led to", store.CauseRead, signed | unsigned, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				l := newLooks()
				first := store.Mark{ID: "p1", Cause: tt.before}
				if at := l.tooSoon(first, time.Now()); !at.IsZero() {
					t.Fatalf("the first look is put off to %s", at)
				}
				l.begin(first, time.Now())
				time.Sleep(tt.after)
				at := l.tooSoon(store.Mark{ID: "p1", Cause: tt.cause}, time.Now())
				if tt.putOff == 0 && !at.IsZero() || tt.putOff > 0 && time.Until(at).Truncate(time.Millisecond) != tt.putOff+time.Millisecond {
					t.Fatalf("put off to %s, want in %s", at, tt.putOff)
				}
				if tt.putOff > 0 { // it was not made, so it does not count
					time.Sleep(tt.putOff)
					if at := l.tooSoon(store.Mark{ID: "p1", Cause: tt.cause}, time.Now()); !at.IsZero() {
						t.Errorf("put off again, to %s", at)
					}
				}
			})
		})
	}
}

// Webhooks come every second for ten minutes; each is followed by a look at the time that it is given, and no look is missing.
func TestLooksUnderAStream(t *testing.T) {
	for _, tt := range []struct {
		signed bool
		gap    time.Duration
	}{{true, signedGap}, {false, unsignedGap}} {
		inBubble(t, func(t *testing.T) {
			l := newLooks()
			var looks []time.Time
			var due, last time.Time
			for range 601 {
				now := time.Now()
				if at := l.when("p1", tt.signed, now); due.IsZero() || at.Before(due) {
					due = at // marking twice is marking once, with the earlier time
				}
				last = now
				if !due.After(now) {
					l.note("p1", tt.signed, now)
					looks, due = append(looks, now), time.Time{}
				}
				time.Sleep(time.Second)
			}
			for i := 1; i < len(looks); i++ {
				if d := looks[i].Sub(looks[i-1]); d != tt.gap {
					t.Errorf("signed %t: look %d came %s after the one before, want %s", tt.signed, i, d, tt.gap)
				}
			}
			if want := int(10*time.Minute/tt.gap) + 1; len(looks) != want {
				t.Errorf("signed %t: %d looks, want %d", tt.signed, len(looks), want)
			}
			if due.IsZero() && looks[len(looks)-1].Before(last) {
				t.Errorf("signed %t: the last webhook was dropped", tt.signed)
			}
		})
	}
}

// What is long past is forgotten, so that a store of any size costs the memory of a minute.
func TestLooksAreForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		l := newLooks()
		for i := range 1000 {
			l.note(fmt.Sprint("p", i), i%2 == 0, time.Now())
			time.Sleep(time.Second)
		}
		if n, m := len(l.signed), len(l.unsigned); n > 70 || m > 70 {
			t.Errorf("%d signed and %d unsigned looks are remembered, one a second having been made", n, m)
		}
		if got := l.when("p999", false, time.Now()); !got.After(time.Now()) {
			t.Error("the last look is forgotten too")
		}
	})
}

func TestHintsPayOff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := &hints{}
		if !h.open(time.Now()) || h.until(time.Now()) != 0 {
			t.Fatal("the first look is not allowed")
		}
		h.spend(100, 50, time.Now()) // at a tenth of 50 points a second: 20 s
		if h.open(time.Now()) || h.until(time.Now()) != 20*time.Second {
			t.Errorf("a look of 100 points at 50 points a second is paid off in %s, want 20s", h.until(time.Now()))
		}
		time.Sleep(20*time.Second - time.Nanosecond)
		if h.open(time.Now()) {
			t.Error("open before it is paid off")
		}
		time.Sleep(time.Nanosecond)
		if !h.open(time.Now()) || h.until(time.Now()) != 0 {
			t.Error("shut although it is paid off")
		}

		h.spend(10, 50, time.Now())
		h.spend(10, 50, time.Now()) // a second that was under way at the same time
		if got := h.until(time.Now()); got != 4*time.Second {
			t.Errorf("two looks of 10 points are paid off in %s, want 4s", got)
		}

		time.Sleep(time.Hour) // quiet saves nothing up
		h.spend(100, 50, time.Now())
		if got := h.until(time.Now()); got != 20*time.Second {
			t.Errorf("after an hour of quiet a look of 100 points is paid off in %s, want 20s", got)
		}
	})
}

// The cost of a look is known once it has ended, so there is one at a time.
func TestHintsAreTakenOneAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := &hints{}
		h.take()
		if h.open(time.Now()) {
			t.Error("a second look while the first is under way")
		}
		h.spend(10, 50, time.Now())
		h.end()
		if h.open(time.Now()) {
			t.Error("a second look before the first is paid off")
		}
		time.Sleep(2 * time.Second)
		if !h.open(time.Now()) {
			t.Error("shut although it is paid off")
		}
		h.take()
		h.end() // of which nothing is known, since it failed
		if !h.open(time.Now()) {
			t.Error("a look that cost nothing shut the budget")
		}
	})
}

func TestHintsTakeNoNonsense(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := &hints{}
		for _, tt := range []struct{ points, rate float64 }{{0, 50}, {-10, 50}, {10, 0}, {10, -1}} {
			h.spend(tt.points, tt.rate, time.Now())
			if !h.open(time.Now()) {
				t.Errorf("%v points at %v a second shut the budget for %s", tt.points, tt.rate, h.until(time.Now()))
			}
		}
	})
}

// Over any long time the looks of unsigned webhooks cost a tenth of the restore rate, and one look.
func TestHintsKeepTheShare(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const rate, cost = 50.0, 140.0
		h, start, spent := &hints{}, time.Now(), 0.0
		for time.Since(start) < time.Hour {
			if h.open(time.Now()) {
				h.spend(cost, rate, time.Now())
				spent += cost
			}
			time.Sleep(100 * time.Millisecond)
		}
		allowed := hintShare * rate * time.Since(start).Seconds()
		if spent > allowed+cost || spent < allowed*0.99 {
			t.Errorf("%v points in an hour, of %v and a look of %v", spent, allowed, cost)
		}
	})
}
