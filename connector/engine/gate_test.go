package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// made is an open gate before a side.
func made(side string, log io.Writer) *Gate {
	l := slog.New(slog.NewTextHandler(log, nil))
	h := newHealth(slog.New(slog.DiscardHandler), func(s string) string { return s }, store.Store{})
	return newGate(side, l, h, func() time.Duration { return maxPause })
}

func closed() *Gate { return made(sideMarketplace, io.Discard) }

func fail(b *Gate, id, reason string) { b.judge(id, verdict{reason: reason}) }

func open(b *Gate, reason string, retryAfter time.Duration, refused bool) {
	b.judge("", verdict{wide: true, reason: reason, retryAfter: retryAfter, refused: refused})
}

// openBy has different publications fail until the breaker opens.
func openBy(b *Gate) {
	for range 2 {
		for i := range failedAgain {
			fail(b, fmt.Sprint("open-", i), "connection refused")
		}
	}
}

func mustBe(t *testing.T, b *Gate, open bool, when string) {
	t.Helper()
	if got := b.Status(time.Now()); got.Shut != open {
		t.Fatalf("%s: open is %t, want %t: %+v", when, got.Shut, open, got)
	}
}

func TestGateOpensForDistinctPublications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := closed()
		mustBe(t, b, false, "a new breaker")
		for range 50 {
			fail(b, "p1", "no answer")
		}
		mustBe(t, b, false, "one publication failed fifty times")
		for _, id := range []string{"p2", "p2", "p3"} {
			fail(b, id, "no answer")
		}
		mustBe(t, b, false, "two publications failed again, and a third once")
		moved := b.Changed()
		fail(b, "p3", "no answer")
		mustBe(t, b, true, "three publications failed again")
		if !isClosed(moved) {
			t.Error("got no signal when it opened, want one")
		}
		got := b.Status(time.Now())
		if got.Reason != "no answer" || !got.Since.Equal(time.Now()) {
			t.Errorf("opened by failures: got %q since %s, want %q since %s", got.Reason, got.Since, "no answer", time.Now())
		}
		if got.Firm || got.Refused {
			t.Errorf("opened by failures: got firm %t, refused %t, want neither", got.Firm, got.Refused)
		}
		until := b.Status(time.Now()).Until
		fail(b, "p4", "no answer")
		if got := b.Status(time.Now()).Until; !got.Equal(until) {
			t.Errorf("after a call that was under way when it opened: got a pause until %s, want %s", got, until)
		}
	})
}

// No check ends a rate limit, nor what a call that was under way then asks for beyond it.
func TestGateKeepsARateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := made(sideShop, io.Discard)
		for _, limited := range []bool{true, false} {
			e := shopadapter.Retry("busy").Everywhere().After(10 * time.Minute)
			e.Limited = limited
			g.Told("p1", e)
			time.Sleep(time.Second)
		}
		g.checkPassed(time.Now())
		mustBe(t, g, true, "after a check")
		time.Sleep(10 * time.Minute)
		mustBe(t, g, false, "at its end")
	})
}

// After a pause one failure is enough to open it again, for longer, and one success closes it for
// good.
func TestGateTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := closed()
		openBy(b)
		var longest time.Duration
		for attempt := 1; attempt <= 40; attempt++ {
			until := b.Status(time.Now()).Until
			pause := time.Until(until)
			most := max(MinPause, min(FirstBackoff<<min(attempt-1, 20), maxPause))
			if pause < MinPause || pause > most {
				t.Fatalf("pause %d lasts %s, want between %s and %s", attempt, pause, MinPause, most)
			}
			longest = max(longest, pause)
			time.Sleep(pause - time.Nanosecond)
			mustBe(t, b, true, "just before the pause ends")
			time.Sleep(time.Nanosecond)
			mustBe(t, b, false, "once the pause has ended")
			fail(b, "open-0", "still no answer")
			mustBe(t, b, true, "one failure after the pause")
		}
		if longest < time.Minute {
			t.Errorf("got %s as the longest of forty pauses in a row, want a minute at least", longest)
		}
		moved := b.Changed()
		b.succeed(time.Now())
		mustBe(t, b, false, "a success")
		if !isClosed(moved) {
			t.Error("got no signal when it closed, want one")
		}
		if got := b.Status(time.Now()); !got.Since.IsZero() || got.Reason != "" {
			t.Errorf("after the trouble: got since %s, reason %q, want neither", got.Since, got.Reason)
		}
		fail(b, "p1", "no answer")
		mustBe(t, b, false, "one failure after a success")
	})
}

// A Retry-After holds, whatever a person asks and other calls answer meanwhile.
func TestGateFirmPause(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*Gate)
	}{
		{"a person asks", func(b *Gate) { b.Release() }},
		{"the last answers succeed", func(b *Gate) {
			if b.succeed(time.Now()); b.Status(time.Now()).Since.IsZero() {
				panic("a late answer is said to end the trouble")
			}
		}},
		{"the last answers fail", openBy},
		{"the last answers are refused", func(b *Gate) { open(b, "503", 0, false) }},
		{"a shorter Retry-After", func(b *Gate) { open(b, "429", time.Second, false) }},
		{"everything at once", func(b *Gate) { openBy(b); b.Release(); b.succeed(time.Now()); b.Release() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := closed()
				open(b, "429", time.Hour, false)
				time.Sleep(10 * time.Minute)
				tt.do(b)
				if got := b.Status(time.Now()); !got.Shut || !got.Firm || time.Until(got.Until) != 50*time.Minute {
					t.Fatalf("got %+v for another %s, want it open and firm for 50m", got, time.Until(got.Until))
				}
				time.Sleep(50 * time.Minute)
				mustBe(t, b, false, "its time has come")
				b.succeed(time.Now())
				mustBe(t, b, false, "a success")
			})
		})
	}
}

