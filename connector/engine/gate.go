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

// The sides of a worker.
const (
	sideShop        = "shop"
	sideMarketplace = "marketplace"
)

const (
	maxPause = 5 * time.Minute        // the longest, unless the other side asks for more
	MinPause = 200 * time.Millisecond // the shortest

	earlyPause = 2 * time.Second // the bound of a pause while the trouble is short

	failedAgain = 3 // publications that failed twice shut the gate
	failedOnce  = 8 // and so do publications that failed once

	// WordPress answers Retry-After: 600 during a maintenance of seconds, so a pause over shortPause is checked
	// every checkEvery. If the gate shuts again after a check has passed, that span doubles, up to checkEveryMax.
	shortPause    = time.Minute
	checkEvery    = 30 * time.Second
	checkEveryMax = 16 * time.Minute
)

// A Gate is a circuit breaker before the shop or the marketplace. It shuts after a failure that concerns every
// call, a Retry-After, or failures of several publications in a row. At the end of its pause it opens, and the
// next failure shuts it again; a refusal by the shop lasts until a check passes. A success ends the trouble, a
// person ends every pause but a Retry-After, a restart ends all.
type Gate struct {
	side    string
	log     *slog.Logger
	health  *Health
	most    func() time.Duration // bounds pauses as maxPause does
	changed Signal

	mu     sync.Mutex
	worked time.Time
	trouble
}

type trouble struct {
	Since    time.Time // of the first failure; zero: none
	Reason   string
	Until    time.Time     // zero: no pause
	Firm     bool          // a Retry-After set the pause
	limited  bool          // and it is a rate limit: no check ends it
	Refused  bool          // the credentials or the address are refused
	span     time.Duration // of the pause, from the call that set it
	tried    time.Time     // of the last failure that shut it or kept it shut
	passed   bool          // a check has passed since
	misled   int           // passed checks in a row after which it shut again
	attempts int           // how often it shut in a row; 0: only few publications fail
	failing  map[string]int
	wide     int // failures in a row about no single publication
}

func newGate(side string, log *slog.Logger, h *Health, most func() time.Duration) *Gate {
	return &Gate{side: side, log: log, health: h, most: most, trouble: trouble{failing: map[string]int{}}}
}

// GateStatus is a gate at one moment.
type GateStatus struct {
	trouble
	Shut   bool
	Long   bool      // so long that a check may end it
	Paused bool      // as people are told: no call has succeeded nor check passed since it shut
	Try    time.Time // of the next check or call; zero: it is open
}

// Status returns the gate's state.
func (g *Gate) Status(now time.Time) GateStatus {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.attempts == 0 {
		return GateStatus{}
	}
	checked := g.side == sideShop
	s := GateStatus{trouble: g.trouble, Shut: now.Before(g.Until) || checked && g.Refused, Paused: !g.passed}
	s.Long = s.Shut && checked && !g.Refused && !g.limited && g.span > shortPause
	s.failing = nil
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

// Wait returns how long to wait before the next look at a shut gate.
func (s GateStatus) Wait(now time.Time) time.Duration {
	if d := s.Until.Sub(now); d > 0 {
		return d
	}
	return Idle
}

// Changed returns a channel that closes when the gate shuts or opens.
func (g *Gate) Changed() <-chan struct{} { return g.changed.Raised() }

func (g *Gate) workedSince(t time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.worked.IsZero() && !g.worked.Before(t)
}

// AwaitRetryAfter waits for the end of a Retry-After.
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

// Told records how a call has ended. id is its publication, "" for none.
func (g *Gate) Told(id string, err error) {
	if g.side == sideShop {
		g.judge(id, ofShop(err))
	} else {
		g.judge(id, ofMarketplace(err))
	}
}

func (g *Gate) judge(id string, v verdict) {
	now := time.Now()
	switch {
	case v.moot:
		return
	case v.ok:
		g.succeed(now)
		return
	}
	switch begins := g.fail(id, v, now); {
	case begins && g.side == sideShop:
		g.log.Error("shop cannot be used, pausing until it can", "error", v.reason)
	case begins:
		g.log.Error("marketplace cannot be used, pausing until it can", "error", v.reason)
	}
	g.health.Failed(v.reason)
}

// Calls about no publication, whose failures count as those of one.
const (
	aboutCheck = "check"
	aboutList  = "list"
)

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
		// attempts > 0: the side fails again after a pause
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
			g.limited = v.limited || underWay && g.Firm && g.limited
			g.Until, g.span, g.Firm = until, until.Sub(now), true
		}
	case !underWay:
		// A pause is no longer than the trouble has lasted: else a short outage could lead by chance to a long wait.
		span := min(Backoff(g.attempts, min(g.most(), maxPause)), max(earlyPause, now.Sub(g.Since)))
		g.span, g.Firm, g.limited = max(MinPause, span), false, false
		g.Until = now.Add(g.span)
	}
	g.changed.Raise()
	return begins
}

