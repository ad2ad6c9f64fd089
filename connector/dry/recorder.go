package dry

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Recorder records what the looks of a run send to the shop, and what a brake holds. Its methods
// may be called from any goroutine. The zero value has recorded nothing.
type Recorder struct {
	mu        sync.Mutex
	created   map[string]publication.Creation
	withdrawn map[string]bool
	changes   []publication.Planned
	held      map[string][]store.Hold // of the last look at each
}

// Sent records a write that the shop accepted.
func (r *Recorder) Sent(set *publication.Settings, st publication.Step) {
	id := st.Before().ID
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case st.Removed(): // Settled says whether that withdraws the publication
	case st.Creates():
		if r.created == nil {
			r.created = map[string]publication.Creation{}
		}
		r.created[id] = set.Creation(st)
	default:
		r.changes = append(r.changes, set.Planned(st)...)
	}
}

// Settled records how a look ended.
func (r *Recorder) Settled(st publication.Step, after store.Record) {
	id := st.Before().ID
	r.mu.Lock()
	defer r.mu.Unlock()
	if st.Removed() && after.Removal.Done {
		add(&r.withdrawn, id)
	}
	if r.held == nil {
		r.held = map[string][]store.Hold{}
	}
	r.held[id] = nil
	for _, h := range after.Holds {
		if h.Stands() && !foundTogether(h.Kind) {
			r.held[id] = append(r.held[id], h)
		}
	}
}

func add(to *map[string]bool, id string) {
	if *to == nil {
		*to = map[string]bool{}
	}
	(*to)[id] = true
}

// Plan is what was recorded, with the removals that a brake holds in the plan's store, each part in the
// order of the ids. Without full it leaves out removals that were held in the base already.
func (r *Recorder) Plan(ctx context.Context, base, overlay store.Store, full bool) (desk.Plan, error) {
	plan := desk.NewPlan()
	r.mu.Lock()
	plan.Create = slices.AppendSeq(plan.Create, maps.Keys(r.created))
	plan.Creations = slices.AppendSeq(plan.Creations, maps.Values(r.created))
	plan.Withdraw = slices.AppendSeq(plan.Withdraw, maps.Keys(r.withdrawn))
	plan.Change = append(plan.Change, r.changes...)
	for id, holds := range r.held {
		for _, h := range holds {
			plan.Held = append(plan.Held, heldPlan(id, h))
		}
	}
	r.mu.Unlock()
	err := heldTogether(ctx, &plan, base, overlay, full)
	slices.Sort(plan.Create)
	slices.Sort(plan.Withdraw)
	sort.SliceStable(plan.Change, func(i, j int) bool { return plan.Change[i].ID < plan.Change[j].ID })
	sort.SliceStable(plan.Held, func(i, j int) bool { return plan.Held[i].ID < plan.Held[j].ID })
	sort.Slice(plan.Creations, func(i, j int) bool { return plan.Creations[i].ID < plan.Creations[j].ID })
	err = errors.Join(err, name(ctx, &plan, overlay), unmade(ctx, &plan, overlay))
	plan.Held = slices.Compact(plan.Held) // prices that are held together have one reason, in a look and beside it
	return plan, err
}

func heldPlan(id string, h store.Hold) desk.HeldPlan {
	return desk.HeldPlan{ID: id, Reason: h.Reason, Kind: h.Kind, Variant: h.Variant, Old: h.Old, New: h.New}
}

// name adds the titles that no look told.
func name(ctx context.Context, plan *desk.Plan, overlay store.Store) error {
	for _, id := range plan.Withdraw {
		e, err := overlay.Get(ctx, id)
		if err != nil {
			return err
		}
		plan.Withdrawals = append(plan.Withdrawals, desk.Planned{ID: id, Title: e.Record.Title})
	}
	for i, h := range plan.Held {
		e, err := overlay.Get(ctx, h.ID)
		if err != nil {
			return err
		}
		plan.Held[i].Title = e.Record.Title
	}
	return nil
}

// unmade adds what cannot be made as the supplier gives it, and what waits for the marketplace, as
// the run would leave them.
func unmade(ctx context.Context, plan *desk.Plan, overlay store.Store) error {
	for _, state := range []store.State{store.StateRejected, store.StateBlocked, store.StatePending} {
		for r, err := range store.Records(ctx, overlay, store.Query{Key: store.KeyState(state)}) {
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

// together are the kinds of hold that are made of what was found of many publications at once.
var together = []store.HoldKind{store.HoldRemoval, store.HoldDrift}

func foundTogether(k store.HoldKind) bool { return slices.Contains(together, k) }

// heldTogether adds what a brake holds of many publications at once: no look says so.
func heldTogether(ctx context.Context, plan *desk.Plan, base, overlay store.Store, full bool) error {
	for _, kind := range together {
		for r, err := range store.Records(ctx, overlay, store.Query{Key: store.KeyHold(kind)}) {
			if err != nil {
				return err
			}
			before, err := base.Get(ctx, r.ID)
			if err != nil {
				return err
			}
			same := func(h store.Hold) bool { return h.Kind == kind && h.Stands() }
			if !full && slices.ContainsFunc(before.Record.Holds, same) {
				continue
			}
			for _, h := range r.Holds {
				if same(h) {
					plan.Held = append(plan.Held, heldPlan(r.ID, h))
				}
			}
		}
	}
	return nil
}
