// Package breaker holds the circuit breakers before the shop and the marketplace, and what loops wait
// with: signals and backoff.
//
// A closed breaker lets every call through. An open one lets none through: each loop looks at Status
// before it calls, and waits for Changed. It closes when its pause is over, and then calls tell whether the
// side is back, one at a time where it did not set the pause; a refusal of a side that can be checked lasts
// until a check passes. A success forgets all that was learned of the trouble, a person's request ends every
// pause but a Retry-After, a restart ends all of them.
package breaker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
)

// A Side is the shop or the marketplace. A breaker stands before each.
type Side string

// The sides.
const (
	Shop        Side = "shop"
	Marketplace Side = "marketplace"
)

const (
	MaxPause      = 5 * time.Minute        // the longest pause that the other side did not ask for
	MinPause      = 200 * time.Millisecond // the shortest
	MaxRetryAfter = publication.MaxRetryAfter

	earlyPause = 2 * time.Second // the bound of a pause however short the trouble is

	failedAgain = 3 // so many publications that failed twice in a row open the breaker
	failedOnce  = 8 // and so do so many that failed once

	// A shop may ask for a longer pause than it needs: WordPress answers Retry-After: 600 during a maintenance
	// of seconds. So a pause that is longer than shortPause is checked every checkEvery. Where the check passes
	// and the breaker opens again, the span doubles, up to checkEveryMax.
	shortPause    = time.Minute
	checkEvery    = 30 * time.Second
	checkEveryMax = 16 * time.Minute
)

// Options are what a Breaker is made from.
type Options struct {
	Side    Side
	Log     *slog.Logger         // logs the beginning and the end of each trouble
	Most    func() time.Duration // bounds the pauses that the other side did not ask for, as MaxPause does
	Checked bool                 // the side can be checked

	// are told of each failure, and of what mends it: a call that succeeds, or a check that passes. The ids
	// are of the publications that it was about, none where it concerns every call
	Failed func(id, reason string)
	Mended func(ids ...string)
}

// A Breaker stands before the shop or the marketplace. It opens after a failure that concerns every call,
// after a Retry-After, and after failures of several publications in a row.
type Breaker struct {
	Options
	changed *Signal // raised whenever the breaker opens or closes

	mu     sync.Mutex
	worked time.Time // the last success
	trying bool      // the one call after a pause is under way
	trouble
}

// A trouble is what is learned from failures. A success ends it.
type trouble struct {
	since    time.Time // zero: there is none
	reason   string
	until    time.Time     // the end of the pause; zero: there is none
	span     time.Duration // of the pause, counted from the call that set it last
	tried    time.Time     // of the last failure: it opened, or stayed open
	firm     bool          // the pause was set by a Retry-After
	refused  bool          // credentials or address are refused
	passed   bool          // a check has passed since
	misled   int           // checks in a row that passed, after which it opened again
	attempts int           // how often it has opened in a row
	failing  map[string]int
	wide     int // failures in a row that concerned no single publication
}

// New makes a closed breaker.
func New(o Options) *Breaker {
	return &Breaker{Options: o, changed: NewSignal(), trouble: trouble{failing: map[string]int{}}}
}

// Status is a breaker at one moment.
type Status struct {
	Open    bool      // no call may be made
	Long    bool      // the other side set a pause so long that a check may end it
	Paused  bool      // as a person is told: it opened, and no call has succeeded nor check passed since
	Until   time.Time // the end of the pause; zero where there is none
	Try     time.Time // when the side is checked next, or tried; zero: it is not open
	Firm    bool      // the other side set the pause, by a Retry-After
	Refused bool      // the other side refuses credentials or the address
	Since   time.Time // of the trouble as a whole; zero when all is well
	Reason  string    // of the trouble
}

// Status is the breaker now.
func (b *Breaker) Status(now time.Time) Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{
		Open: now.Before(b.until) || b.Checked && b.refused, Paused: !b.since.IsZero() && !b.passed,
		Until: b.until, Firm: b.firm, Refused: b.refused, Since: b.since, Reason: b.reason,
	}
	s.Long = s.Open && b.Checked && !b.refused && b.span > shortPause
	if s.Open {
		s.Try = b.until
	}
	if s.Long {
		every := min(min(checkEvery, b.Most())<<min(b.misled, 10), checkEveryMax)
		if at := b.tried.Add(every); at.Before(s.Try) {
			s.Try = at
		}
	}
	return s
}

// Wait is how long to sleep before an open breaker is looked at again, unless it changes before.
func (s Status) Wait(now time.Time) time.Duration {
	if d := s.Until.Sub(now); d > 0 {
		return d
	}
	return Idle
}

// Asked is a message about the pause that the shop asked for, "" where there is none.
func (s Status) Asked(now time.Time) string {
	if !s.Open || !s.Firm || !now.Before(s.Until) {
		return ""
	}
	return "the shop asked for a pause until " + s.Until.UTC().Format(time.RFC3339) + ": " + s.Reason
}

// Changed returns a channel that is closed when the breaker opens or closes.
func (b *Breaker) Changed() <-chan struct{} { return b.changed.Raised() }

