// Package breaker holds the circuit breakers before the shop and the marketplace, and what loops wait
// with: signals and backoff.
//
// A closed breaker lets every call through. An open one lets none through: each loop looks at Status
// before it calls, and waits for Changed. An open breaker closes when its pause is over; from then on one
// call at a time is let through until one of them succeeds. A success forgets all that was learned of the
// trouble, a person's request ends every pause but a Retry-After, a restart ends all of them.
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

	firstPause  = 500 * time.Millisecond // bounds the first pauses: a retry begins within two seconds
	firstPauses = 2                      // how many they are
	earlyPause  = 2 * time.Second        // the bound of a pause however short the trouble is
	shortPause  = time.Minute            // up to which no check ends a pause

	failedAgain = 3 // so many publications that failed twice in a row open the breaker
	failedOnce  = 8 // and so do so many that failed once
)

// Options are what a Breaker is made from.
type Options struct {
	Side    Side
	Log     *slog.Logger         // logs the beginning and the end of each trouble; may be nil
	Most    func() time.Duration // bounds the pauses that the other side did not ask for; nil: MaxPause alone does
	Checked bool                 // the side can be checked: a refusal lasts until a check passes

	// are told of each failure, and of what mends it: a call that succeeds, or a check that passes. The ids
	// are of the publications that it was about, none where it concerns every call. May be nil
	Failed func(id, reason string)
	Mended func(ids ...string)
}

// A Breaker stands before the shop or the marketplace. It opens after a failure that concerns every call,
// after a Retry-After, and after failures of several publications in a row.
type Breaker struct {
	side    Side
	log     *slog.Logger
	most    func() time.Duration
	checked bool
	failed  func(id, reason string)
	mended  func(ids ...string)
	changed *Signal // raised whenever the breaker opens or closes

	mu     sync.Mutex
	worked time.Time // the last success
	until  time.Time // the end of the pause; zero: none
	begun  time.Time // of the pause
	span   time.Duration
	passed bool // a check has ended the last pause, and no call has succeeded since
	trying bool // the one call after a pause is under way
	trouble
}

// A trouble is what is learned from failures. A success ends it.
type trouble struct {
	firm     bool      // the pause was set by a Retry-After
	refused  bool      // credentials or address are refused
	since    time.Time // zero: there is none
	reason   string
	attempts int            // pauses in a row
	failing  map[string]int // failures in a row by publication
	wide     int            // failures in a row that concerned no single publication
	misled   int            // checks in a row that passed, after which the breaker opened again
	cleared  bool           // a check has passed since it opened last: the side is no longer shown as paused
}

// New makes a closed breaker.
func New(o Options) *Breaker {
	b := &Breaker{
		side: o.Side, log: o.Log, most: o.Most, checked: o.Checked, failed: o.Failed, mended: o.Mended,
		changed: NewSignal(), trouble: trouble{failing: map[string]int{}},
	}
	if b.failed == nil {
		b.failed, b.mended = func(string, string) {}, func(...string) {}
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.most == nil {
		b.most = func() time.Duration { return MaxPause }
	}
	return b
}

// Status is a breaker at one moment.
type Status struct {
	Open bool // no call may be made
	// as a person is told: from the moment it opens until a call succeeds or a check passes, between two
	// tries too
	Paused  bool
	Until   time.Time     // the end of the pause; zero where there is none
	Firm    bool          // the other side set the pause, by a Retry-After
	Refused bool          // the other side refuses credentials or the address
	Begun   time.Time     // of the present pause
	Span    time.Duration // of the pause, counted from the call that set it last
	Since   time.Time     // of the trouble as a whole; zero when all is well
	Reason  string        // of the trouble
	Checked bool          // the side can be checked
	Misled  int           // checks in a row that passed though the side was not back
}

// Status is the breaker now.
func (b *Breaker) Status(now time.Time) Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Status{
		Open: now.Before(b.until) || b.checked && b.refused, Paused: !b.since.IsZero() && !b.cleared,
		Until: b.until, Firm: b.firm, Refused: b.refused, Begun: b.begun, Span: b.span, Since: b.since,
		Reason: b.reason, Checked: b.checked, Misled: b.misled,
	}
}

