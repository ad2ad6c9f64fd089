package connector

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/drift"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/review"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/draft"
)

// planning is one plan in the making: the steps of a single run, made with its own loops and rules
// on a draft of the store, and with a shop that takes everything. A step that is added to a run is
// to be added here too: TestPlanIsWhatARunDoes and TestShopIsTheImportList compare the two.
type planning struct {
	*Planner
	plan    *desk.Plan
	decider *publication.Decider
	draft   *draft.Store
	shop    shopadapter.Adapter
	began   time.Time
	log     *slog.Logger

	health    *health.Health
	sweeper   *sweep.Sweeper
	drift     *drift.Finder
	directory *directory.Keeper

	backlog    bool // the run reads figures first
	unreviewed bool // the shop could not tell what is outdated: it is not asked again
}

func (p *Planner) begin(plan *desk.Plan) *planning {
	r := &planning{
		Planner: p, plan: plan, draft: draft.New(p.Store), shop: newDryShop(p.Listings), began: time.Now(),
		log: slog.New(slog.DiscardHandler),
	}
	waiters := &breaker.Waiters{}
	shop := breaker.New(breaker.Options{Side: breaker.Shop, Most: waiters.MaxBackoff})
	market := breaker.New(breaker.Options{Side: breaker.Marketplace, Most: waiters.MaxBackoff})
	r.health = health.New(r.log, func(s string) string { return s }, r.draft)
	due, nothing := breaker.NewSignal(), func() {}
	keeper := takeover.New(takeover.Options{
		Store: r.draft, Market: p.Marketplace, Shop: r.adapter, Breaker: shop, Health: r.health, Log: r.log, Known: func(string) {},
	})
	settings := p.Settings
	settings.Lists = keeper.Lists
	r.decider = publication.NewDecider(settings)
	r.sweeper = sweep.New(sweep.Options{
		Store: r.draft, Market: p.Marketplace, Breaker: market, Waiters: waiters, Health: r.health, Log: r.log, Brake: p.Settings.Brake,
		Hints: &quota.Share{}, Due: due, Owed: nothing, Prepare: keeper.Prepare, Metrics: uncounted{}, Variants: p.Variants, Full: p.Resync,
	})
	r.directory = directory.New(directory.Options{
		Store: r.draft, Market: p.Marketplace, Language: languageOf(settings.Rules), StoreFailed: r.health.StoreFailed, Log: r.log,
	})
	r.drift = drift.New(drift.Options{
		Shop: r.adapter, Breaker: shop, Health: r.health, Store: r.draft, Log: r.log, Brake: p.Settings.Brake, Metrics: uncounted{},
		Resynced: r.sweeper.Resynced(), Due: due, Owed: nothing, Ready: func(context.Context) bool { return true },
	})
	return r
}

func (p *planning) adapter() shopadapter.Adapter { return p.shop }

// uncounted is metrics that are told of nothing.
type uncounted struct{}

func (uncounted) Swept(context.Context, bool, error) {}
func (uncounted) PassedOver(int)                     {}
func (uncounted) ShopListed(time.Duration)           {}
func (uncounted) Drifted(string, int)                {}

// all makes the steps of a run in their order.
func (p *planning) all(ctx context.Context, full bool) error {
	if err := p.wake(ctx); err != nil {
		return err
	}
	listed := sweep.NewListed()
	if err := p.patiently(ctx, func() error { return p.sweeper.Once(ctx, full, full, listed) }); err != nil {
		return err
	}
	var resync error // keeps nothing else from being planned, as in a run
	if full {
		p.drift.Compare(ctx)
	} else {
		resync = p.resync(ctx, listed)
	}
	if err := p.patiently(ctx, func() error { return p.lookBeforeReports(ctx) }); err != nil {
		return err
	}
	if err := p.workOff(ctx); err != nil {
		return err
	}
	return errors.Join(p.held(ctx, full), resync)
}

// resync enumerates the list where a run would.
func (p *planning) resync(ctx context.Context, listed *sweep.Listed) error {
	due, err := p.sweeper.ResyncDue(ctx, time.Now())
	if err != nil || !due {
		return err
	}
	return p.patiently(ctx, func() error { return p.sweeper.Once(ctx, true, false, listed) })
}

