package probe

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A shop may ask for a longer pause than it needs: WordPress answers Retry-After: 600 during a
// maintenance of seconds. So a long pause is checked, and a check that passes ends it. A shop that
// limits requests passes the check, and then asks for a pause again: each time the span between two
// checks doubles, until a call succeeds.
const (
	checkEvery    = 30 * time.Second // between two checks in a long pause
	checkEveryMax = 16 * time.Minute // the span that it doubles to
	checkGap      = 2 * time.Second  // between two checks that persons ask for
)

// nextCheck is when the shop is to be checked in a pause; ok is false where no check can end it.
// Run checks after a refusal. It is pure.
func nextCheck(s breaker.Status, last time.Time, every time.Duration) (at time.Time, ok bool) {
	if !checkable(s) {
		return at, false
	}
	for range s.Misled {
		every = min(every*2, checkEveryMax)
	}
	if at = s.Begun; last.After(at) {
		at = last
	}
	return at.Add(every), true
}

// checkable reports whether a check may end the present pause.
func checkable(s breaker.Status) bool { return s.Open && !s.Refused && s.Checkable() }

// NextTry is when the shop is tried again, as people are told: by a check in a long pause, else at
// its end. It is zero where there is no pause.
func (p *Prober) NextTry(now time.Time) time.Time {
	s := p.o.Breaker.Status(now)
	if !s.Open {
		return time.Time{}
	}
	if at, ok := nextCheck(s, p.lastCheck(), checkEvery); ok && at.Before(s.Until) {
		return at
	}
	return s.Until
}

// WatchPauses checks the shop in long pauses, more often while somebody waits for a run.
func (p *Prober) WatchPauses(ctx context.Context) {
	if !p.o.Breaker.Checked() {
		return
	}
	for ctx.Err() == nil {
		changed, now := p.o.Breaker.Changed(), time.Now()
		every := checkEvery
		if p.o.Waiters.Any() {
			every = breaker.HastyBackoff
		}
		at, ok := nextCheck(p.o.Breaker.Status(now), p.lastCheck(), every)
		switch wait := at.Sub(now); {
		case !ok:
			breaker.Sleep(ctx, breaker.Idle, changed)
		case wait > 0:
			breaker.Sleep(ctx, min(wait, breaker.HastyBackoff), changed) // somebody may begin to wait meanwhile
		default:
			p.CheckPause(ctx)
		}
	}
}

// CheckPause checks the shop now if it is in a long pause, unless it was checked just now. A check
// that passes ends the pause.
func (p *Prober) CheckPause(ctx context.Context) {
	if !checkable(p.o.Breaker.Status(time.Now())) {
		return
	}
	select {
	case p.checking <- struct{}{}:
		defer func() { <-p.checking }()
	case <-ctx.Done():
		return
	}
	now := time.Now()
	if !checkable(p.o.Breaker.Status(now)) || now.Sub(p.lastCheck()) < checkGap {
		return
	}
	err := p.Check(ctx)
	p.checked(time.Now())
	switch e := shopadapter.Explain(err); {
	case ctx.Err() != nil:
	case err == nil:
		p.endPause(ctx)
	case e.Kind == shopadapter.Blocked:
		p.o.Breaker.Judge("", breaker.OfCheck(e))
	}
}

func (p *Prober) lastCheck() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func (p *Prober) checked(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
}

// endPause ends a long pause before its time. The publications that were put off to its end are due
// now.
func (p *Prober) endPause(ctx context.Context) {
	now := time.Now()
	s := p.o.Breaker.Status(now)
	if !checkable(s) {
		return
	}
	p.o.Breaker.EndPause()
	p.o.Log.Info("shop's check passes, its pause ends early", "until", s.Until.Format(time.RFC3339))
	var off []string
	for m, err := range store.Marks(ctx, p.o.Store, store.DueQuery{
		Classes: store.AllClasses, From: store.At(now) + 1, To: store.At(s.Latest()),
	}) {
		if err != nil {
			p.o.Health.StoreFailed(err)
			break
		}
		if putOff(m, s) {
			off = append(off, m.ID)
		}
	}
	if _, err := p.o.Store.Change(ctx, off, func(e *store.Entry) bool {
		if e.Mark == nil || !putOff(*e.Mark, s) {
			return false
		}
		e.Mark.At = store.At(now)
		return true
	}); err != nil {
		p.o.Health.StoreFailed(err)
	}
	p.o.Due.Raise()
}

// putOff reports whether a mark is for a try that was put off to the end of the pause.
func putOff(m store.Mark, s breaker.Status) bool {
	return m.Tries > 0 && s.PutOff(m.At.Time())
}
