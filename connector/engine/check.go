package engine

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	checkTimeout = 3 * time.Minute // a check is several requests, and a slow shop is not down
	checkedFor   = time.Minute     // how long a check is good for writes
	checkIdle    = time.Hour       // between checks of a shop that gets no writes
	quietEvery   = 2 * time.Second // between looks for work after a pause
)

func (x *Engine) passedSince(t time.Time) (passed bool) {
	x.locked(func() { passed = !x.passedAt.IsZero() && !x.passedAt.Before(t) })
	return passed
}

// check asks the shop whether it accepts products, unless it was asked within a span. A shop in another
// currency is Blocked.
func (x *Engine) check(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	leave, err := enter(ctx, x.asking)
	if err != nil {
		return err
	}
	defer leave()
	recent := false
	x.locked(func() { recent = time.Since(x.askedAt) < within })
	if recent {
		return nil
	}
	var said shopadapter.Info
	err = x.Health.guard(func() (err error) {
		said, err = x.Shop.Check(ctx)
		return err
	}, "call", "check")
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = shopadapter.Retry("the shop did not answer its check in time: %w", err)
	}
	if err == nil && x.Currency != "" {
		err = shopadapter.SameCurrency(said.Currency, x.Currency)
	}
	if err == nil {
		x.Health.Stored(x.told(ctx, said))
	}
	x.locked(func() {
		now := time.Now() // after the call: a write that waited for a slow check does not ask again
		if err == nil {
			x.is, x.passedAt = said, now
		}
		if err == nil || shopadapter.Explain(err).Kind != shopadapter.Blocked {
			x.askedAt = now
		}
	})
	return err
}

// info makes a first check if none has passed. A shop that does not answer can do nothing.
func (x *Engine) info(ctx context.Context) (is shopadapter.Info) {
	if !x.passedSince(time.Time{}) {
		_ = x.check(ctx, checkedFor) //nolint:errcheck // the next write meets it too
	}
	x.locked(func() { is = x.is })
	return is
}

// diagnosed replaces a shop-wide refusal by the error of a check, as doctor shows it.
func (x *Engine) diagnosed(ctx context.Context, err error) error {
	refused := func(e *shopadapter.Error) bool { return e != nil && e.ShopWide && e.Kind == shopadapter.Blocked }
	if ctx.Err() != nil || !refused(shopadapter.Explain(err)) {
		return err
	}
	if said := shopadapter.Explain(x.check(ctx, 0)); refused(said) {
		return said
	}
	return err
}

// watchShop checks the shop in a long pause. A worker also checks it hourly, at the start until a check passes,
// and while the shop refuses everything. After a pause it checks if no publication waits, whose call would tell
// that the shop is back.
func (x *Engine) watchShop(ctx context.Context, worker bool) {
	passed, tries, trouble := !worker, 0, false
	next := time.Now()
	for ctx.Err() == nil {
		changed, now := x.ShopSide.Changed(), time.Now()
		s := x.ShopSide.Status(now)
		if trouble && s.Since.IsZero() {
			x.Unblock(ctx) // a call succeeded, whatever a check says
		}
		trouble = !s.Since.IsZero()
		wait := next.Sub(now)
		switch {
		case s.Long, s.Refused && worker, s.Shut && worker && passed:
			wait = min(s.Try.Sub(now), HastyBackoff) // a run may begin to wait meanwhile
		case !worker:
			wait = Idle
		case !s.Paused || !passed:
		case x.isRetrying() || x.working(ctx):
			wait = quietEvery
		default:
			wait = 0
		}
		if wait > 0 {
			Sleep(ctx, min(wait, Idle), changed)
			continue
		}
		if passed = x.tryShop(ctx) || passed; passed {
			next = time.Now().Add(checkIdle)
		} else {
			tries++
			next = time.Now().Add(max(MinPause, Backoff(tries, maxPause)))
		}
	}
}

func (x *Engine) tryShop(ctx context.Context) (passed bool) {
	begun, first := time.Now(), !x.passedSince(time.Time{})
	s := x.ShopSide.Status(begun)
	err := x.check(ctx, 0)
	switch e := shopadapter.Explain(err); {
	case err == nil:
		x.ShopSide.checkPassed(begun)
		if x.due.Raise(); first || s.Shut || s.Paused {
			x.Unblock(ctx)
		}
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
	case s.Shut || s.Paused || e.Kind == shopadapter.Blocked:
		x.ShopSide.judge("", ofCheck(err, s.Long))
	case first:
		x.ShopSide.Told(aboutCheck, err)
	}
	return err == nil
}

// Unblock makes due what a shop-wide refusal blocked, and now and then individually blocked publications.
func (x *Engine) Unblock(ctx context.Context) {
	now := time.Now()
	x.changeAll(ctx, store.StateBlocked, func(e *store.Entry) bool { return publication.Unblock(e, now) })
}

// Facts under which all listings were last written. Each is stored after all marks: the next check repeats an
// interrupted change.
const (
	metaPrices  = "prices"
	metaWritten = "reviewed" // shopadapter.Info.Written
)

// told has listings follow the shop's Info.
func (x *Engine) told(ctx context.Context, is shopadapter.Info) error {
	begun := time.Now()
	for _, f := range []struct {
		name, says string
		usual      string // before the shop has said anything
		groups     shopadapter.Fields
		class      store.Class
	}{
		{name: publication.MetaWarning, says: x.Health.line(is.Warning)},
		// a wrong price does not wait as long as a refresh may
		{metaPrices, formOf(is.Prices), shopadapter.PricesGross, shopadapter.FieldPrice, store.ClassFull},
		{metaWritten, is.Written, "", shopadapter.TextFields, store.ClassRefresh},
	} {
		last, err := x.Store.Meta(ctx, f.name)
		if err != nil {
			return err
		}
		if last == f.says {
			continue
		}
		if f.groups != 0 && cmp.Or(last, f.usual) != f.says {
			v := publication.Revision{Content: true, Written: f.groups}
			n, err := store.ChangeAll(ctx, x.Store, store.Query{}, func(e *store.Entry) bool {
				follows := v.Follow(e, begun)
				if follows && e.Mark != nil && e.Record.Sale != store.Off {
					e.Mark.Class = min(e.Mark.Class, f.class)
				}
				return follows
			})
			if err != nil {
				return err
			}
			x.Logger.Info("settings of the shop have changed, listings follow", "setting", f.says, "listings", n)
			x.due.Raise()
		} else if f.groups == 0 && f.says != "" {
			x.Logger.Warn("shop accepts products, and visitors do not see them", "reason", f.says)
		}
		if err := x.Store.SetMeta(ctx, f.name, f.says); err != nil {
			return err
		}
	}
	return nil
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
