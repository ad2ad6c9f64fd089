package probe

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
)

// The shop's word on its currency and on tax is asked for with each check, after each resync, and
// before a write that it is too old for. So a price in another currency is written for a few
// seconds at most after the shop has changed, and never after a sweep that has begun since.
const (
	wordAge     = 5 * time.Second  // how old the word may be when a product is written
	wordTimeout = 10 * time.Second // bounds the question that a write waits for
)

// A foreignError says that the shop sells in another currency.
type foreignError struct{ error }

func (e *foreignError) Unwrap() error { return e.error }

// askWord asks the shop in which currency it sells and how it takes prices. The error blocks a shop
// that sells in another currency.
func (p *Prober) askWord(ctx context.Context) error {
	p.mu.Lock()
	doubts := p.doubts
	p.mu.Unlock()
	begun, shop := time.Now(), p.o.Shop()
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
	p.heard(begun, doubts)
	return nil
}

// heard notes when the last question was asked, unless the answer was doubted meanwhile.
func (p *Prober) heard(at time.Time, doubts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doubts == doubts {
		p.word = at
	}
}

// BeforeWrite asks for the shop's word where it is too old for a write. It fails where the shop
// sells in another currency. A shop that cannot answer the question now does not keep a write from
// being tried, which tells why.
func (p *Prober) BeforeWrite(ctx context.Context) error {
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	p.mu.Lock()
	now, word, doubts := time.Now(), p.word, p.doubts
	p.mu.Unlock()
	if !word.IsZero() && now.Sub(word) < wordAge {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wordTimeout)
	defer cancel()
	err := p.askWord(ctx)
	var foreign *foreignError
	if errors.As(err, &foreign) {
		return err
	}
	p.heard(now, doubts)
	return nil
}

// DoubtWord has the next write ask for the shop's word, however young the last one is: a sweep
// begins.
func (p *Prober) DoubtWord() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.word = time.Time{}
	p.doubts++
}

// Ask asks for the shop's word now. An error is left to the next write, whose publication it
// blocks.
func (p *Prober) Ask(ctx context.Context) {
	if _, ok := p.o.Shop().(shopadapter.Taxer); !ok || p.o.Breaker.Status(time.Now()).Open {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wordTimeout)
	defer cancel()
	//nolint:errcheck // see above
	_ = p.o.Health.Guard(
		func() error { return p.askWord(ctx) },
		"call",
		"currency and taxes",
	)
}

// WatchWord asks for the shop's word after each resync, so that a shop that changed its currency is
// blocked also where nothing is to be written.
func (p *Prober) WatchWord(ctx context.Context) {
	for resynced := p.o.Resynced.Raised(); ctx.Err() == nil; {
		breaker.Sleep(ctx, time.Hour, resynced)
		resynced = p.o.Resynced.Raised()
		if ctx.Err() == nil && !p.o.Breaker.Status(time.Now()).Open {
			p.hearWord(ctx)
		}
	}
}

// hearWord asks for the shop's word now, and blocks the shop where it must not be written to.
func (p *Prober) hearWord(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, wordTimeout)
	defer cancel()
	err := p.o.Health.Guard(func() error { return p.askWord(ctx) }, "call", "currency and taxes")
	if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked &&
		p.o.Breaker.Judge(ctx, "", breaker.OfCheck(e)) {
		p.o.Health.Note(e)
	}
}
