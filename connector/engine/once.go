package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	onceGrace  = 3 * time.Second
	checkInRun = 9 * time.Second
	// compareLeast is the least silence that a run allows a shop that lists.
	compareLeast = 45 * time.Second
	// resyncLeast is the least time of an enumeration: with a short patience it would never reach the list's end.
	resyncLeast = 10 * time.Second
)

var (
	errPatience = errors.New("patience is exhausted") // a sweep could not be completed
	errHung     = errors.New("patience is exhausted") // calls of the adapter take too long
)

// A run is one sweep, all that is due, and the reports. It waits for transient errors while its patience lasts,
// and not for what only a person can mend.
type run struct {
	*Engine
	from     time.Time
	patience time.Duration
	full     bool
	reported int64
	spent    marketplace.Stats
	listed   *listed
}

func (x *Engine) newRun(o desk.RunOptions) *run {
	x.locked(func() { clear(x.outcomes) })
	return &run{
		Engine: x, full: o.Full, from: time.Now(), patience: o.Patience,
		reported: x.acknowledged.Load(), spent: x.Market.Stats(), listed: newListed(),
	}
}

// Once makes a single run alone: it starts the loops, runs, and drains them.
func (x *Engine) Once(ctx context.Context, o desk.RunOptions) (s desk.Summary, err error) {
	defer func() { x.remember(ctx, err, s.Exit) }()
	return x.once(ctx, o, x.Logger)
}

func (x *Engine) once(ctx context.Context, o desk.RunOptions, log *slog.Logger) (s desk.Summary, err error) {
	if err := x.restore(context.WithoutCancel(ctx)); err != nil {
		return desk.Summary{Exit: desk.ExitStore, Error: err.Error()}, err
	}
	r := x.newRun(o) // before the loops find work
	x.gaps.none = true
	x.rulesWait.Store(true)
	stop := x.start(ctx)
	defer func() {
		if ctx.Err() == nil { // only calls are under way that the patience did not wait for
			stop(min(x.Grace, onceGrace))
			return
		}
		stop(x.Grace)
		exit, why := s.Exit, s.Error
		s = r.summary(context.WithoutCancel(ctx)) // with what was under way
		s.Exit, s.Error = exit, why
	}()
	defer beside(ctx, func(ctx context.Context) { x.watchShop(ctx, false) })()
	defer beside(ctx, func(ctx context.Context) { r.tellProgress(ctx, log) })()
	return r.make(ctx)
}

const progressEvery = 10 * time.Second

func (r *run) tellProgress(ctx context.Context, log *slog.Logger) {
	for Sleep(ctx, progressEvery); ctx.Err() == nil; Sleep(ctx, progressEvery) {
		if backlog, err := r.Store.Backlog(ctx, store.At(time.Now())); err == nil {
			done := 0
			r.locked(func() { done = len(r.outcomes) })
			log.Info("run under way", "listed", r.listed.count(), "done", done, "due", backlog.Due)
		}
	}
}

// errStopping is for what would be made once another process, or the worker that follows, is there.
var errStopping = &desk.Error{Exit: desk.ExitStore, Err: errors.New("the worker is stopping")}

// RunOnce makes a single run within a running engine. Runs take turns.
func (x *Engine) RunOnce(ctx context.Context, o desk.RunOptions) (s desk.Summary, err error) {
	ctx, end := x.accepts(ctx)
	defer end()
	defer func() {
		if err != nil && x.stopping() {
			s.Exit, s.Error = errStopping.Exit, errStopping.Error()
		}
	}()
	leave, err := enter(ctx, x.turn)
	if err != nil {
		return desk.Summary{Exit: desk.ExitStanding, Error: err.Error()}, err
	}
	defer leave()
	return x.newRun(o).make(ctx)
}

