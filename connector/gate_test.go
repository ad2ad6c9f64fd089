package connector

import (
	"fmt"
	"testing"
	"time"
)

func openGate() *gate { return newGate(func() time.Duration { return gateMost }) }

// shutBy has different publications fail until the gate is shut.
func shutBy(g *gate) {
	for range 2 {
		for i := range gateDistinct {
			g.failed(fmt.Sprint("shut-", i), "connection refused", time.Now())
		}
	}
}

func mustBe(t *testing.T, g *gate, shut bool, when string) {
	t.Helper()
	if got := g.look(time.Now()); got.Shut != shut {
		t.Fatalf("%s: shut is %t, want %t: %+v", when, got.Shut, shut, got)
	}
}

// isClosed reports whether a channel that tells of a move has told.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestGateShutsForDistinctPublications(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		mustBe(t, g, false, "a new gate")
		for range 50 {
			if g.failed("p1", "no answer", time.Now()) {
				t.Fatal("one publication that fails is news of the whole shop")
			}
		}
		mustBe(t, g, false, "one publication failed fifty times")
		for _, id := range []string{"p2", "p2", "p3"} {
			g.failed(id, "no answer", time.Now())
		}
		mustBe(t, g, false, "two publications failed again, and a third once")
		moved := g.moved()
		if !g.failed("p3", "no answer", time.Now()) {
			t.Error("three publications that fail again are no news")
		}
		mustBe(t, g, true, "three publications failed again")
		if !isClosed(moved) {
			t.Error("nobody was told that the gate shut")
		}
		if got := g.look(time.Now()); got.Reason != "no answer" || got.Firm || got.Refused || !got.Since.Equal(time.Now()) {
			t.Errorf("shut by failures: %+v", got)
		}
		if g.failed("p4", "no answer", time.Now()) {
			t.Error("what was under way when it shut is news again")
		}
	})
}

// Where many fail, none of them need fail twice.
func TestGateShutsForMany(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		for i := range gateOnce {
			mustBe(t, g, false, "fewer than many failed")
			g.failed(fmt.Sprint("p", i), "no answer", time.Now())
		}
		mustBe(t, g, true, "many failed")
	})
}

func TestGateSuccessStartsCountingAnew(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		g.failed("p1", "no answer", time.Now())
		g.failed("p2", "no answer", time.Now())
		if g.succeeded(time.Now()) {
			t.Error("a gate that never shut is said to be open again")
		}
		g.failed("p1", "no answer", time.Now())
		g.failed("p2", "no answer", time.Now())
		mustBe(t, g, false, "two failures, a success, two failures")
	})
}

// After a pause one failure is enough to shut it again, for longer, and one success opens it for good.
func TestGateTriesAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		shutBy(g)
		var longest time.Duration
		for attempt := 1; attempt <= 40; attempt++ {
			until := g.look(time.Now()).Until
			pause := time.Until(until)
			most := max(gateLeast, min(backoffFirst<<min(attempt-1, 20), gateMost))
			if pause < gateLeast || pause > most {
				t.Fatalf("pause %d lasts %s, want between %s and %s", attempt, pause, gateLeast, most)
			}
			longest = max(longest, pause)
			time.Sleep(pause - time.Nanosecond)
			mustBe(t, g, true, "just before the pause ends")
			time.Sleep(time.Nanosecond)
			mustBe(t, g, false, "once the pause has ended")
			if g.failed("shut-0", "still no answer", time.Now()) {
				t.Fatal("the same trouble is news again")
			}
			mustBe(t, g, true, "one failure after the pause")
		}
		if longest < time.Minute {
			t.Errorf("forty pauses in a row, and the longest is %s: they do not grow", longest)
		}
		moved := g.moved()
		if !g.succeeded(time.Now()) {
			t.Error("that the trouble is over is no news")
		}
		mustBe(t, g, false, "a success")
		if !isClosed(moved) {
			t.Error("nobody was told that the gate opened")
		}
		if g.succeeded(time.Now()) {
			t.Error("the second success is news too")
		}
		if got := g.look(time.Now()); !got.Since.IsZero() || got.Reason != "" {
			t.Errorf("the trouble is over, and yet %+v", got)
		}
		g.failed("p1", "no answer", time.Now())
		mustBe(t, g, false, "one failure after a success")
	})
}

func TestGateReleaseEndsAPause(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		g.release() // of an open gate: nothing
		mustBe(t, g, false, "an open gate released")
		shutBy(g)
		moved := g.moved()
		g.release()
		mustBe(t, g, false, "released")
		if !isClosed(moved) {
			t.Error("nobody was told of the release")
		}
		if got := g.look(time.Now()); got.Since.IsZero() {
			t.Error("a release is no success: the trouble is forgotten")
		}
		g.failed("shut-0", "no answer", time.Now())
		mustBe(t, g, true, "one failure after a release")
	})
}