// succeed opens nothing during a Retry-After or a refusal: the call is from before. But the trouble lasts since then.
func (g *Gate) succeed(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if (g.Firm || g.Refused) && now.Before(g.Until) {
		g.Since = now
		return
	}
	was := g.attempts > 0
	clear(g.failing)
	g.worked, g.trouble = now, trouble{failing: g.failing}
	if was {
		g.changed.Raise()
		g.log.Info("back, and used again", "side", g.side)
	}
}

// Release ends a pause for a person, but no Retry-After.
func (g *Gate) Release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.Until.IsZero() && (!g.Firm || !time.Now().Before(g.Until)) {
		g.open()
	}
}

// checkPassed opens the gate, but for a short Retry-After or trouble since the check began.
func (g *Gate) checkPassed(begun time.Time) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	stays := g.tried.After(begun) || g.Firm && now.Before(g.Until) && (g.limited || g.span <= shortPause || g.Refused)
	if !stays && g.attempts > 0 {
		g.passed = true
		g.open()
	}
}

// open is called with mu held.
func (g *Gate) open() {
	g.Until, g.Firm, g.Refused = time.Time{}, false, false
	g.changed.Raise()
}

// A verdict is what one call says about its side.
type verdict struct {
	ok         bool // the side works, even if it refused this publication
	moot       bool // the call says nothing about the side
	wide       bool // the failure concerns every call
	refused    bool
	retryAfter time.Duration
	limited    bool
	reason     string
}

func ofShop(err error) verdict {
	e := shopadapter.Explain(err)
	blocked := e != nil && e.Kind == shopadapter.Blocked
	if err == nil || errors.Is(err, shopadapter.ErrGone) || errors.Is(err, shopadapter.ErrHidden) ||
		errors.Is(err, shopadapter.ErrWhole) ||
		e.Kind == shopadapter.Rejected || blocked && !e.ShopWide {
		return verdict{ok: true}
	}
	v := verdict{wide: e.ShopWide, refused: blocked, reason: e.Error()}
	if e.ShopWide && !blocked {
		v.retryAfter, v.limited = e.RetryAfter, e.Limited
	}
	return v
}

// ofCheck does not prolong a long pause, at whose end calls may be accepted.
func ofCheck(err error, long bool) verdict {
	e := shopadapter.Explain(err)
	v := verdict{
		wide: true, refused: e.Kind == shopadapter.Blocked, retryAfter: e.RetryAfter, limited: e.Limited, reason: e.Error(),
	}
	if long {
		v.retryAfter = 0
	}
	return v
}

// ofMarketplace passes over a refused report, which concerns one publication.
func ofMarketplace(err error) verdict {
	kind := marketplace.KindOf(err)
	switch {
	case err == nil:
		return verdict{ok: true}
	case errors.Is(err, context.Canceled), kind == marketplace.Refused:
		return verdict{moot: true}
	}
	v := verdict{reason: err.Error(), refused: kind == marketplace.Unauthorized}
	if e, ok := errors.AsType[*marketplace.Error](err); ok && !v.refused {
		v.retryAfter = e.RetryAfter
	}
	v.wide = v.refused || v.retryAfter > 0
	return v
}
