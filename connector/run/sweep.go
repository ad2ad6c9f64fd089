package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// sweep makes a sweep, and tries again while patience lasts; in a full run it reads all content
// again. A refused token ends it at once. Pages without a new entry are no progress: else a list
// that goes in circles, or always breaks off after its first page, would hold the run for ever.
func (r *Run) sweep(ctx context.Context, full bool) error {
	var stuck time.Time // when a try first ended with pages but without a new entry; zero: the last one had some
	for attempt := 1; ; attempt++ {
		pages, entries := r.listed.Pages(), r.listed.Entries()
		err := r.sweepWatched(ctx, full)
		if ctx.Err() == nil {
			r.swept = err
		}
		if err == nil {
			return nil
		}
		var e *marketplace.Error
		var shop *health.ShopError
		var path *fs.PathError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case marketplace.KindOf(err) == marketplace.Unauthorized && r.Keys.Reread(ctx):
			continue // it was reset while the run went on
		case errors.As(err, &shop) && shopadapter.Explain(err).Kind != shopadapter.Blocked:
		case errors.As(err, &path), errors.Is(err, syscall.ENOSPC): // a disk that is full now may get room
		case !errors.As(err, &e), e.Kind == marketplace.Unauthorized:
			return err
		}
		since := later(r.Health.Progress(), r.patience.from)
		switch {
		case r.listed.Entries() > entries:
			stuck = time.Time{}
		case r.listed.Pages() > pages && stuck.IsZero():
			stuck = time.Now()
		}
		if !stuck.IsZero() {
			since = stuck
		}
		left := r.patience.span - time.Since(since)
		wait := min(max(breaker.Backoff(attempt, breaker.HastyBackoff), breaker.MinPause), left)
		if e != nil {
			wait = max(wait, e.RetryAfter)
		}
		if t := r.MarketSide.Status(time.Now()); t.Open && t.Firm {
			wait = max(wait, time.Until(t.Until))
		}
		if left <= 0 || wait > left {
			return fmt.Errorf("%w: %w", errPatience, err)
		}
		breaker.Sleep(ctx, wait)
	}
}

// sweepStill is the least time that a sweep may stand still while it waits for points or for
// another sweep: longer than one answer may take.
const sweepStill = 45 * time.Second

// sweepWatched makes the sweep, and gives up when no page arrives for longer than the patience.
func (r *Run) sweepWatched(ctx context.Context, full bool) error {
	watched, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	go func() {
		for watched.Err() == nil {
			if time.Since(later(r.Health.Progress(), begun)) > max(r.patience.span, sweepStill) {
				cancel()
			}
			breaker.Sleep(watched, time.Second)
		}
	}()
	err := r.Sweeper.Once(watched, full, r.full, r.listed)
	if err != nil && watched.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: the sweep stands still", errPatience)
	}
	return err
}

// resyncLeast is the least time that a run gives an enumeration, however short its patience: else
// the enumeration would never reach the end of the list.
const resyncLeast = 10 * time.Second

// resync enumerates the list where the last enumeration is older than the interval of its schedule.
// Where the patience cuts it off, the next run goes on with it. That is an error only where no page
// came, or where the list has no end.
func (r *Run) resync(ctx context.Context) error {
	now := time.Now()
	due, err := r.Sweeper.ResyncDue(ctx, now)
	if err != nil || r.full || !due {
		return err
	}
	if !r.ShopSide.Status(now).Open {
		r.compare(ctx)
	}
	until, cancel := context.WithDeadline(ctx, later(r.patience.from.Add(r.patience.span), now.Add(resyncLeast)))
	defer cancel()
	pages := r.listed.Pages()
	err = r.sweep(until, true)
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case until.Err() == nil && !errors.Is(err, errPatience):
		return err
	case errors.Is(r.swept, marketplace.ErrEndless), r.swept != nil && r.listed.Pages() == pages:
		return fmt.Errorf("%w: %w", errPatience, r.swept)
	}
	r.Log.Info("the next run goes on with the enumeration", "listed", r.listed.Entries())
	return nil
}