// What the other side says of when to come back holds, whoever asks and whatever else is answered meanwhile.
func TestGateFirmPause(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*gate)
	}{
		{"a person asks", func(g *gate) { g.release() }},
		{"the last answers succeed", func(g *gate) {
			if g.succeeded(time.Now()) {
				panic("a late answer is said to end the trouble")
			}
		}},
		{"the last answers fail", shutBy},
		{"the last answers are refused", func(g *gate) { g.refuse("503", time.Now(), 0, false) }},
		{"a shorter Retry-After", func(g *gate) { g.refuse("429", time.Now(), time.Second, false) }},
		{"a restart", func(g *gate) { g.restore(g.look(time.Now()).Until, "429", time.Now()) }},
		{"everything at once", func(g *gate) { shutBy(g); g.release(); g.succeeded(time.Now()); g.release() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				g := openGate()
				if !g.refuse("429", time.Now(), time.Hour, false) {
					t.Error("a pause of an hour is no news")
				}
				time.Sleep(10 * time.Minute)
				tt.do(g)
				if got := g.look(time.Now()); !got.Shut || !got.Firm || time.Until(got.Until) != 50*time.Minute {
					t.Fatalf("50 minutes before its end: %+v, which is %s", got, time.Until(got.Until))
				}
				time.Sleep(50 * time.Minute)
				mustBe(t, g, false, "its time has come")
				if !g.succeeded(time.Now()) {
					t.Error("a success once its time has come is no news")
				}
				mustBe(t, g, false, "a success")
			})
		})
	}
}

func TestGateFirmPauseGrows(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		g.refuse("429", time.Now(), time.Minute, false)
		g.refuse("429", time.Now(), time.Hour, false)
		if got := g.look(time.Now()); time.Until(got.Until) != time.Hour {
			t.Errorf("a longer Retry-After, and the pause lasts %s", time.Until(got.Until))
		}
		g = openGate()
		shutBy(g)
		g.refuse("429", time.Now(), 50*time.Millisecond, false)
		if got := g.look(time.Now()); time.Until(got.Until) != 50*time.Millisecond || !got.Firm {
			t.Errorf("the other side's own word, and the pause is %+v", got)
		}
	})
}

// A date that is years off shuts the shop for a day, and then it is asked again.
func TestGateFirmPauseIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		g.refuse("429", time.Now(), 30*365*24*time.Hour, false)
		if d := time.Until(g.look(time.Now()).Until); d != gateFirm {
			t.Errorf("a Retry-After of thirty years pauses for %s", d)
		}
	})
}

func TestGateRestore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		g.restore(time.Now().Add(-time.Second), "429", time.Now())
		g.restore(time.Time{}, "429", time.Now())
		if got := g.look(time.Now()); got.Shut || !got.Since.IsZero() {
			t.Errorf("a pause that is over is restored: %+v", got)
		}
		g.restore(time.Now().Add(time.Minute), "429", time.Now())
		if got := g.look(time.Now()); !got.Shut || !got.Firm || got.Refused || got.Reason != "429" {
			t.Errorf("restored: %+v", got)
		}
		g.release()
		mustBe(t, g, true, "a person asks after a restart")
		time.Sleep(time.Minute)
		mustBe(t, g, false, "its time has come")
	})
}

// Where somebody can check the other side, a refusal lasts until the check passes; where nobody can, time is the check.
func TestGateRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := openGate()
		g.refuse("the token is refused", time.Now(), 0, true)
		if got := g.look(time.Now()); !got.Shut || !got.Refused || got.Firm {
			t.Errorf("refused: %+v", got)
		}
		time.Sleep(gateMost)
		if got := g.look(time.Now()); got.Shut || !got.Refused {
			t.Errorf("refused, unchecked, and the pause is over: %+v", got)
		}
		g.refuse("no answer", time.Now(), 0, false)
		if !g.look(time.Now()).Refused {
			t.Error("a refusal is forgotten because the next try met silence")
		}
		time.Sleep(gateMost)
		g.succeeded(time.Now())
		if g.look(time.Now()).Refused {
			t.Error("a success, and still refused")
		}

		g = openGate()
		g.checked = true
		g.refuse("the key is refused", time.Now(), 0, true)
		time.Sleep(48 * time.Hour)
		mustBe(t, g, true, "refused, checked, and the pause is over")
		g.release()
		mustBe(t, g, false, "the check passes")
		if g.look(time.Now()).Refused {
			t.Error("the check passed, and still refused")
		}
		shutBy(g)
		time.Sleep(gateMost)
		mustBe(t, g, false, "failures that are no refusal, and the pause is over")
	})
}

// A refusal may come while a Retry-After is under way, or with one of its own. Once that is over, the check's word counts.
func TestGateRefusedDuringFirmPause(t *testing.T) {
	for _, tt := range []struct {
		name   string
		refuse func(*gate)
	}{
		{"during one", func(g *gate) {
			g.refuse("429", time.Now(), time.Minute, false)
			g.refuse("the key is refused", time.Now(), 0, true)
		}},
		{"with its own", func(g *gate) { g.refuse("the key is refused", time.Now(), time.Minute, true) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				g := openGate()
				g.checked = true
				tt.refuse(g)
				g.release()
				mustBe(t, g, true, "a person asks before its time")
				time.Sleep(time.Minute)
				mustBe(t, g, true, "its time has come, and nobody has checked")
				g.release()
				mustBe(t, g, false, "the check passes")
			})
		})
	}
}

func TestGatePausesAreShortWhileSomebodyWaits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		g := newGate(func() time.Duration { return backoffOnce })
		shutBy(g)
		for range 100 {
			pause := time.Until(g.look(time.Now()).Until)
			if pause < gateLeast || pause > backoffOnce {
				t.Fatalf("a pause of %s", pause)
			}
			time.Sleep(pause)
			g.failed("p1", "no answer", time.Now())
		}
	})
}