// wake makes due what a run begins with.
func (p *planning) wake(ctx context.Context) error {
	now := store.At(p.began)
	if err := takeover.PutBack(ctx, p.draft, p.log, p.began); err != nil {
		return err
	}
	if _, err := store.Advance(ctx, p.draft, store.At(p.began.Add(p.Settings.RefreshAfter))); err != nil {
		return err
	}
	if _, err := rules.Follow(ctx, p.draft, p.Settings.Rulebook(p.RuleSet), p.began); err != nil {
		return err
	}
	if _, err := store.Wake(ctx, p.draft, now, func(m store.Mark) bool { return publication.Wakes(m, now) }); err != nil {
		return err
	}
	if err := p.unblock(ctx); err != nil {
		return err
	}
	if err := p.reprice(ctx); err != nil {
		return err
	}
	if p.Review == nil {
		return nil
	}
	ids, err := review.Outdated(ctx, p.draft, p.Review, p.reviewedBy)
	var shop *health.ShopError
	if errors.As(err, &shop) {
		p.unreviewed = true
		return nil
	}
	for _, id := range ids {
		err = errors.Join(
			err,
			p.draft.Mark(ctx, store.Mark{ID: id, Class: store.ClassSweep, Cause: store.CauseRead, At: now}),
		)
	}
	return err
}

// reprice makes due what a run would write again, since the shop takes prices otherwise than
// before. A shop that cannot tell now stops no plan.
func (p *planning) reprice(ctx context.Context) error {
	if p.Prices == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, review.Timeout)
	prices, err := p.Prices(limited)
	cancel()
	if err != nil {
		return ctx.Err()
	}
	ids, err := review.Mispriced(ctx, p.draft, prices)
	for _, id := range ids {
		err = errors.Join(err, p.draft.Mark(ctx, review.MarkOf(id, p.began)))
	}
	return err
}

// unblock has tried again what a run would try again where the shop's check passes.
func (p *planning) unblock(ctx context.Context) error {
	counts, err := p.draft.Counts(ctx)
	if err != nil || counts[store.StateBlocked] == 0 || p.Check != nil && p.Check(ctx) != nil {
		return err
	}
	for r, err := range store.Records(ctx, p.draft, store.Query{States: []store.State{store.StateBlocked}}) {
		if err != nil {
			return err
		}
		if m := publication.Unblocks(r, p.began); m != nil {
			if err := p.draft.Mark(ctx, *m); err != nil {
				return err
			}
		}
	}
	return nil
}

// workOff looks at what is due until nothing is. Refreshes count only while there is patience, as
// in a run.
func (p *planning) workOff(ctx context.Context) error {
	for {
		now, classes := time.Now(), store.AllClasses
		if now.Sub(p.began) >= p.Patience {
			classes = store.Timely
		}
		due, _, err := p.draft.Due(ctx, store.DueQuery{Classes: classes, To: store.At(now)})
		switch {
		case err != nil:
			return err
		case len(due) > 0:
			if err := p.judgeBacklog(ctx, due); err != nil {
				return err
			}
			for _, m := range due {
				if err := p.look(ctx, m); err != nil {
					return err
				}
			}
		case p.sweeper.RemovalsWait():
			if err := p.sweeper.JudgeRemovals(ctx); err != nil {
				return err
			}
		default:
			return ctx.Err()
		}
	}
}

// look plans one look.
func (p *planning) look(ctx context.Context, m store.Mark) error {
	e, err := p.draft.Get(ctx, m.ID)
	if err != nil {
		return err
	}
	if e.Mark == nil || e.Mark.Gen != m.Gen { // another look has seen to it
		return nil
	}
	if publication.Needless(m, e.Record) {
		_, err := p.draft.Settle(ctx, p.decider.Skip(e.Record, m, time.Now()))
		return err
	}
	if publication.Reprices(m) {
		return p.byRules(ctx, m, e.Record)
	}
	if p.byFigures(m, e.Record) {
		if whole, err := p.lookAtFigures(ctx, m, e.Record); err != nil || !whole {
			return err
		}
	}
	var pub *marketplace.Publication
	asked := time.Now()
	if err := p.patiently(ctx, func() error {
		adm, err := p.Marketplace.Admit(ctx, marketplace.News)
		if err == nil {
			pub, err = p.Marketplace.Publication(ctx, adm, m.ID, len(e.Record.Variants))
		}
		return err
	}); err != nil {
		return err
	}
	p.directory.Place(ctx, pub)
	d := p.decider.Decide(e.Record, m, publication.Seen{Publication: pub, At: asked})
	for d.Step != publication.Settle {
		if d.Step == publication.Compare {
			facts, err := p.facts(ctx, m.ID, d)
			if err != nil {
				return err
			}
			d = d.Compared(facts)
		} else if d, err = p.pretend(ctx, d); err != nil {
			return err
		}
	}
	if d.Deed == publication.Withdrawn {
		p.plan.Withdraw = append(p.plan.Withdraw, m.ID)
	}
	for _, h := range d.Held() {
		p.plan.Held = append(p.plan.Held, desk.HeldPlan{ID: m.ID, Reason: h.Reason})
	}
	if d.FoundRemoval() {
		p.sweeper.FoundRemoval()
	}
	_, err = p.draft.Settle(ctx, d.Settlement(time.Now()))
	return err
}