// A refusal lasts until a check passes. Where the side cannot be checked, it ends with its pause.
func TestGateRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := closed()
		open(b, "the token is refused", 0, true)
		if got := b.Status(time.Now()); !got.Shut || !got.Refused || got.Firm {
			t.Errorf("refused: got %+v, want it open and refused, not firm", got)
		}
		time.Sleep(maxPause)
		if got := b.Status(time.Now()); got.Shut || !got.Refused {
			t.Errorf("after the pause of an unchecked refusal: got %+v, want it closed and refused", got)
		}
		open(b, "no answer", 0, false)
		if !b.Status(time.Now()).Refused {
			t.Error("after a try without an answer: got no refusal, want it kept")
		}
		time.Sleep(maxPause)
		b.succeed(time.Now())
		if b.Status(time.Now()).Refused {
			t.Error("after a success: got refused, want not")
		}

		b = made(sideShop, io.Discard)
		open(b, "the key is refused", 0, true)
		time.Sleep(48 * time.Hour)
		mustBe(t, b, true, "refused, checked, and the pause is over")
		b.checkPassed(time.Now())
		mustBe(t, b, false, "the check passes")
		if b.Status(time.Now()).Refused {
			t.Error("after a check that passed: got refused, want not")
		}
		openBy(b)
		time.Sleep(maxPause)
		mustBe(t, b, false, "failures that are no refusal, and the pause is over")
	})
}

// A refusal may come while a Retry-After is under way, or with one of its own. Once that is over,
// the check's word counts.
func TestGateRefusedDuringFirmPause(t *testing.T) {
	for _, tt := range []struct {
		name   string
		refuse func(*Gate)
	}{
		{"during one", func(b *Gate) {
			open(b, "429", time.Minute, false)
			open(b, "the key is refused", 0, true)
		}},
		{"with its own", func(b *Gate) { open(b, "the key is refused", time.Minute, true) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := made(sideShop, io.Discard)
				tt.refuse(b)
				b.Release()
				mustBe(t, b, true, "a person asks before its time")
				time.Sleep(time.Minute)
				mustBe(t, b, true, "its time has come, and nobody has checked")
				b.checkPassed(time.Now())
				mustBe(t, b, false, "the check passes")
			})
		})
	}
}

func TestGateLogsATroubleOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := made(sideShop, &out)
		for range 2 {
			for _, reason := range []string{"HTTP 503", "HTTP 502", "refused"} {
				b.judge("p1", verdict{wide: true, reason: reason})
			}
			time.Sleep(time.Hour)
			b.judge("p1", verdict{ok: true})
		}
		for _, line := range []string{
			`msg="shop cannot be used, pausing until it can" error="HTTP 503"`, `msg="back, and used again" side=shop`,
		} {
			if n := strings.Count(out.String(), line); n != 2 {
				t.Errorf("%d lines %s, want one for each of two troubles:\n%s", n, line, &out)
			}
		}
	})
}

func TestGateOfOneVerdict(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    verdict
		open bool
	}{
		{"a rejected product", ofShop(shopadapter.Reject("no title")), false},
		{"a deleted listing", ofShop(shopadapter.ErrGone), false},
		{"one blocked product", ofShop(shopadapter.Block("no such category")), false},
		{"an unclassified error", ofShop(errors.New("no answer")), false},
		{"refused credentials", ofShop(shopadapter.Block("the key").Everywhere()), true},
		{"a shop that is down", ofShop(shopadapter.Retry("maintenance").Everywhere()), true},
		{"a check without an answer", ofCheck(errors.New("no answer"), false), true},
		{"a refused token", ofMarketplace(&marketplace.Error{Kind: marketplace.Unauthorized}), true},
		{"a refused report", ofMarketplace(&marketplace.Error{Kind: marketplace.Refused, RetryAfter: time.Hour}), false},
		{
			"too few points", ofMarketplace(&marketplace.Error{Kind: marketplace.Throttled, RetryAfter: time.Second}),
			true,
		},
		{"a Retry-After", ofMarketplace(&marketplace.Error{RetryAfter: time.Hour}), true},
		{"a cancelled request", ofMarketplace(context.Canceled), false},
		{"an unreachable marketplace", ofMarketplace(errors.New("connection refused")), false},
	} {
		b := closed()
		b.judge("p1", tt.v)
		if got := b.Status(time.Now()).Shut; got != tt.open {
			t.Errorf("%s: open %t, want %t: %+v", tt.name, got, tt.open, tt.v)
		}
	}
}

// A check that passes ends a long pause, but none that is short or has been set since the check began.
func TestGateAndAPassingCheck(t *testing.T) {
	for _, tt := range []struct {
		name               string
		pause, check, more time.Duration
		open               bool
	}{
		{"a long pause", time.Hour, time.Second, 0, false},
		{"a short one", time.Minute, time.Second, 0, true},
		{"one set since", 0, 2 * time.Second, time.Hour, true},
		{"another one set since", time.Hour, 2 * time.Second, time.Hour, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := made(sideShop, io.Discard)
				if tt.pause > 0 {
					open(b, "429", tt.pause, false)
				}
				time.Sleep(time.Second)
				begun := time.Now()
				if tt.more > 0 {
					time.Sleep(tt.check / 2)
					open(b, "429", tt.more, false)
				}
				time.Sleep(tt.check / 2)
				b.checkPassed(begun)
				mustBe(t, b, tt.open, "a check has passed")
			})
		})
	}
}

func isClosed(signal <-chan struct{}) bool {
	select {
	case <-signal:
		return true
	default:
		return false
	}
}
