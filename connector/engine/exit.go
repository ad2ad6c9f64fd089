package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// unfinished returns an error where content was not read, reports have no answer, or the store is in trouble. Refused
// reports had their answer.
func (r *run) unfinished(ctx context.Context) error {
	n, what := 0, ""
	r.locked(func() { n = len(r.misread) - len(r.objected) })
	backlog, err := r.Store.Backlog(ctx, 0)
	switch owed := backlog.Owed - backlog.Refused; {
	case n > 0:
		what = fmt.Sprintf("the content of %d publications could not be read", n)
	case owed > 0 && r.recorder == nil:
		what = fmt.Sprintf("%d reports are owed still", owed)
	}
	_, trouble := r.Health.storeTrouble()
	if err = errors.Join(err, trouble); what == "" {
		return err
	}
	why := cmp.Or(r.Health.lastError().Message, "the marketplace did not answer")
	return errors.Join(&marketplace.Error{Op: what, Message: why}, err)
}

// shopFails checks a shop that is in trouble at a run's end, or that answered no call or check. It retries
// while patience lasts. A pause that the shop asked for is an error if something waits for its end.
func (r *run) shopFails(ctx context.Context, hung bool) error {
	now := time.Now()
	s := r.ShopSide.Status(now)
	if s.Shut && s.Firm && now.Before(s.Until) && r.recorder == nil {
		due, _, err := r.Store.Due(ctx, store.DueQuery{Classes: store.Timely, To: store.At(now), Limit: 1})
		counts, uncounted := r.Store.Counts(ctx)
		waiting := len(due) + counts[store.StatePending] + counts[store.StateBlocked]
		if err = errors.Join(err, uncounted); err == nil && waiting > 0 {
			until := s.Until.UTC().Format(time.RFC3339)
			err = &shopError{op: sideShop, err: fmt.Errorf("the shop asked for a pause until %s: %s", until, s.Reason)}
		}
		return err
	}
	works := r.recorder == nil && r.ShopSide.workedSince(r.from) || r.passedSince(r.from) // a plan's calls reach no shop
	if s.Since.IsZero() && !r.isRetrying() && !hung && works {
		return nil
	}
	since := s.Since
	if since.IsZero() && !hung { // a long run has patience with a check that fails at its end
		since = now
	}
	for attempt := 1; ctx.Err() == nil; attempt++ {
		err := r.checkSoon(ctx)
		if err == nil {
			return nil
		}
		e := shopadapter.Explain(err)
		wait := max(Backoff(attempt, HastyBackoff), MinPause, e.RetryAfter)
		if e.Kind == shopadapter.Blocked || !r.lasts(since, time.Now().Add(wait)) {
			r.ShopSide.Told(aboutCheck, err)
			return &shopError{op: sideShop, err: err}
		}
		Sleep(ctx, wait)
	}
	return nil
}

func exitCode(err error, s desk.Summary) int {
	var market *marketplace.Error
	shop := errors.As(err, new(*shopError))
	switch {
	case store.Hopeless(err), errors.Is(err, store.ErrClosed), errors.Is(err, syscall.ENOSPC) && !shop:
		return desk.ExitStore
	case errors.As(err, &market), errors.Is(err, errPatience) && !shop:
		return desk.ExitMarketplace
	case shop:
		return desk.ExitShop
	case s.Rejected+s.Blocked+s.Held+s.Pending+s.Refused > 0, err != nil:
		return desk.ExitStanding
	default:
		return desk.ExitOK
	}
}

func (r *run) summary(ctx context.Context) desk.Summary {
	did, stats := map[string]int64{}, r.Market.Stats()
	r.locked(func() {
		for _, outcome := range r.outcomes {
			did[outcome]++
		}
	})
	backlog, err := r.Store.Backlog(ctx, 0)
	r.Health.Stored(err)
	standing := backlog.States
	return desk.Summary{
		Swept: r.listed.count(), Reported: r.acknowledged.Load() - r.reported,
		Created: did[store.WhatCreated], Updated: did[store.WhatUpdated],
		Unchanged: did[unchanged], Withdrawn: did[withdrawn],
		Rejected: standing[store.StateRejected], Blocked: standing[store.StateBlocked],
		Held: standing[store.StateHeld], Pending: standing[store.StatePending], Refused: backlog.Refused,
		Requests: stats.Requests - r.spent.Requests, Cost: stats.Cost - r.spent.Cost,
		Throttled: stats.Throttled - r.spent.Throttled, Seconds: time.Since(r.from).Seconds(),
	}
}