func (r *run) make(ctx context.Context) (desk.Summary, error) {
	// after the patience failures back off as in a worker: else they would keep the rest from its turn
	r.awaited.Add(1)
	leave := sync.OnceFunc(func() { r.awaited.Add(-1) })
	defer leave()
	defer time.AfterFunc(r.patience, leave).Stop()
	r.ShopSide.Release() // a person asked for the run: it ends every pause but a Retry-After
	r.MarketSide.Release()
	r.Health.Stored(r.wake(ctx, r.from))
	err := r.do(ctx)
	ending := context.WithoutCancel(ctx) // a stopped run has a summary too
	if err == nil {
		err = r.unfinished(ending)
	}
	if err == nil || errors.Is(err, errHung) {
		err = errors.Join(err, r.shopFails(ctx, err != nil))
	}
	s := r.summary(ending)
	s.Exit = exitCode(err, s)
	if r.full && ctx.Err() == nil && s.Exit != desk.ExitMarketplace { // else the next full run goes on
		r.Health.Stored(reading.Set(ending, r.Store, 0))
	}
	if err != nil && ctx.Err() != nil {
		s.Error = "interrupted; the next run goes on where it stopped"
	} else if err != nil {
		s.Error = err.Error()
	}
	return s, err
}

func (r *run) checkSoon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkInRun)
	defer cancel()
	begun := time.Now()
	err := r.check(ctx, 0)
	if err == nil {
		r.ShopSide.checkPassed(begun)
	}
	return err
}

func (r *run) do(ctx context.Context) error {
	var checking sync.WaitGroup
	checking.Go(func() {
		if r.checkSoon(ctx) == nil {
			r.Unblock(ctx)
		}
	})
	r.findOverdue(ctx) // a run from cron may end early, if the shop refuses everything
	if r.full {
		r.compare(ctx, true, max(r.patience, compareLeast)) // before any write, which a comparison would not judge
	}
	err := r.sweepOn(ctx, r.full)
	checking.Wait()
	r.rulesWait.Store(false)
	r.due.Raise()
	if err != nil {
		return err
	}
	resynced := r.resync(ctx) // the rest is done even if the list cannot be enumerated
	err = r.workOff(ctx)
	r.findOverdue(ctx)
	if err == nil || errors.As(err, new(*shopError)) {
		err = r.workOff(ctx)
	}
	return errors.Join(resynced, err)
}

// sweepOn retries a sweep while patience lasts since the last new entry. A refused token ends it at once.
func (r *run) sweepOn(ctx context.Context, full bool) (last error) {
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		err := r.sweep(ctx, full, r.full, r.listed)
		if ctx.Err() != nil {
			return cmp.Or(last, ctx.Err())
		}
		if last = err; err == nil {
			return nil
		}
		var e *marketplace.Error
		switch {
		case errors.As(err, new(*shopError)) && shopadapter.Explain(err).Kind != shopadapter.Blocked:
		case errors.As(err, new(*fs.PathError)), errors.Is(err, syscall.ENOSPC): // a full disk may get room
		case !errors.As(err, &e), e.Kind == marketplace.Unauthorized:
			return err
		}
		left := r.patience - time.Since(latest(begun, r.listed.grown))
		wait := min(max(Backoff(attempt, HastyBackoff), MinPause), left)
		if t := r.MarketSide.Status(time.Now()); t.Shut && t.Firm {
			wait = max(time.Until(t.Until), MinPause)
		}
		if left <= 0 || wait > left {
			return fmt.Errorf("%w: %w", errPatience, err)
		}
		Sleep(ctx, wait)
	}
}

// resync enumerates the list when the schedule's interval has passed. If patience ends before, the next run goes
// on, but it is an error if no page came or the list has no end.
func (r *run) resync(ctx context.Context) error {
	if r.full || r.Resync == nil {
		return nil
	}
	now := time.Now()
	done, known, err := r.Store.CursorOf(ctx, cursorDone)
	if err != nil || known && !overdue(r.Resync, done.At.Time(), now) {
		return err
	}
	r.compare(ctx, false, max(r.patience, compareLeast))
	until, cancel := context.WithDeadline(ctx, latest(r.from.Add(r.patience), now.Add(resyncLeast)))
	defer cancel()
	pages := r.listed.pages
	err = r.sweepOn(until, true)
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case until.Err() == nil && !errors.Is(err, errPatience):
		return err
	case errors.Is(err, marketplace.ErrEndless), r.listed.pages == pages && !store.Stopped(err):
		return fmt.Errorf("%w: %w", errPatience, err)
	}
	r.Logger.Info("the next run goes on with the enumeration", "listed", r.listed.count())
	return nil
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (r *run) lasts(since, until time.Time) bool {
	return until.Sub(latest(since, r.from)) <= r.patience
}

// bears reports whether the run has patience with a side's trouble, until the end of its pause.
func (r *run) bears(s GateStatus, now time.Time) bool {
	return s.Since.IsZero() || r.lasts(s.Since, latest(now, s.Try))
}

