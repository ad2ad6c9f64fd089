package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

const (
	maxPause = 5 * time.Minute        // the longest pause that the other side did not ask for
	MinPause = 200 * time.Millisecond // the shortest

	earlyPause = 2 * time.Second // the bound of a pause however short the trouble is

	failedAgain = 3 // so many publications that failed twice in a row shut the gate
	failedOnce  = 8 // and so do so many that failed once

	// WordPress answers Retry-After: 600 during a maintenance of seconds. So a pause that is longer than shortPause is
	// checked every checkEvery. Where the check passes and the gate shuts again, the span doubles, up to checkEveryMax.
	shortPause    = time.Minute
	checkEvery    = 30 * time.Second
	checkEveryMax = 16 * time.Minute
)

// A Gate stands before the shop or the marketplace. It shuts after a failure that concerns every call, after a
// Retry-After, and after failures of several publications in a row. Each loop looks at Status before it calls, and
// waits for Changed. It opens when its pause is over, and the next failure shuts it again; a refusal of the shop lasts
// until a check passes. A success forgets all that was learned of the trouble, a person's request ends every pause but
// a Retry-After, a restart ends all of them.
type Gate struct {
	side    string // partShop or partMarketplace
	log     *slog.Logger
	health  *Health
	most    func() time.Duration // bounds the pauses that the other side did not ask for, as maxPause does
	changed *Signal              // raised whenever the gate shuts or opens

	mu     sync.Mutex
	worked time.Time // the last success
	trouble
}

// A trouble is what is learned from failures. A success ends it.
type trouble struct {
	Since    time.Time // of the first failure; zero: there is none
	Reason   string
	Until    time.Time     // the end of the pause; zero: there is none
	Firm     bool          // the other side set the pause, by a Retry-After
	Refused  bool          // the other side refuses credentials or the address
	span     time.Duration // of the pause, counted from the call that set it last
	tried    time.Time     // of the last failure: it shut, or stayed shut
	passed   bool          // a check has passed since
	misled   int           // checks in a row that passed, after which it shut again
	attempts int           // how often it has shut in a row; 0: there are failures of few publications alone
	failing  map[string]int
	wide     int // failures in a row that concerned no single publication
}

func newGate(side string, log *slog.Logger, h *Health, most func() time.Duration) *Gate {
	return &Gate{
		side: side, log: log, health: h, most: most, changed: NewSignal(),
		trouble: trouble{failing: map[string]int{}},
	}
}

// GateStatus is a gate at one moment, with the trouble that shut it.
type GateStatus struct {
	trouble
	Shut   bool      // no call may be made
	Long   bool      // the other side set a pause so long that a check may end it
	Paused bool      // as a person is told: it shut, and no call has succeeded nor check passed since
	Try    time.Time // when the side is checked next, or tried; zero: it is open
}

// Status is the gate now.
func (g *Gate) Status(now time.Time) GateStatus {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.attempts == 0 {
		return GateStatus{}
	}
	checked := g.side == partShop
	s := GateStatus{trouble: g.trouble, Shut: now.Before(g.Until) || checked && g.Refused, Paused: !g.passed}
	s.Long = s.Shut && checked && !g.Refused && g.span > shortPause
	s.failing = nil // the gate's own
	if s.Shut {
		s.Try = g.Until
	}
	if s.Long {
		every := min(min(checkEvery, g.most())<<min(g.misled, 10), checkEveryMax)
		if at := g.tried.Add(every); at.Before(s.Try) {
			s.Try = at
		}
	}
	return s
}

// Wait is how long to sleep before a shut gate is looked at again.
func (s GateStatus) Wait(now time.Time) time.Duration {
	if d := s.Until.Sub(now); d > 0 {
		return d
	}
	return Idle
}

// Asked is a message about the pause that the shop asked for, "" where there is none.
func (s GateStatus) Asked(now time.Time) string {
	if !s.Shut || !s.Firm || !now.Before(s.Until) {
		return ""
	}
	return "the shop asked for a pause until " + s.Until.UTC().Format(time.RFC3339) + ": " + s.Reason
}

// Changed returns a channel that is closed when the gate shuts or opens.
func (g *Gate) Changed() <-chan struct{} { return g.changed.Raised() }

// workedSince reports whether a call has succeeded at or after a time.
func (g *Gate) workedSince(t time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.worked.IsZero() && !g.worked.Before(t)
}

// AwaitRetryAfter waits until a pause is over that the other side set, or until ctx ends.
func (g *Gate) AwaitRetryAfter(ctx context.Context) {
	for ctx.Err() == nil {
		changed, now := g.Changed(), time.Now()
		s := g.Status(now)
		if !s.Shut || !s.Firm {
			return
		}
		Sleep(ctx, s.Wait(now), changed)
	}
}

// Told tells the gate how a call ended. id is the publication that the call was about, "" for none. It reports
// whether the call failed.
func (g *Gate) Told(id string, err error) (failed bool) {
	if g.side == partShop {
		return g.judge(id, ofShop(err))
	}
	return g.judge(id, ofMarketplace(err))
}

func (g *Gate) judge(id string, v verdict) (failed bool) {
	now := time.Now()
	switch {
	case v.moot:
		return false
	case v.ok:
		g.succeed(now, id)
		return false
	}
	switch begins := g.fail(id, v, now); {
	case begins && g.side == partShop:
		g.log.Error("shop cannot be used, pausing until it can", "error", v.reason)
	case begins:
		g.log.Error("marketplace cannot be used, pausing until it can", "error", v.reason)
	}
	if v.wide || id == aboutCheck || id == aboutList {
		id = ""
	}
	g.health.FailedAt(g.side, id, v.reason)
	return true
}