// pretend plans a step that the shop would be asked to take, and goes on as if it had.
func (p *planning) pretend(ctx context.Context, d publication.Decision) (publication.Decision, error) {
	creates, changes := d.Creates(), []publication.Change(nil)
	if d.Step != publication.Unpublish && !creates {
		changes = d.Changes()
	}
	if a, ok := d.Attempt(); ok {
		skus, err := p.draft.Begin(ctx, a)
		if err != nil {
			return d, err
		}
		d = d.Attempted(skus)
	}
	var o publication.Outcome
	switch d.Step {
	case publication.Unpublish:
		o.Err = p.shop.Unpublish(ctx, d.Ref(), d.Removal)
	case publication.Restock:
		o.Listing, o.Err = p.shop.(shopadapter.Restocker).Restock(
			ctx,
			d.Ref(),
			shopadapter.FiguresOf(d.Product.Variants),
			d.Changed,
		)
	default:
		o.Listing, o.Err = p.shop.Publish(ctx, d.Ref(), d.Product, d.Changed)
	}
	if o.Err == nil && d.Step != publication.Unpublish {
		p.plan.Change = append(p.plan.Change, changes...)
		if creates {
			p.plan.Create = append(p.plan.Create, string(d.Ref().Publication))
		}
	}
	return d.Concluded(o, time.Now()), nil
}

// facts finds out what a comparison needs. A shop that cannot be asked does not stop the plan: a
// run would not move the listing either.
func (p *planning) facts(ctx context.Context, id string, d publication.Decision) (f publication.Facts, err error) {
	order, wishes := d.Wishes()
	if f.SKUs, err = p.draft.PreviewSKUs(ctx, id, order, wishes); err != nil {
		return f, err
	}
	if p.Review == nil || p.unreviewed || !d.Reviewable() {
		return f, nil
	}
	ctx, cancel := context.WithTimeout(ctx, review.Timeout)
	defer cancel()
	if f.Outdated, err = p.Review(ctx, d.Ref()); err != nil {
		p.unreviewed, f.Outdated = true, shopadapter.NoFields
	}
	return f, nil
}

// held adds the removals that the brake holds, and brings the plan in order.
func (p *planning) held(ctx context.Context, full bool) error {
	for r, err := range store.Records(ctx, p.draft, store.Query{States: []store.State{store.StateHeld}}) {
		if err != nil {
			return err
		}
		was, err := p.Store.Get(ctx, r.ID)
		if err != nil {
			return err
		}
		stood := slices.ContainsFunc(was.Record.Holds, func(h store.Hold) bool { return h.Kind == store.HoldRemoval })
		for _, h := range r.Holds {
			if h.Kind == store.HoldRemoval && (full || !stood) {
				p.plan.Held = append(p.plan.Held, desk.HeldPlan{ID: r.ID, Reason: h.Reason})
			}
		}
	}
	slices.Sort(p.plan.Create)
	slices.Sort(p.plan.Withdraw)
	slices.SortStableFunc(p.plan.Change, func(a, b publication.Change) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(p.plan.Held, func(a, b desk.HeldPlan) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

// patiently calls again what fails for a transient reason, while patience lasts.
func (p *planning) patiently(ctx context.Context, call func() error) error {
	deadline := time.Now().Add(p.Patience)
	for attempt := 1; ; attempt++ {
		err := call()
		var market *marketplace.Error
		kind := marketplace.KindOf(err)
		lasts := !errors.As(err, &market) ||
			kind != marketplace.Transient && kind != marketplace.Throttled && kind != marketplace.Invalid
		if err == nil || ctx.Err() != nil || lasts || errors.Is(err, marketplace.ErrNotSorted) {
			return err
		}
		wait := max(breaker.MinPause, breaker.Backoff(attempt, breaker.HastyBackoff))
		if time.Now().Add(wait).After(deadline) {
			return err
		}
		breaker.Sleep(ctx, wait)
	}
}
