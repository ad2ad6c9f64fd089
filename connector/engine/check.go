package engine

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	checkTimeout = 3 * time.Minute // bounds one check of the shop, of several requests: a slow shop is not down
	// checkedFor is how long a check is good for where a product is written. So a price in another currency
	// is written for a minute at most after the shop has changed, and never after a sweep that has begun since.
	checkedFor = time.Minute
	// quietEvery is how often it is asked whether anything waits for a shop whose pause has run out.
	quietEvery = 2 * time.Second

	// A shop may ask for a longer pause than it needs: WordPress answers Retry-After: 600 during a maintenance
	// of seconds. So a long pause is checked, and a check that passes ends it. A shop that limits requests
	// passes the check, and then asks for a pause again: each time the span between two checks doubles, until
	// a call succeeds.
	checkEvery    = 30 * time.Second // between two checks in a long pause
	checkEveryMax = 16 * time.Minute // the span that it doubles to
	checkGap      = 2 * time.Second  // between two checks that persons ask for
)

// A prober is what is known of the shop by its checks.
type prober struct {
	asking chan struct{} // holds a token during a check, so that answers are kept in their order

	said     *shopadapter.Info // by a check just before, which takes the place of the first; nil: there was none
	lastEnd  time.Time         // the last check in a long pause
	askedAt  time.Time         // when the shop was last checked; zero: it is to be before the next write
	rechecks int               // how often that was wanted
	is       shopadapter.Info  // as of the last check that passed
	passedAt time.Time         // when that was; zero: there was none
}

func newProber(said *shopadapter.Info) prober {
	return prober{asking: make(chan struct{}, 1), said: said}
}

func (x *Engine) passedSince(t time.Time) (passed bool) {
	x.locked(func() { passed = !x.passedAt.IsZero() && !x.passedAt.Before(t) })
	return passed
}

// answeredNow records that the shop was checked, unless a recheck was wanted meanwhile. The time is that of
// the answer: a write that waited while a slow shop was asked asks no second time.
func (x *Engine) answeredNow(rechecks int) {
	x.locked(func() {
		if x.rechecks == rechecks {
			x.askedAt = time.Now()
		}
	})
}

// bounded is a context for several requests of the shop.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, checkTimeout)
}

// check asks the shop whether it would accept a product. The error blocks one that sells in another
// currency than the marketplace.
func (x *Engine) check(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	leave, err := enter(ctx, x.asking)
	if err != nil {
		return err
	}
	defer leave()
	return x.checkAlone(ctx)
}

// checkAlone is check for a caller that holds the token.
func (x *Engine) checkAlone(ctx context.Context) error {
	var rechecks int
	var said *shopadapter.Info
	x.locked(func() { rechecks, said, x.said = x.rechecks, x.said, nil })
	if said == nil {
		said = &shopadapter.Info{}
		if err := x.Health.Guard(func() (err error) {
			*said, err = x.adapter().Check(ctx)
			return err
		}, "call", "check"); err != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return shopadapter.Retry("the shop did not answer its check in time: %w", err)
			}
			return err
		}
	}
	if x.Currency != "" {
		if err := shopadapter.SameCurrency(said.Currency, x.Currency); err != nil {
			return err
		}
	}
	if err := x.told(ctx, *said); err != nil {
		x.Health.StoreFailed(err)
	}
	x.locked(func() { x.is, x.passedAt = *said, time.Now() })
	x.answeredNow(rechecks)
	return nil
}

// beforeWrite checks the shop where the last check is too old for a write. It fails where the merchant has
// something to mend first. Where the shop cannot answer now the write is tried all the same: its error
// tells why.
func (x *Engine) beforeWrite(ctx context.Context) error {
	limited, cancel := bounded(ctx)
	defer cancel()
	leave, err := enter(limited, x.asking)
	if err != nil {
		return ctx.Err() // nil where a check that another made takes too long
	}
	defer leave()
	var asked time.Time
	var rechecks int
	x.locked(func() { asked, rechecks = x.askedAt, x.rechecks })
	if !asked.IsZero() && time.Since(asked) < checkedFor {
		return nil
	}
	err = x.checkAlone(limited)
	if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
		return err
	}
	x.answeredNow(rechecks)
	return nil
}