// Calls that are about no publication, and yet count as one that fails.
const (
	aboutCheck = "check"
	aboutList  = "list"
)

// fail records a failure, and reports whether trouble begins with it.
func (g *Gate) fail(id string, v verdict, now time.Time) (begins bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Since.IsZero() {
		g.Since = now
	}
	if !v.wide {
		if id == "" {
			g.wide++
		} else {
			g.failing[id]++
		}
		again := g.wide
		for _, n := range g.failing {
			if n > 1 {
				again++
			}
		}
		// attempts > 0: the side was tried after a pause, and still fails
		if g.attempts == 0 && again < failedAgain && len(g.failing) < failedOnce {
			return false
		}
	}
	if g.passed {
		g.misled++
	}
	underWay := now.Before(g.Until) // the call was, when the gate shut; or it is a check
	if begins = g.attempts == 0; !underWay {
		g.attempts++
	}
	g.Reason, g.Refused, g.passed, g.tried = v.reason, g.Refused || v.refused, false, now
	switch until := now.Add(min(v.retryAfter, publication.MaxRetryAfter)); {
	case v.retryAfter > 0:
		if !g.Firm || !until.Before(g.Until) {
			g.Until, g.span, g.Firm = until, until.Sub(now), true
		}
	case !underWay:
		// It is no longer than the trouble has lasted: else a short outage could lead by chance to a long wait.
		span := min(Backoff(g.attempts, min(g.most(), maxPause)), max(earlyPause, now.Sub(g.Since)))
		g.span, g.Firm = max(MinPause, span), false
		g.Until = now.Add(g.span)
	}
	g.changed.Raise()
	return begins
}

// succeed opens the gate for good, since a call has succeeded. During a Retry-After or a refusal that was a call from
// before, and changes nothing. ids are the publications that the call was about.
func (g *Gate) succeed(now time.Time, ids ...string) {
	g.mu.Lock()
	if (g.Firm || g.Refused) && now.Before(g.Until) {
		g.mu.Unlock()
		return
	}
	was := g.attempts > 0
	clear(g.failing)
	g.worked, g.trouble = now, trouble{failing: g.failing}
	g.mu.Unlock()
	g.health.Mended(g.side, ids...)
	if was {
		g.changed.Raise()
		g.log.Info("back, and used again", "side", g.side)
	}
}

// Release ends a pause because a person asks for it. A Retry-After stays until its time.
func (g *Gate) Release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.Until.IsZero() && (!g.Firm || !time.Now().Before(g.Until)) {
		g.open()
	}
}

// checkPassed ends a refusal or a pause, because a check has passed that began at a time. A Retry-After that is not
// long stays, and so does what has come since the check began.
func (g *Gate) checkPassed(begun time.Time) {
	now := time.Now()
	g.mu.Lock()
	stays := g.tried.After(begun) || g.Firm && now.Before(g.Until) && (g.span <= shortPause || g.Refused)
	if !stays && g.attempts > 0 {
		g.passed = true
		g.open()
	}
	g.mu.Unlock()
	if !stays {
		g.health.Mended(g.side)
	}
}

// open lets calls through. The caller holds mu.
func (g *Gate) open() {
	g.Until, g.Firm, g.Refused = time.Time{}, false, false
	g.changed.Raise()
}

// A verdict is what the end of one call says about the side that it was sent to.
type verdict struct {
	ok         bool // the side can be used, even where it refused this one publication
	moot       bool // the call says nothing about the side
	wide       bool // the failure concerns every call
	refused    bool // credentials or the address are refused
	retryAfter time.Duration
	reason     string // for people
}

// ofShop is the verdict on a call of the adapter.
func ofShop(err error) verdict {
	e := shopadapter.Explain(err)
	blocked := e != nil && e.Kind == shopadapter.Blocked
	if err == nil || errors.Is(err, shopadapter.ErrGone) || errors.Is(err, shopadapter.ErrHidden) ||
		e.Kind == shopadapter.Rejected || blocked && !e.ShopWide {
		return verdict{ok: true}
	}
	v := verdict{wide: e.ShopWide, refused: blocked, reason: e.Error()}
	if e.ShopWide && !blocked {
		v.retryAfter = e.RetryAfter
	}
	return v
}

// ofCheck is the verdict on a check that failed: any error keeps the gate shut. A long pause is not prolonged, since
// calls may be accepted at its end.
func ofCheck(err error, long bool) verdict {
	e := shopadapter.Explain(err)
	v := verdict{wide: true, refused: e.Kind == shopadapter.Blocked, retryAfter: e.RetryAfter, reason: e.Error()}
	if long {
		v.retryAfter = 0
	}
	return v
}

// ofMarketplace is the verdict on a request to the marketplace. A refused report concerns one publication, and for
// points the pacer waits.
func ofMarketplace(err error) verdict {
	var e *marketplace.Error
	kind := marketplace.KindOf(err)
	switch {
	case err == nil:
		return verdict{ok: true}
	case errors.Is(err, context.Canceled), kind == marketplace.Throttled, kind == marketplace.Refused:
		return verdict{moot: true}
	case !errors.As(err, &e):
		return verdict{reason: err.Error()}
	}
	v := verdict{reason: err.Error()}
	if v.refused = e.Kind == marketplace.Unauthorized; !v.refused {
		v.retryAfter = e.RetryAfter
	}
	v.wide = v.refused || v.retryAfter > 0
	return v
}
