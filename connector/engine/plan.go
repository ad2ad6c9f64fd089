package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Planner makes the plan of a run: it makes that run on a store in memory over the real one, with a shop
// that accepts everything and is told nothing (planned.go), and makes no report.
//
// A plan cannot know how the shop answers to a write, but that a listing which a complete list of the shop
// lacks is gone; what the look before a report would show; whether the shop can be used at the end of a run
// in which nothing was written; and when retries, late pictures and reports of an hour from now come due.
type Planner struct {
	Options
	Patience time.Duration
	Progress func(desk.Progress) // is called every second with how far the planned run has come; nil: it is not
}

// plannedGrace is the time left for looks that are under way when the caller of a plan gives up.
const plannedGrace = 3 * time.Second

// Planner makes a planner with the settings of this engine.
func (x *Engine) Planner(patience time.Duration) *Planner {
	p := &Planner{Options: x.Options, Patience: patience}
	p.Shop = x.adapter()
	return p
}

// Plan makes the plan of a run, or with full of a full run. The error is also in the plan, with the exit
// code. The planned run knows nothing of this process: not its counts, not what it found out, and not the
// shop's pause, which ends before the plan is carried out.
func (p *Planner) Plan(ctx context.Context, full bool) (desk.Plan, error) {
	over, err := store.Over(ctx, p.Store)
	if err != nil {
		plan := desk.NewPlan()
		plan.Error, plan.Exit = err.Error(), desk.ExitStore
		return plan, err
	}
	o := p.Options
	o.Store, o.Shop, o.Logger = over, newPlannedShop(p.Shop, over), nil
	o.Sweep, o.AllCalls, o.Visitor, o.Grace = nil, nil, nil, plannedGrace
	x := New(o)
	x.recorder = &recorder{withdrawn: map[string]bool{}, readings: map[string]bool{}, at: map[[3]string]int{}}
	var summary desk.Summary
	if err = x.restore(context.WithoutCancel(ctx)); err != nil {
		summary.Exit = desk.ExitStore
	} else {
		summary, err = x.once(ctx, desk.RunOptions{Full: full, Patience: p.Patience, Progress: p.Progress})
	}
	plan, failed := x.recorder.plan(context.WithoutCancel(ctx), p.Store, over)
	if err = errors.Join(err, failed); err != nil {
		plan.Error, plan.Exit = err.Error(), summary.Exit
		if plan.Exit <= desk.ExitStanding { // what stands is no fault of a plan
			plan.Exit = desk.ExitMarketplace
		}
	}
	return plan, err
}

// A recorder records what the looks of a planned run send to the shop.
type recorder struct {
	mu        sync.Mutex
	creations []publication.Creation
	withdrawn map[string]bool
	readings  map[string]bool // by id: the run reads it, where a plan answers by the record
	changes   []publication.Planned
	at        map[[3]string]int // places in changes by id, field and variant
}

func (r *recorder) sent(set *publication.Settings, st publication.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case st.Removed(): // settled says whether that withdraws the publication
	case st.Creates():
		made := set.Creation(st)
		same := func(c publication.Creation) bool { return c.ID == made.ID }
		r.creations = append(slices.DeleteFunc(r.creations, same), made)
	default:
		for _, c := range set.Planned(st) {
			r.change(c)
		}
	}
}

// change records a change. Of a figure that the run writes twice, the plan shows where it begins and where
// it ends.
func (r *recorder) change(c publication.Planned) {
	figure := [3]string{c.ID, c.Field, c.Variant}
	if i, twice := r.at[figure]; twice {
		c.Old = r.changes[i].Old
		r.changes[i] = c
		return
	}
	r.at[figure] = len(r.changes)
	r.changes = append(r.changes, c)
}

// reads records that the run has to read a publication that the plan need not.
func (r *recorder) reads(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readings[id] = true
}

func (r *recorder) settled(st publication.Step, after store.Record) {
	if st.Removed() && after.Removal.Done {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.withdrawn[st.Before().ID] = true
	}
}

// plan is what was recorded, and what would stand held at the run's end, each part in the order of the ids.
func (r *recorder) plan(ctx context.Context, base, over store.Store) (plan desk.Plan, err error) {
	plan = desk.NewPlan()
	r.mu.Lock()
	defer r.mu.Unlock()
	title := func(id string) string {
		e, failed := over.Get(ctx, id)
		err = errors.Join(err, failed)
		return e.Record.Title
	}
	for _, c := range r.creations {
		plan.Create, plan.Creations = append(plan.Create, c.ID), append(plan.Creations, c)
	}
	for id := range r.withdrawn {
		plan.Withdraw = append(plan.Withdraw, id)
	}
	slices.Sort(plan.Withdraw)
	for _, id := range plan.Withdraw {
		plan.Withdrawals = append(plan.Withdrawals, desk.Planned{ID: id, Title: title(id)})
	}
	plan.Change, plan.Readings = append(plan.Change, r.changes...), len(r.readings)
	for _, kind := range store.HoldKinds() {
		for rec, failed := range store.Records(ctx, over, store.Query{Key: store.KeyHold(kind)}) {
			if failed != nil {
				return plan, errors.Join(err, failed)
			}
			if kind == store.HoldForeign {
				before, failed := base.Get(ctx, rec.ID)
				if err = errors.Join(err, failed); before.Record.ShopID != "" { // the worker has made it meanwhile
					continue
				}
			}
			for _, h := range rec.Holds {
				if h.Kind == kind && h.Stands() {
					plan.Held = append(plan.Held, desk.HeldPlan{
						ID: rec.ID, Title: rec.Title, Reason: h.Reason, Kind: kind, Variant: h.Variant, Old: h.Old, New: h.New,
					})
				}
			}
		}
	}
	slices.Sort(plan.Create)
	slices.SortStableFunc(plan.Change, func(a, b publication.Planned) int { return strings.Compare(a.ID, b.ID) })
	slices.SortStableFunc(plan.Held, func(a, b desk.HeldPlan) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(plan.Creations, func(a, b publication.Creation) int { return strings.Compare(a.ID, b.ID) })
	return plan, errors.Join(err, leftOver(ctx, &plan, over))
}

// leftOver adds what cannot be made as the supplier gives it, and what waits for the marketplace, as the run
// would leave them.
func leftOver(ctx context.Context, plan *desk.Plan, over store.Store) error {
	for _, state := range []store.State{store.StateRejected, store.StateBlocked, store.StatePending} {
		for r, err := range store.Records(ctx, over, store.Query{Key: store.KeyState(state)}) {
			if err != nil {
				return err
			}
			row := desk.Planned{ID: r.ID, Title: r.Title, Reason: r.Problem.Message}
			switch {
			case state != store.StatePending:
				plan.Refused = append(plan.Refused, row)
			case r.Problem.Kind == store.ProblemWaiting:
				plan.Waits = append(plan.Waits, row)
			}
		}
	}
	return nil
}