// Checkable reports whether a check may end the present pause before its time.
func (s Status) Checkable() bool { return s.Checked && s.Span > shortPause }

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

// Enter lets every caller in while all is well. After a pause it lets one in at a time. The caller tells
// leave whether it did something. Only then leave wakes the others: two callers that find nothing to do
// would wake each other for ever.
func (b *Breaker) Enter() (leave func(did bool), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.attempts == 0 {
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

// succeed records a success, and reports whether it ended trouble. counts is false for an answer to a call
// from before the breaker opened.
func (b *Breaker) succeed(now time.Time) (counts, was bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if (b.firm || b.refused) && now.Before(b.until) {
		return false, false
	}
	was = !b.since.IsZero()
	clear(b.failing)
	b.worked, b.passed, b.trouble = now, false, trouble{failing: b.failing}
	if !b.until.IsZero() {
		b.until = time.Time{}
		b.changed.Raise()
	}
	return true, was
}

// fail counts a failure that may be one publication's own, and reports whether trouble begins with it.
func (b *Breaker) fail(id, reason string, now time.Time) (begins bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
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
	if b.attempts > 0 || again+b.wide >= failedAgain || len(b.failing) >= failedOnce {
		return b.pause(reason, now, 0, false)
	}
	return false
}

// open opens the breaker because every call is refused, or for as long as the other side says.
func (b *Breaker) open(reason string, now time.Time, retryAfter time.Duration, refused bool) (begins bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pause(reason, now, retryAfter, refused)
}

// pause begins a pause or prolongs it. The caller holds mu.
func (b *Breaker) pause(reason string, now time.Time, retryAfter time.Duration, refused bool) (begins bool) {
	if begins = b.since.IsZero(); begins {
		b.since = now
	}
	b.reason, b.cleared, b.refused = reason, false, b.refused || refused
	defer b.changed.Raise() // also when only the reason is new: a refusal is to be checked
	if b.passed {
		b.passed = false
		b.misled++
	}
	if !now.Before(b.until) {
		b.begun = now
	}
	switch {
	case retryAfter > 0:
		until := now.Add(min(retryAfter, MaxRetryAfter))
		if !b.firm || !until.Before(b.until) {
			b.until, b.firm, b.span = until, true, until.Sub(now)
		}
	case now.Before(b.until): // a call that was under way when the breaker opened
	default:
		// It is no longer than the trouble has lasted: else a few short pauses could lead by chance to a long
		// one, and a short outage to a long wait.
		b.attempts++
		span := min(Backoff(b.attempts, min(b.most(), MaxPause)), max(earlyPause, now.Sub(b.since)))
		if span = max(MinPause, span); b.attempts <= firstPauses {
			span = min(span, firstPause)
		}
		b.until, b.firm, b.span = now.Add(span), false, span
	}
	return begins
}

// Release ends a pause because a person asks for it. A Retry-After stays until its time; a refusal that
// came meanwhile ends with it.
func (b *Breaker) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() || b.firm && time.Now().Before(b.until) {
		return
	}
	b.until, b.firm, b.refused = time.Time{}, false, false
	b.changed.Raise()
}

// Clear ends a refusal, or the trouble after a pause, because a check has passed. The side is no longer
// shown as paused.
func (b *Breaker) Clear() {
	b.Release()
	b.mended()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cleared = true
}

// EndPause ends a pause of any kind before its time, because a check has passed. One call at a time is let
// through until one of them succeeds.
func (b *Breaker) EndPause() {
	b.mu.Lock()
	b.until, b.firm, b.passed, b.cleared = time.Time{}, false, true, true
	b.attempts = max(b.attempts, 1)
	b.changed.Raise()
	b.mu.Unlock()
	b.mended()
}