// info is what the shop said of itself when it was last checked. One that was not is checked now; where it
// does not answer it is said to be able to do nothing.
func (x *Engine) info(ctx context.Context) (is shopadapter.Info) {
	if !x.passedSince(time.Time{}) {
		_ = x.beforeWrite(ctx) //nolint:errcheck // the next write meets it too
	}
	x.locked(func() { is = x.is })
	return is
}

// diagnosed is what the check of the shop says in place of the error of a call that the shop refused as it
// refuses every one: doctor says the same. It is err where the check passes, or says less.
func (x *Engine) diagnosed(ctx context.Context, err error) error {
	refused := func(e *shopadapter.Error) bool { return e != nil && e.ShopWide && e.Kind == shopadapter.Blocked }
	if ctx.Err() != nil || !refused(shopadapter.Explain(err)) {
		return err
	}
	if said := shopadapter.Explain(x.check(ctx)); refused(said) {
		return said
	}
	return err
}

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

// nextTry is when the shop is tried again, as people are told: by a check in a long pause, else at its end.
// It is zero where there is no pause.
func (x *Engine) nextTry(s breaker.Status) (at time.Time) {
	if !s.Open {
		return at
	}
	every := checkEvery
	if x.Waiters.Any() {
		every = breaker.HastyBackoff
	}
	x.locked(func() { at = x.lastEnd })
	if check, ok := nextCheck(s, at, every); ok && check.Before(s.Until) {
		return check
	}
	return s.Until
}

// watchShop checks the shop at start until a check passes. From then on it checks while the shop refuses
// everything, in long pauses, when a pause has run out and no publication waits for the shop, and after each resync
// and hourly: one that changed its currency is blocked also where nothing is to be written. A single run needs it in
// long pauses alone.
func (x *Engine) watchShop(ctx context.Context, worker bool) {
	passed := !worker || x.tryShop(ctx)
	var refusedAt time.Time // when a refusal was seen last since which blocked publications were not tried again
	resynced, termsAt := x.resynced.Raised(), time.Now()
	for attempt := 1; ctx.Err() == nil; {
		changed, now := x.ShopSide.Changed(), time.Now()
		s := x.ShopSide.Status(now)
		if s.Refused {
			refusedAt = now
		}
		switch wait := x.nextTry(s).Sub(now); {
		case checkable(s) && wait <= 0:
			passed = x.tryShop(ctx) || passed
		case !passed && !s.Refused: // publications that the shop blocked before it went down wait for no pause
			gap := max(breaker.MinPause, breaker.Backoff(attempt, breaker.MaxPause))
			if checkable(s) {
				gap = min(gap, wait)
			}
			breaker.Sleep(ctx, gap, changed)
			attempt++
			passed = x.tryShop(ctx)
		case s.Open && wait > 0:
			breaker.Sleep(ctx, min(wait, breaker.HastyBackoff), changed) // somebody may begin to wait meanwhile
		case !worker:
			breaker.Sleep(ctx, breaker.Idle, changed)
		case s.Refused:
			passed = x.tryShop(ctx) || passed
		case !refusedAt.IsZero() && x.ShopSide.WorkedSince(refusedAt):
			x.Unblock(ctx) // a person's run ended the refusal, and then a call succeeded, whatever a check says
			refusedAt = time.Time{}
		case s.Paused && !x.Quiet(ctx):
			breaker.Sleep(ctx, quietEvery, changed)
		case s.Paused:
			x.tryShop(ctx)
		default:
			breaker.Sleep(ctx, breaker.Idle, changed, resynced)
			if isClosed(resynced) || time.Since(termsAt) >= time.Hour {
				resynced, termsAt = x.resynced.Raised(), time.Now()
				x.tryShop(ctx)
			}
		}
	}
}

