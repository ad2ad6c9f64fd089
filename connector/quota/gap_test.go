package quota

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
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
			{time.Second, true, 9 * time.Second},
			{time.Second, false, 59 * time.Second},
			{20 * time.Second, true, 0},
			{20 * time.Second, false, 40 * time.Second},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, h := range tt.hooks {
					g, start := NewGaps(), time.Now()
					for _, signed := range tt.noted {
						g.begin("p1", signed, start)
					}
					time.Sleep(h.after)
					now := time.Now()
					if got := g.Next("p1", h.signed, now).Sub(now); got != h.wait {
						t.Errorf("signed %t, %s after: a look in %s, want %s", h.signed, h.after, got, h.wait)
					}
					if got := g.Next("p2", h.signed, now); !got.Equal(now) {
						t.Errorf("another publication: got a wait of %s, want none", got.Sub(now))
					}
				}
			})
		})
	}
}

// A look that webhooks alone ask for is put off; one that anything else asks for too is made, and
// counts.
func TestLooksBegin(t *testing.T) {
	const signed, unsigned = store.CauseSigned, store.CauseUnsigned
	for _, tt := range []struct {
		name          string
		before, cause store.Cause
		after, putOff time.Duration
	}{
		{"the first", 0, signed, 0, 0},
		{"signed, too soon", signed, signed, 4 * time.Second, 6 * time.Second},
		{"signed, in time", signed, signed, publication.SignedGap, 0},
		{"unsigned, too soon", unsigned, unsigned, 4 * time.Second, 56 * time.Second},
		{"unsigned, in time", unsigned, unsigned, publication.UnsignedGap, 0},
		{"the other kind", unsigned, signed, time.Second, 0},
		{"both, after signed: the signed one waits", signed, signed | unsigned, time.Second, 9 * time.Second},
		{"both, after unsigned: the signed one may", unsigned, signed | unsigned, time.Second, 0},
		{
			"both, after both: as soon as the signed one may", signed | unsigned, signed | unsigned, time.Second,
			9 * time.Second,
		},
		{"signed, and a person asks", signed, signed | store.CauseAsked, time.Second, 0},
		{"signed, and a retry", signed, signed | store.CauseRetry, time.Second, 0},
		{"no webhook", signed | unsigned, store.CauseRead, 0, 0},
		{"after a look that no webhook led to", store.CauseRead, signed | unsigned, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewGaps()
				first := marked(tt.before)
				if at := g.PutOff(first, time.Now()); !at.IsZero() {
					t.Fatalf("the first look: got put off to %s, want not put off", at)
				}
				g.Begin(first, time.Now())
				time.Sleep(tt.after)
				at := g.PutOff(marked(tt.cause), time.Now())
				if tt.putOff == 0 && !at.IsZero() ||
					tt.putOff > 0 && time.Until(at).Truncate(time.Millisecond) != tt.putOff+time.Millisecond {
					t.Fatalf("put off to %s, want in %s", at, tt.putOff)
				}
				if tt.putOff > 0 { // it was not made, so it does not count
					time.Sleep(tt.putOff)
					if at := g.PutOff(marked(tt.cause), time.Now()); !at.IsZero() {
						t.Errorf("after that: got put off to %s, want not put off", at)
					}
				}
			})
		})
	}
}

// marked is a mark for these causes.
func marked(cause store.Cause) store.Mark {
	m := store.Mark{ID: "p1", Class: store.ClassHook, Cause: cause}
	if cause == store.CauseUnsigned {
		m.Class = store.ClassHint
	}
	return m
}

// A look that unsigned webhooks pay for waits for their turn, whatever else the publication is due
// for.
func TestGapsOfHintsHoldWhateverElseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGaps()
		g.Begin(marked(store.CauseUnsigned), time.Now())
		time.Sleep(time.Second)
		for _, cause := range []store.Cause{store.CauseRetry, store.CauseRefresh, store.CauseRead, store.CauseSigned} {
			m := store.Mark{ID: "p1", Class: store.ClassHint, Cause: cause | store.CauseUnsigned}
			if at := g.PutOff(m, time.Now()); time.Until(at).Truncate(time.Second) !=
				publication.UnsignedGap-time.Second {
				t.Errorf("cause %b: got put off to %s, want the rest of %s", cause, at, publication.UnsignedGap)
			}
		}
	})
}

// Webhooks come every second for ten minutes; each is followed by a look at the time that it is
// given, and no look is missing.
func TestLooksUnderAStream(t *testing.T) {
	for _, tt := range []struct {
		signed bool
		gap    time.Duration
	}{{true, publication.SignedGap}, {false, publication.UnsignedGap}} {
		synctest.Test(t, func(t *testing.T) {
			g := NewGaps()
			var looks []time.Time
			var due, last time.Time
			for range 601 {
				now := time.Now()
				if at := g.Next("p1", tt.signed, now); due.IsZero() || at.Before(due) {
					due = at // marking twice is marking once, with the earlier time
				}
				last = now
				if !due.After(now) {
					g.begin("p1", tt.signed, now)
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
				t.Errorf("signed %t: got no look after the last webhook, want one", tt.signed)
			}
		})
	}
}

// Old looks are forgotten, so that a store of any size costs the memory of a minute.
func TestLooksAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGaps()
		for i := range 1000 {
			g.begin(fmt.Sprint("p", i), i%2 == 0, time.Now())
			time.Sleep(time.Second)
		}
		if n, m := len(g.signed), len(g.unsigned); n > 70 || m > 70 {
			t.Errorf("got %d signed and %d unsigned looks remembered of one a second, want 70 at most", n, m)
		}
		if got := g.Next("p999", false, time.Now()); !got.After(time.Now()) {
			t.Errorf("the last look: got the next one at %s, want it later than now", got)
		}
	})
}