// WorkedSince reports whether a call has succeeded at or after a time.
func (b *Breaker) WorkedSince(t time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.worked.IsZero() && !b.worked.Before(t)
}

// AwaitRetryAfter waits until a pause is over that the other side set, or until ctx ends.
func (b *Breaker) AwaitRetryAfter(ctx context.Context) {
	for ctx.Err() == nil {
		changed, now := b.Changed(), time.Now()
		s := b.Status(now)
		if !s.Open || !s.Firm {
			return
		}
		Sleep(ctx, s.Wait(now), changed)
	}
}

// Enter lets every caller in while all is well. After a pause that the other side did not set it lets one in
// at a time, until a call succeeds: more would cost a side that is not back, and points. leave wakes them where
// the caller did something: two that find nothing to do would wake each other for ever.
func (b *Breaker) Enter() (leave func(did bool), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.attempts == 0 || b.firm {
		return func(bool) {}, true
	}
	if b.trying {
		return nil, false
	}
	b.trying = true
	return func(did bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.trying = false; did {
			b.changed.Raise()
		}
	}, true
}

// Judge tells the breaker how a call ended. id is the publication that the call was about, "" for
// none. It reports whether the call failed.
func (b *Breaker) Judge(id string, v Verdict) (failed bool) {
	now := time.Now()
	switch {
	case v.Moot:
		return false
	case v.OK:
		b.Succeed(now, id)
		return false
	}
	switch begins := b.fail(id, v, now); {
	case begins && b.Side == Shop:
		b.Log.Error("shop cannot be used, pausing until it can", "error", v.Reason)
	case begins:
		b.Log.Error("marketplace cannot be used, pausing until it can", "error", v.Reason)
	}
	if v.Wide || id == "check" || id == "list" { // these are about no publication
		id = ""
	}
	b.Failed(id, v.Reason)
	return true
}

// fail records a failure, and reports whether trouble begins with it.
func (b *Breaker) fail(id string, v Verdict, now time.Time) (begins bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !v.Wide {
		if id == "" {
			b.wide++
		} else {
			b.failing[id]++
		}
		again := 0
		for _, n := range b.failing {
			if n > 1 {
				again++
			}
		}
		// attempts > 0: the side was tried after a pause, and still fails
		if b.attempts == 0 && again+b.wide < failedAgain && len(b.failing) < failedOnce {
			return false
		}
	}
	if begins = b.since.IsZero(); begins {
		b.since = now
	}
	if b.passed {
		b.misled++
	}
	underWay := now.Before(b.until) // the call was, when the breaker opened; or it is a check
	if !underWay {
		b.attempts++
	}
	b.reason, b.refused, b.passed, b.tried = v.Reason, b.refused || v.Refused, false, now
	switch until := now.Add(min(v.RetryAfter, MaxRetryAfter)); {
	case v.RetryAfter > 0:
		if !b.firm || !until.Before(b.until) {
			b.until, b.span, b.firm = until, until.Sub(now), true
		}
	case !underWay:
		// It is no longer than the trouble has lasted: else a short outage could lead by chance to a long wait.
		span := min(Backoff(b.attempts, min(b.Most(), MaxPause)), max(earlyPause, now.Sub(b.since)))
		b.span, b.firm = max(MinPause, span), false
		b.until = now.Add(b.span)
	}
	b.changed.Raise()
	return begins
}

// Succeed closes the breaker for good, since a call has succeeded. An answer to a call from before
// the breaker opened changes neither a Retry-After nor a refusal. ids are the publications that the
// call was about.
func (b *Breaker) Succeed(now time.Time, ids ...string) {
	b.mu.Lock()
	if (b.firm || b.refused) && now.Before(b.until) {
		b.mu.Unlock()
		return
	}
	was := !b.since.IsZero()
	clear(b.failing)
	b.worked, b.trouble = now, trouble{failing: b.failing}
	b.mu.Unlock()
	b.Mended(ids...)
	if was {
		b.changed.Raise()
		b.Log.Info("back, and used again", "side", b.Side)
	}
}

// Release ends a pause because a person asks for it. A Retry-After stays until its time; a refusal that
// came meanwhile ends with it.
func (b *Breaker) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.until.IsZero() && (!b.firm || !time.Now().Before(b.until)) {
		b.close()
	}
}

// Passed ends a refusal or a pause, because a check has passed that began at a time. A Retry-After that is not
// long stays, and so does what has come since the check began. The side is no longer shown as paused.
func (b *Breaker) Passed(begun time.Time) {
	now := time.Now()
	b.mu.Lock()
	stays := b.tried.After(begun) || b.firm && now.Before(b.until) && (b.span <= shortPause || b.refused)
	if !stays && !b.since.IsZero() {
		b.passed = true
		b.close()
	}
	b.mu.Unlock()
	if !stays {
		b.Mended()
	}
}

// close lets calls through. What was learned stays until one succeeds. The caller holds mu.
func (b *Breaker) close() {
	b.until, b.firm, b.refused = time.Time{}, false, false
	b.changed.Raise()
}
