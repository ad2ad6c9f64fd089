package engine

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

// How a run may end.
var (
	errShopRefuses = errors.New("shop refuses everything") // only a person can mend that
	errPatience    = errors.New("patience is exhausted")   // its sweep could not be completed
	// its calls of the adapter take too long. They are cancelled where the run is alone, and go on where a
	// worker makes it. Either way their publications stay due.
	errHung = errors.New("patience is exhausted")
)

// unread is the error of a run in which some content could not be read to the end.
func (r *run) unread() error {
	n := 0
	r.locked(func() { n = len(r.misread) - len(r.objected) })
	if n == 0 {
		return nil
	}
	return &marketplace.Error{
		Op:      fmt.Sprintf("the content of %d publications could not be read", n),
		Message: cmp.Or(r.Health.Last().Message, "the marketplace did not show it"),
	}
}

// unreported is the error of a run that leaves reports owed. Refused reports do not count: they had their
// answer.
func (r *run) unreported(ctx context.Context) error {
	backlog, err := r.Store.Backlog(ctx, 0)
	if err != nil || backlog.Owed == backlog.Refused {
		return err
	}
	e := &marketplace.Error{
		Op:      fmt.Sprintf("%d reports are owed still", backlog.Owed-backlog.Refused),
		Message: "the marketplace did not accept them",
	}
	var trouble error
	r.locked(func() { trouble = r.trouble })
	if trouble != nil {
		e.Message, e.Err = trouble.Error(), trouble
	}
	return e
}

func (r *run) exitCode(ctx context.Context, err error, s desk.Summary) int {
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
		errors.Is(err, errHung) && r.checkSoon(ctx) != nil:
		return desk.ExitShop
	case s.Rejected+s.Blocked+s.Held+s.Pending+s.Refused > 0, err != nil:
		return desk.ExitStanding
	default:
		return desk.ExitOK
	}
}

func (r *run) shopIsOut(ctx context.Context, s desk.Summary) bool {
	if ctx.Err() != nil {
		return false
	}
	now := time.Now()
	t, waits := r.ShopSide.Status(now), s.Pending+s.Blocked > 0
	if t.Asked(now) != "" {
		due, _, err := r.Store.Due(ctx, store.DueQuery{Classes: store.Timely, To: store.At(now), Limit: 1})
		if waits || err == nil && len(due) > 0 {
			return true
		}
	}
	return waits && (!t.Since.IsZero() || r.isRetrying()) && r.checkSoon(ctx) != nil
}

// unusable is the error of a run in which neither a call of the shop nor a check of it succeeded, and a
// check at its end fails. Else refused credentials, or a shop that is down, would show only with the next
// product. A refusal ends the run at once; after any other error the shop is checked again while patience
// lasts. A shop that asked for a pause is not checked, and a plan writes nothing.
func (r *run) unusable(ctx context.Context) error {
	begun := time.Now()
	t := r.ShopSide.Status(begun)
	if r.recorder != nil || r.ShopSide.WorkedSince(r.from) || t.Open && t.Firm {
		return nil
	}
	if !t.Since.IsZero() || r.isRetrying() { // the patience began with the trouble
		begun = latest(t.Since, r.from)
	} else if r.passedSince(r.from) {
		return nil
	}
	for attempt := 1; ; attempt++ {
		err := r.checkSoon(ctx)
		if err == nil {
			r.ShopSide.Clear()
			return nil
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the run was stopped, and the error may come from that
		}
		e := shopadapter.Explain(err)
		wait := max(breaker.Backoff(attempt, breaker.HastyBackoff), breaker.MinPause, e.RetryAfter)
		if e.Kind == shopadapter.Blocked || time.Since(begun)+wait > r.span {
			r.ShopSide.Judge("check", breaker.OfShop(err))
			return &health.ShopError{Op: health.CheckShop, Err: err}
		}
		breaker.Sleep(ctx, wait)
	}
}

// counts is the number of publications in each state, none where the store cannot be read.
func (r *run) counts(ctx context.Context) map[store.State]int {
	counts, err := r.Store.Counts(ctx)
	if err != nil {
		r.Health.StoreFailed(err)
	}
	return counts
}

func (r *run) summary(ctx context.Context) desk.Summary {
	now, stats, standing := r.done(), r.Market.Stats(), r.counts(ctx)
	backlog, err := r.Store.Backlog(ctx, 0)
	if err != nil {
		r.Health.StoreFailed(err)
	}
	return desk.Summary{
		Swept: r.listed.count(), Reported: r.acknowledged.Load() - r.reported,
		Created: now.Created - r.before.Created, Updated: now.Updated - r.before.Updated,
		Unchanged: now.Unchanged - r.before.Unchanged, Withdrawn: now.Withdrawn - r.before.Withdrawn,
		Rejected: standing[store.StateRejected], Blocked: standing[store.StateBlocked],
		Held: standing[store.StateHeld], Pending: standing[store.StatePending], Refused: backlog.Refused,
		Untranslated: r.untranslated(ctx, standing[store.StatePending]),
		Requests:     stats.Requests - r.spent.Requests, Cost: stats.Cost - r.spent.Cost,
		Throttled: stats.Throttled - r.spent.Throttled, Seconds: time.Since(r.from).Seconds(),
	}
}

// mostUntranslated bounds the records that are looked through for one summary.
const mostUntranslated = 10_000

// untranslated counts the pending publications that wait for a title in a language that is asked for, and
// for nothing else.
func (r *run) untranslated(ctx context.Context, pending int) (n int) {
	if pending > mostUntranslated {
		return 0 // an import that was cut off
	}
	for rec, err := range store.Records(ctx, r.Store, store.Query{Key: store.KeyState(store.StatePending)}) {
		if err != nil {
			r.Health.StoreFailed(err)
			break
		}
		if rec.UntitledSince != 0 {
			n++
		}
	}
	return n
}