// tryShop checks the shop, and tells the breaker. A check that passes ends a refusal or a pause, and has blocked
// publications tried again.
func (x *Engine) tryShop(ctx context.Context) (passed bool) {
	limited, cancel := bounded(ctx)
	defer cancel()
	leave, err := enter(limited, x.asking)
	if err != nil {
		return false
	}
	defer leave()
	s, first := x.ShopSide.Status(time.Now()), !x.passedSince(time.Time{})
	long, over := checkable(s), s.Refused || s.Paused && !s.Open
	just := false
	x.locked(func() { just = time.Since(x.lastEnd) < checkGap })
	if long && just {
		return false
	}
	err = x.checkAlone(limited)
	if long {
		x.locked(func() { x.lastEnd = time.Now() })
	}
	e := shopadapter.Explain(err)
	switch {
	case ctx.Err() != nil:
	case err != nil && first && !long:
		x.ShopSide.Judge("check", breaker.OfShop(err))
	case err != nil && (over || e.Kind == shopadapter.Blocked):
		x.ShopSide.Judge("", breaker.OfCheck(err))
	case err == nil:
		if long {
			x.ShopSide.EndPause()
			x.Logger.Info("shop's check passes, its pause ends early", "until", s.Until.Format(time.RFC3339))
		} else if over {
			x.ShopSide.Clear()
		}
		if x.due.Raise(); first || s.Open || s.Paused {
			x.Unblock(ctx)
		}
	}
	return err == nil
}

// checkPause checks a shop that has asked for a long pause, which a check that passes ends.
func (x *Engine) checkPause(ctx context.Context) {
	if checkable(x.ShopSide.Status(time.Now())) {
		x.tryShop(ctx)
	}
}

// Unblock has publications tried again that the shop as a whole refused, and now and then those that are
// blocked by themselves.
func (x *Engine) Unblock(ctx context.Context) {
	now := time.Now()
	n, err := store.ChangeAll(ctx, x.Store, store.Query{Key: store.KeyState(store.StateBlocked)},
		func(e *store.Entry) bool { return publication.Unblock(e, now) })
	if err != nil {
		x.Health.StoreFailed(err)
	}
	if n > 0 {
		x.due.Raise()
	}
}

// The facts under which all listings were last written. Each is stored last: after an interruption the next
// check does it again.
const (
	metaPrices  = "prices"   // the form of prices
	metaWritten = "reviewed" // shopadapter.Info.Written
)

// told compares what the shop says of itself with what it said before. One goroutine at a time calls it.
func (x *Engine) told(ctx context.Context, is shopadapter.Info) error {
	warning := x.Health.Line(is.Warning)
	if err := x.news(ctx, publication.MetaWarning, warning, func(string) error {
		if warning != "" {
			x.Logger.Warn("shop accepts products, and visitors do not see them", "reason", warning)
		}
		return nil
	}); err != nil {
		return err
	}
	form := formOf(is.Prices)
	if err := x.news(ctx, metaPrices, form, func(last string) error {
		if cmp.Or(last, shopadapter.PricesGross) == form { // the usual one, before a shop has said anything
			return nil
		}
		at := store.At(time.Now())
		n, err := store.ChangeAll(ctx, x.Store, store.Query{}, func(e *store.Entry) bool {
			if e.Record.Sale != store.OnSale || e.Record.ShopID == "" {
				return false
			}
			e.Record.Dirty |= shopadapter.FieldPrice
			e.Note(store.Mark{Class: store.ClassFull, At: at})
			return true
		})
		if n > 0 {
			x.Logger.Info("prices are entered in the shop in another way than before, all are written again",
				"prices", form, "listings", n)
			x.due.Raise()
		}
		return err
	}); err != nil {
		return err
	}
	return x.news(ctx, metaWritten, is.Written, func(string) error {
		n, err := rules.Rewrite(ctx, x.Store, shopadapter.TextFields, time.Now())
		if n > 0 {
			x.Logger.Info("settings of the shop have changed, listings follow", "listings", n)
			x.due.Raise()
		}
		return err
	})
}

// news stores a fact that is another than the last one, once it was dealt with.
func (x *Engine) news(ctx context.Context, fact, now string, deal func(last string) error) error {
	last, err := x.Store.Meta(ctx, fact)
	if err != nil || last == now {
		return err
	}
	if err := deal(last); err != nil {
		return err
	}
	return x.Store.SetMeta(ctx, fact, now)
}

func formOf(p shopadapter.Prices) string {
	form := shopadapter.PricesGross
	if p.Net() {
		form = shopadapter.PricesNet + " " + p.VAT + " " + strconv.Itoa(p.Places)
	}
	if p.Whole {
		form += " whole"
	}
	return form
}