// workOff waits until due work is done, owed reports are made, and patience with transient errors is over. A
// slow shop has time as long as each call ends in time.
func (r *run) workOff(ctx context.Context) error {
	for {
		due, shopChanged, marketChanged := r.due.Raised(), r.ShopSide.Changed(), r.MarketSide.Changed()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := r.Health.storeTrouble(); store.Hopeless(err) {
			return err
		}
		now, removals := time.Now(), r.removalsWait()
		shop, market := r.ShopSide.Status(now), r.MarketSide.Status(now)
		left, err := r.left(ctx, shop, market, now)
		refused := shop.Shut && shop.Refused
		switch {
		case err != nil:
			return err
		case len(r.looked()) > 0 && (refused || market.Refused):
			// looks under way when a side refused are still to be settled
		case market.Refused:
			return &marketplace.Error{Kind: marketplace.Unauthorized, Message: market.Reason}
		case refused && !left.reports:
			return &shopError{op: "the shop refuses everything", err: errors.New(shop.Reason)}
		case refused, left.work, left.reports:
		case removals || r.removalsWait(): // before, or found meanwhile
			if err := r.judgeRemovals(ctx); err != nil {
				return err
			}
			continue
		case left.hung > 0:
			return fmt.Errorf("%w: the shop does not come to an end with %d publications", errHung, left.hung)
		default:
			return nil
		}
		Sleep(ctx, time.Second, due, shopChanged, marketChanged)
	}
}

type remaining struct {
	work    bool // a look is under way, could begin, or waits for a retry within the patience
	reports bool
	hung    int // calls of the adapter that the run gives up
}

// left counts refreshes only while patience lasts: on a long list they take days.
func (r *run) left(ctx context.Context, shop, market GateStatus, now time.Time) (left remaining, err error) {
	counts, late := store.AllClasses, !r.lasts(r.from, now)
	if late {
		counts = store.Timely
	}
	spent := !shop.Since.IsZero() && !r.lasts(shop.Since, now) // the patience with a failing shop
	var retrying, calls map[string]time.Time
	r.locked(func() {
		retrying, calls, left.reports = maps.Clone(r.retrying), maps.Clone(r.begun), len(r.reporting) > 0
	})
	hung := maps.Clone(calls)
	maps.DeleteFunc(hung, func(_ string, begun time.Time) bool {
		// a late call gets time of its own: a product with many pictures takes long
		return !late || !spent && now.Sub(begun) <= max(r.patience/2, leastCall)
	})
	for id := range hung {
		if _, retries := retrying[id]; retries {
			continue // the shop answered before, and the publication is pending
		}
		e, err := r.Store.Get(ctx, id)
		if err != nil {
			return left, err
		}
		if e.Record.Sale != store.OnSale || e.Record.Pictures.LateAt == 0 { // else it only asks for late pictures
			left.hung++
		}
	}
	due, _, err := r.Store.Due(ctx, store.DueQuery{
		Classes: r.open(queueAny, now) & counts, To: store.At(latest(now, market.Until)), Limit: 1,
		Skip: slices.AppendSeq(slices.Collect(maps.Keys(retrying)), maps.Keys(hung)),
	})
	if err != nil {
		return left, err
	}
	since, trouble := r.Health.storeTrouble()
	disk, stuck := trouble == nil || r.lasts(since, now), len(hung) >= cap(r.slots) // every slot has a call that hangs
	patient := disk && r.bears(shop, now) && r.bears(market, now)
	for id, class := range r.looked() {
		_, retries := retrying[id]
		_, called := calls[id] // else it may wait for points
		_, hangs := hung[id]
		left.work = left.work || counts.Has(class) && !retries && !hangs && !stuck && (called || r.bears(market, now))
	}
	left.work = left.work || len(due) > 0 && patient && (shop.Shut || market.Shut || !stuck || !r.ready(ctx))
	for _, first := range retrying {
		left.work = left.work || patient && r.lasts(first, now)
	}
	reports, err := r.Store.Reports(ctx)
	left.reports = r.recorder == nil && disk && r.bears(market, now) && (left.reports ||
		slices.ContainsFunc(reports, func(o store.Report) bool { // a refusal during the run is an answer
			return o.TriedAt < store.At(r.from) || o.Lost && r.lasts(o.Since.Time(), now)
		}))
	return left, err
}
