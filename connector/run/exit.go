package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// errShopRefuses ends a run at once: only a person can mend a shop that refuses everything.
var errShopRefuses = errors.New("shop refuses everything")

// errPatience ends a run whose sweep could not be completed.
var errPatience = errors.New("patience is exhausted")

// errHung ends a run whose calls of the adapter take too long. They are cancelled where the run is
// alone, and go on where a worker makes it. Either way their publications stay due.
var errHung = errors.New("patience is exhausted")

func hungError(n int) error {
	return fmt.Errorf("%w: the shop does not come to an end with %d publications", errHung, n)
}

// unread is the error of a run in which some content could not be read to the end.
func (r *Run) unread() error {
	n := r.Worker.Misread()
	if n == 0 {
		return nil
	}
	return &marketplace.Error{
		Op:      fmt.Sprintf("the content of %d publications could not be read", n),
		Message: cmp.Or(r.Health.Last().Message, "the marketplace did not show it"),
	}
}

// unreported is the error of a run that leaves reports owed. Refused reports do not count: they had
// their answer.
func (r *Run) unreported(ctx context.Context) error {
	backlog, err := r.Store.Backlog(ctx, 0)
	if err != nil || backlog.Owed == backlog.Refused {
		return err
	}
	e := &marketplace.Error{
		Op:      fmt.Sprintf("%d reports are owed still", backlog.Owed-backlog.Refused),
		Message: "the marketplace did not accept them",
	}
	if trouble := r.Reports.Trouble(); trouble != nil {
		e.Message, e.Err = trouble.Error(), trouble
	}
	return e
}

func (r *Run) exitCode(ctx context.Context, err error, s desk.Summary) int {
	var market *marketplace.Error
	var account *store.AccountError
	var shop *health.ShopError
	switch {
	case errors.As(err, &account), store.Hopeless(err), errors.Is(err, store.ErrClosed):
		return desk.ExitStore
	case errors.As(err, &market), errors.Is(err, errPatience) && !errors.As(err, &shop):
		return desk.ExitMarketplace
	case errors.As(err, &shop),
		errors.Is(err, errShopRefuses),
		r.shopIsOut(ctx, s),
		errors.Is(err, errHung) && r.checkShop(ctx) != nil:
		return desk.ExitShop
	case s.Rejected+s.Blocked+s.Held+s.Pending+s.Refused > 0:
		return desk.ExitStanding
	case err != nil:
		return desk.ExitStanding
	default:
		return desk.ExitOK
	}
}

// undone reports whether something is due that a run would do.
func (r *Run) undone(ctx context.Context, now time.Time) bool {
	due, _, err := r.Store.Due(ctx, store.DueQuery{Classes: store.Timely, To: store.At(now), Limit: 1})
	return err == nil && len(due) > 0
}

// shopIsOut reports whether work is left undone because the shop cannot be used.
func (r *Run) shopIsOut(ctx context.Context, s desk.Summary) bool {
	now := time.Now()
	t := r.ShopSide.Status(now)
	if ctx.Err() == nil && r.ShopSide.Status(now).Asked(now) != "" && (s.Pending+s.Blocked > 0 || r.undone(ctx, now)) {
		return true
	}
	if ctx.Err() != nil || s.Pending+s.Blocked == 0 || t.Since.IsZero() && r.Worker.Retrying() == 0 {
		return false
	}
	if !t.Checked {
		return !t.Since.IsZero()
	}
	return r.checkShop(ctx) != nil
}

// unusable is the error of a run in which neither a call of the shop nor a check of it succeeded, and a
// check at its end fails. Else refused credentials, or a shop that is down, would show only with the
// next product. A refusal ends the run at once; after any other error the shop is checked again while
// patience lasts. A shop that asked for a pause is not checked.
func (r *Run) unusable(ctx context.Context) error {
	begun := time.Now()
	t := r.ShopSide.Status(begun)
	if r.ShopSide.WorkedSince(r.patience.from) || t.Open && t.Firm {
		return nil
	}
	if !t.Since.IsZero() || r.Worker.Retrying() > 0 { // the patience began with the trouble
		begun = later(t.Since, r.patience.from)
	} else if r.Shop.PassedSince(r.patience.from) {
		return nil
	}
	for attempt := 1; ; attempt++ {
		err := r.checkShop(ctx)
		if err == nil {
			r.ShopSide.Clear()
			return nil
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the run was stopped, and the error may come from that
		}
		e := shopadapter.Explain(err)
		wait := max(breaker.Backoff(attempt, breaker.HastyBackoff), breaker.MinPause, e.RetryAfter)
		if e.Kind == shopadapter.Blocked || time.Since(begun)+wait > r.patience.span {
			r.Worker.JudgeShop(ctx, "check", err)
			return &health.ShopError{Op: health.CheckShop, Err: err}
		}
		breaker.Sleep(ctx, wait)
	}
}

// checkShop checks the shop at the beginning or the end of the run, within checkInRunTimeout.
func (r *Run) checkShop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkInRunTimeout)
	defer cancel()
	return r.Shop.Check(ctx)
}

const checkInRunTimeout = 10 * time.Second
