package probe

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
)

// The shop's terms are its currency and whether its prices include tax. They are asked for with
// each check, after each resync, and before a write when the last answer is too old. So a price in
// another currency is written for a few seconds at most after the shop has changed, beside the time
// that the shop takes to answer, and never after a sweep that has begun since.
const (
	termsAge     = 5 * time.Second  // how long ago the answer may have come when a product is written
	termsTimeout = 90 * time.Second // bounds all that is asked; each request has checkRequest
)

// A foreignError says that the shop sells in another currency.
type foreignError struct{ error }

func (e *foreignError) Unwrap() error { return e.error }

// askTerms asks the shop in which currency it sells and how prices are entered. The error blocks a
// shop that sells in another currency.
func (p *Prober) askTerms(ctx context.Context) error {
	if err := p.asking.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.asking.Release(1)
	return p.terms(ctx)
}

// terms is askTerms for a caller that holds asking: answers are kept in the order in which the shop
// gave them.
func (p *Prober) terms(ctx context.Context) error {
	p.mu.Lock()
	rechecks := p.rechecks
	p.mu.Unlock()
	shop := p.o.Shop()
	if pricer, ok := shop.(shopadapter.Pricer); ok && p.o.Currency != "" {
		theirs, err := pricer.Currency(ctx)
		if err != nil {
			return err
		}
		if err := shopadapter.SameCurrency(theirs, p.o.Currency); err != nil {
			return &foreignError{err}
		}
	}
	if taxer, ok := shop.(shopadapter.Taxer); ok {
		prices, err := taxer.Prices(ctx)
		if err != nil {
			return err
		}
		if err := p.o.Prices.Prices(ctx, prices); err != nil {
			p.o.Health.StoreFailed(err)
		}
	}
	p.answered(rechecks)
	return nil
}

// bounded is a context for several requests of the shop: each has checkRequest, and all together
// have limit.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(shopadapter.EachRequest(ctx, checkRequest), limit)
}

// answered records that the terms were asked for, unless a recheck was wanted meanwhile. The time
// is that of the answer: a write that waited while a slow shop was asked asks no second time.
func (p *Prober) answered(rechecks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rechecks == rechecks {
		p.asked = time.Now()
	}
}

// BeforeWrite asks for the shop's terms where the last answer is too old for a write. It fails
// where the shop sells in another currency. Where the shop cannot answer now the write is tried all
// the same: its error tells why.
func (p *Prober) BeforeWrite(ctx context.Context) error {
	limited, cancel := bounded(ctx, termsTimeout)
	defer cancel()
	if err := p.asking.Acquire(limited, 1); err != nil {
		return ctx.Err() // nil where a question that another asked takes too long
	}
	defer p.asking.Release(1)
	p.mu.Lock()
	now, asked, rechecks := time.Now(), p.asked, p.rechecks
	p.mu.Unlock()
	if !asked.IsZero() && now.Sub(asked) < termsAge {
		return nil
	}
	err := p.terms(limited)
	var foreign *foreignError
	if errors.As(err, &foreign) {
		return err
	}
	p.answered(rechecks)
	return nil
}

// RecheckTerms has the next write ask for the shop's terms, however recent the last answer is: a
// sweep begins.
func (p *Prober) RecheckTerms() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = time.Time{}
	p.rechecks++
}

// Ask asks for the shop's terms now. It leaves an error to the next write, which meets it too.
func (p *Prober) Ask(ctx context.Context) {
	if _, ok := p.o.Shop().(shopadapter.Taxer); !ok || p.o.Breaker.Status(time.Now()).Open {
		return
	}
	ctx, cancel := bounded(ctx, termsTimeout)
	defer cancel()
	//nolint:errcheck // see above
	_ = p.o.Health.Guard(func() error { return p.askTerms(ctx) }, "call", "currency and taxes")
}

// WatchTerms asks for the shop's terms after each resync, so that a shop that changed its currency
// is blocked also where nothing is to be written.
func (p *Prober) WatchTerms(ctx context.Context) {
	for resynced := p.o.Resynced.Raised(); ctx.Err() == nil; {
		breaker.Sleep(ctx, time.Hour, resynced)
		resynced = p.o.Resynced.Raised()
		if ctx.Err() == nil && !p.o.Breaker.Status(time.Now()).Open {
			p.blockForeign(ctx)
		}
	}
}

// blockForeign asks for the shop's terms now, and blocks a shop that sells in another currency.
func (p *Prober) blockForeign(ctx context.Context) {
	ctx, cancel := bounded(ctx, termsTimeout)
	defer cancel()
	err := p.o.Health.Guard(func() error { return p.askTerms(ctx) }, "call", "currency and taxes")
	if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
		p.o.Breaker.Judge("", breaker.OfCheck(e))
	}
}
