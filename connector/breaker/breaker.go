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

// The bounds of a pause.
const (
	MaxPause      = 5 * time.Minute        // the longest that the other side did not ask for
	MinPause      = 200 * time.Millisecond // the shortest
	MaxRetryAfter = publication.MaxRetryAfter

	// the bound of the first pauses: a publication that failed is to be tried again within two
	// seconds
	firstPause  = 500 * time.Millisecond
	firstPauses = 2               // how many they are
	earlyPause  = 2 * time.Second // the bound of a pause however short the trouble is
)

const (
	failedAgain = 3 // so many publications that failed twice in a row open the breaker
	failedOnce  = 8 // and so do so many that failed once
)

// Options are what a Breaker is made from.
type Options struct {
	Side Side
	Log  *slog.Logger // logs the beginning and the end of each trouble; may be nil
	// bounds the pauses that the other side did not ask for, with MaxPause; nil: MaxPause alone
	Most    func() time.Duration
	Checked bool // the side can be checked: a refusal lasts until a check passes

	// are told of each failure, and of what mends it: a call that succeeds, or a check that passes.
	// The ids are of the publications that it was about, none where it concerns every call. May be
	// nil
	Failed func(id, reason string)
	Mended func(ids ...string)
}

// A Breaker stands before the shop or the marketplace. It opens after a failure that concerns every
// call, after a Retry-After, and after failures of several publications in a row. It closes when
// its pause is over. From then on a success keeps it closed, and a failure opens it for longer.
type Breaker struct {
	side    Side
	log     *slog.Logger
	longest func() time.Duration
	checked bool
	failed  func(id, reason string)
	mended  func(ids ...string)

	mu       sync.Mutex
	until    time.Time     // the end of the pause; zero: none
	begun    time.Time     // of the pause
	span     time.Duration // of the pause, counted from the call that set it last
	firm     bool          // the pause was set by a Retry-After
	refused  bool          // credentials or address are refused
	since    time.Time     // of the trouble; zero: none
	reason   string        // of the trouble
	attempts int           // pauses in a row
	failing  map[string]int
	wide     int             // failures since the last success that concerned no single publication
	trying   bool            // the one call after a pause is under way
	changed  chan struct{}   // closed and replaced whenever the breaker opens or closes
	passed   bool            // a check has ended the last pause, and no call has succeeded since
	misled   int             // such checks in a row after which the breaker opened again
	cleared  bool            // a check has passed since the breaker opened last: the side is no longer shown as paused
	told     map[string]bool // causes of this trouble that were logged
	worked   time.Time       // the last success
}

// New makes a closed breaker.
func New(o Options) *Breaker {
	b := &Breaker{
		side: o.Side, log: o.Log, longest: o.Most, checked: o.Checked,
		failing: map[string]int{}, told: map[string]bool{}, changed: make(chan struct{}),
		failed: o.Failed, mended: o.Mended,
	}
	if b.failed == nil {
		b.failed = func(string, string) {}
	}
	if b.mended == nil {
		b.mended = func(...string) {}
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.longest == nil {
		b.longest = func() time.Duration { return MaxPause }
	}
	return b
}

// Checked reports whether the side can be checked.
func (b *Breaker) Checked() bool { return b.checked }

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

// Changed returns a channel that is closed when the breaker opens or closes.
func (b *Breaker) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

func (b *Breaker) broadcast() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// succeed records a success, and reports whether it ended trouble. counts is false for an answer to
// a call from before the breaker opened.
func (b *Breaker) succeed(now time.Time) (counts, was bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if (b.firm || b.refused) && now.Before(b.until) {
		return false, false
	}
	b.worked = now
	was = !b.since.IsZero()
	clear(b.failing)
	clear(b.told)
	b.wide, b.attempts, b.since, b.reason, b.firm, b.refused = 0, 0, time.Time{}, "", false, false
	b.passed, b.misled, b.cleared = false, 0, false
	if !b.until.IsZero() {
		b.until = time.Time{}
		b.broadcast()
	}
	return true, was
}

// WorkedSince reports whether a call has succeeded at or after a time.
func (b *Breaker) WorkedSince(t time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.worked.IsZero() && !b.worked.Before(t)
}

// Enter lets every caller in while all is well. After a pause it lets one in at a time. The caller
// tells leave whether it did something. Only then leave wakes the others: two callers that find
// nothing to do would wake each other for ever.
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
		b.trying = false
		if did {
			b.broadcast()
		}
	}, true
}

// fail counts a failure that may be one publication's own.
func (b *Breaker) fail(id, reason string, now time.Time) {
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
		b.pause(reason, now, 0, false)
	}
}

// open opens the breaker because every call is refused, or for as long as the other side says.
func (b *Breaker) open(reason string, now time.Time, retryAfter time.Duration, refused bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pause(reason, now, retryAfter, refused)
}

// pause begins a pause or prolongs it. The caller holds mu.
func (b *Breaker) pause(reason string, now time.Time, retryAfter time.Duration, refused bool) {
	if b.since.IsZero() {
		b.since = now
	}
	b.reason, b.cleared = reason, false
	b.refused = b.refused || refused
	defer b.broadcast() // also when only the reason is new: a refusal is to be checked
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
		if b.firm && until.Before(b.until) {
			return
		}
		b.until, b.firm, b.span = until, true, until.Sub(now)
	case now.Before(b.until): // a call that was under way when the breaker opened
	default:
		b.attempts++
		span := b.nextPause(now)
		b.until, b.firm, b.span = now.Add(span), false, span
	}
}

// nextPause is the length of a pause. It is no longer than the trouble has lasted: else a few short
// pauses could lead by chance to a long one, and a short outage to a long wait. The caller holds
// mu.
func (b *Breaker) nextPause(now time.Time) time.Duration {
	span := max(MinPause, min(Backoff(b.attempts, min(b.longest(), MaxPause)), max(earlyPause, now.Sub(b.since))))
	if b.attempts <= firstPauses {
		span = min(span, firstPause)
	}
	return span
}

// Release ends a pause because a person asks for it. A Retry-After stays until its time; a refusal
// that came meanwhile ends with it.
func (b *Breaker) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() || b.firm && time.Now().Before(b.until) {
		return
	}
	b.until, b.firm, b.refused = time.Time{}, false, false
	b.broadcast()
}

// Clear ends a refusal, or the trouble after a pause, because a check has passed. The side is no
// longer shown as paused.
func (b *Breaker) Clear() {
	b.Release()
	b.mended()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cleared = true
}

// EndPause ends a pause of any kind before its time, because a check has passed. One call at a time
// is let through until one of them succeeds.
func (b *Breaker) EndPause() {
	b.mu.Lock()
	b.until, b.firm, b.passed, b.cleared = time.Time{}, false, true, true
	b.attempts = max(b.attempts, 1)
	b.broadcast()
	b.mu.Unlock()
	b.mended()
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
