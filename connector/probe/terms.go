package probe

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
)

// checkedFor is how long a check is good for where a product is written. So a price in another
// currency is written for a minute at most after the shop has changed, and never after a sweep that
// has begun since.
const checkedFor = time.Minute

// check is Check for a caller that holds asking.
func (p *Prober) check(ctx context.Context) error {
	p.mu.Lock()
	rechecks := p.rechecks
	p.mu.Unlock()
	var is shopadapter.Info
	if said := p.o.Said; said != nil {
		is, p.o.Said = *said, nil
	} else if err := p.o.Health.Guard(func() (err error) {
		is, err = p.o.Shop().Check(ctx)
		return err
	}, "call", "check"); err != nil {
		return err
	}
	if p.o.Currency != "" {
		if err := shopadapter.SameCurrency(is.Currency, p.o.Currency); err != nil {
			return err
		}
	}
	if err := p.o.Told(ctx, is); err != nil {
		p.o.Health.StoreFailed(err)
	}
	p.mu.Lock()
	p.is, p.passed = is, time.Now()
	p.mu.Unlock()
	p.answered(rechecks)
	return nil
}

// bounded is a context for several requests of the shop: each has checkRequest, and all together
// have limit.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(shopadapter.EachRequest(ctx, checkRequest), limit)
}

// answered records that the shop was checked, unless a recheck was wanted meanwhile. The time is
// that of the answer: a write that waited while a slow shop was asked asks no second time.
func (p *Prober) answered(rechecks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rechecks == rechecks {
		p.asked = time.Now()
	}
}

// BeforeWrite checks the shop where the last check is too old for a write. It fails where the
// merchant has something to mend first. Where the shop cannot answer now the write is tried all the
// same: its error tells why.
func (p *Prober) BeforeWrite(ctx context.Context) error {
	limited, cancel := bounded(ctx, checkTimeout)
	defer cancel()
	if err := p.asking.Acquire(limited, 1); err != nil {
		return ctx.Err() // nil where a check that another made takes too long
	}
	defer p.asking.Release(1)
	p.mu.Lock()
	now, asked, rechecks := time.Now(), p.asked, p.rechecks
	p.mu.Unlock()
	if !asked.IsZero() && now.Sub(asked) < checkedFor {
		return nil
	}
	err := p.check(limited)
	if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
		return err
	}
	p.answered(rechecks)
	return nil
}

// Info is what the shop said of itself when it was last checked. One that was not is checked now;
// where it does not answer it is said to be able to do nothing.
func (p *Prober) Info(ctx context.Context) shopadapter.Info {
	if !p.PassedSince(time.Time{}) {
		_ = p.BeforeWrite(ctx) //nolint:errcheck // the next write meets it too
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.is
}

// PassedSince reports whether a check has passed since a moment.
func (p *Prober) PassedSince(t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.passed.IsZero() && !p.passed.Before(t)
}

// RecheckTerms has the next write check the shop, however recent the last check is: a sweep begins.
func (p *Prober) RecheckTerms() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = time.Time{}
	p.rechecks++
}

// Ask checks the shop now. It leaves an error to the next write, which meets it too.
func (p *Prober) Ask(ctx context.Context) {
	if !p.o.Breaker.Status(time.Now()).Open {
		_ = p.Check(ctx) //nolint:errcheck // see above
	}
}

// WatchTerms checks the shop after each resync, so that one that changed its currency is blocked
// also where nothing is to be written.
func (p *Prober) WatchTerms(ctx context.Context) {
	for resynced := p.o.Resynced.Raised(); ctx.Err() == nil; {
		breaker.Sleep(ctx, time.Hour, resynced)
		resynced = p.o.Resynced.Raised()
		if ctx.Err() != nil || p.o.Breaker.Status(time.Now()).Open {
			continue
		}
		if e := shopadapter.Explain(p.Check(ctx)); e != nil && e.Kind == shopadapter.Blocked {
			p.o.Breaker.Judge("", breaker.OfCheck(e))
		}
	}
}
