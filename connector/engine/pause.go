package engine

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A shop may ask for a longer pause than it needs: WordPress answers Retry-After: 600 during a maintenance
// of seconds. So a long pause is checked, and a check that passes ends it. A shop that limits requests
// passes the check, and then asks for a pause again: each time the span between two checks doubles, until
// a call succeeds.
const (
	checkEvery    = 30 * time.Second // between two checks in a long pause
	checkEveryMax = 16 * time.Minute // the span that it doubles to
	checkGap      = 2 * time.Second  // between two checks that persons ask for
)

// nextCheck is when the shop is to be checked in a pause; ok is false where no check can end it.
func nextCheck(s breaker.Status, last time.Time, every time.Duration) (at time.Time, ok bool) {
	if !checkable(s) {
		return at, false
	}
	for range s.Misled {
		every = min(every*2, checkEveryMax)
	}
	return latest(s.Begun, last).Add(every), true
}

func checkable(s breaker.Status) bool { return s.Open && !s.Refused && s.Checkable() }

func (x *Engine) lastEnding() (at time.Time) {
	x.locked(func() { at = x.lastEnd })
	return at
}

// nextTry is when the shop is tried again, as people are told: by a check in a long pause, else at its end.
// It is zero where there is no pause.
func (x *Engine) nextTry(now time.Time) time.Time {
	s := x.ShopSide.Status(now)
	if !s.Open {
		return time.Time{}
	}
	if at, ok := nextCheck(s, x.lastEnding(), checkEvery); ok && at.Before(s.Until) {
		return at
	}
	return s.Until
}

// watchPauses checks the shop in long pauses, more often while somebody waits for a run.
func (x *Engine) watchPauses(ctx context.Context) {
	for ctx.Err() == nil {
		changed, now := x.ShopSide.Changed(), time.Now()
		every := checkEvery
		if x.Waiters.Any() {
			every = breaker.HastyBackoff
		}
		at, ok := nextCheck(x.ShopSide.Status(now), x.lastEnding(), every)
		switch wait := at.Sub(now); {
		case !ok:
			breaker.Sleep(ctx, breaker.Idle, changed)
		case wait > 0:
			breaker.Sleep(ctx, min(wait, breaker.HastyBackoff), changed) // somebody may begin to wait meanwhile
		default:
			x.checkPause(ctx)
		}
	}
}

// checkPause checks the shop now if it is in a long pause, unless it was checked just now. A check that
// passes ends the pause.
func (x *Engine) checkPause(ctx context.Context) {
	if !checkable(x.ShopSide.Status(time.Now())) {
		return
	}
	leave, err := enter(ctx, x.ending)
	if err != nil {
		return
	}
	defer leave()
	now := time.Now()
	if !checkable(x.ShopSide.Status(now)) || now.Sub(x.lastEnding()) < checkGap {
		return
	}
	err = x.check(ctx)
	x.locked(func() { x.lastEnd = time.Now() })
	switch e := shopadapter.Explain(err); {
	case ctx.Err() != nil:
	case err == nil:
		x.endPause(ctx)
	case e.Kind == shopadapter.Blocked:
		x.ShopSide.Judge("", breaker.OfCheck(e))
	}
}

// endPause ends a long pause before its time. The publications that were put off to its end are due now.
func (x *Engine) endPause(ctx context.Context) {
	now := time.Now()
	s := x.ShopSide.Status(now)
	if !checkable(s) {
		return
	}
	x.ShopSide.EndPause()
	x.Logger.Info("shop's check passes, its pause ends early", "until", s.Until.Format(time.RFC3339))
	q := store.DueQuery{Classes: store.AllClasses, From: store.At(now) + 1, To: store.At(s.Latest())}
	if err := x.bring(ctx, q, func(e *store.Entry) bool {
		if e.Mark == nil || !putOffTo(*e.Mark, s) {
			return false
		}
		e.Mark.At = store.At(now)
		return true
	}); err != nil {
		x.Health.StoreFailed(err)
	}
	x.due.Raise()
}

func putOffTo(m store.Mark, s breaker.Status) bool { return m.Tries > 0 && s.PutOff(m.At.Time()) }
