package engine

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Plan plans a run with the worker's settings, except for rules of prices and stock that the caller gives. The
// plan carries an error that ended it early.
func (x *Engine) Plan(ctx context.Context, run desk.RunOptions) (desk.Plan, error) {
	ctx, end := x.accepts(ctx)
	defer end()
	o := x.Options
	if run.Rules != nil {
		o.Rules, o.RuleSet = o.Rules.WithFigures(*run.Rules), run.Set
	}
	plan, _ := Plan(ctx, o, run) //nolint:errcheck // the plan carries it
	return plan, nil
}

// Plan makes a run on a store in memory over the real one. Its shop accepts everything and is told nothing, and it
// makes no report. The run does not know this process, not even the shop's pause.
//
// A plan cannot know how the shop answers a write, except that a listing is gone which a complete list lacks.
// Nor does it know what the look before a report shows, or whether the shop works at the end.
func Plan(ctx context.Context, o Options, run desk.RunOptions) (desk.Plan, error) {
	over, err := store.Over(ctx, o.Store)
	if err != nil {
		plan := desk.NewPlan()
		plan.Error, plan.Exit = err.Error(), desk.ExitStore
		return plan, err
	}
	log := o.Logger
	o.Store, o.Shop, o.Logger = over, &plannedShop{Adapter: o.Shop, over: over}, nil
	o.Sweep, o.AllCalls, o.Grace = nil, nil, onceGrace
	x := New(o)
	x.recorder = &recorder{
		begun: time.Now(), made: map[string]desk.Planned{}, left: map[string]desk.Planned{},
		at: map[[3]string]int{}, readings: map[string]bool{},
	}
	summary, err := x.once(ctx, run, log)
	plan, failed := x.recorder.finish(context.WithoutCancel(ctx), over)
	if err = errors.Join(err, failed); err != nil {
		plan.Error, plan.Exit = err.Error(), summary.Exit
		if plan.Exit <= desk.ExitStanding { // what stands is no fault of a plan
			plan.Exit = desk.ExitMarketplace
		}
	}
	return plan, err
}

type recorder struct {
	begun    time.Time
	mu       sync.Mutex
	made     map[string]desk.Planned
	left     map[string]desk.Planned
	changes  []publication.Planned
	at       map[[3]string]int // in changes, by id, field and variant
	readings map[string]bool   // ids that the run reads, where a plan answers by the record
}

// settled records a step whose call was accepted, or that made none. A figure that is written twice shows its first old
// and its last new value.
func (r *recorder) settled(st publication.Step, after store.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := after.ID
	switch {
	case st.Removed() && after.Removal.Done:
		r.left[id] = desk.Planned{ID: id, Title: after.Title, Reason: string(st.Removal)}
	case st.Removed() || !st.Calls():
	case st.Creates():
		r.made[id] = desk.Planned{ID: id, Title: st.Product.Title, Variants: len(st.Product.Variants), New: st.Prices()}
	default:
		for _, c := range st.Planned() {
			figure := [3]string{c.ID, c.Field, c.Variant}
			if i, twice := r.at[figure]; twice {
				c.Old = r.changes[i].Old
				r.changes[i] = c
				continue
			}
			r.at[figure] = len(r.changes)
			r.changes = append(r.changes, c)
		}
	}
}

func (r *recorder) reads(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readings[id] = true
}

func (r *recorder) finish(ctx context.Context, over store.Store) (desk.Plan, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	plan := desk.NewPlan()
	byID := func(a, b publication.Planned) int { return strings.Compare(a.ID, b.ID) }
	plan.Change = append(plan.Change, slices.SortedStableFunc(slices.Values(r.changes), byID)...)
	for _, id := range slices.Sorted(maps.Keys(r.made)) {
		plan.Create, plan.Creations = append(plan.Create, id), append(plan.Creations, r.made[id])
	}
	for _, id := range slices.Sorted(maps.Keys(r.left)) {
		plan.Withdraw, plan.Withdrawals = append(plan.Withdraw, id), append(plan.Withdrawals, r.left[id])
	}
	plan.Readings = len(r.readings)
	for rec, err := range store.Records(ctx, over, store.Query{}) {
		if err != nil {
			return plan, err
		}
		for _, h := range rec.Holds {
			if h.Stands() {
				plan.Held = append(plan.Held, desk.NewHeldChange(rec, h))
			}
		}
		row := desk.Planned{ID: rec.ID, Title: rec.Title, Reason: rec.Problem.Message}
		switch {
		case rec.State == store.StateRejected, rec.State == store.StateBlocked:
			plan.Refused = append(plan.Refused, row)
		case rec.State == store.StatePending && rec.Problem.Kind == store.ProblemWaiting:
			plan.Waits = append(plan.Waits, row)
		}
	}
	return plan, nil
}

// A plannedShop accepts everything. The real shop answers what only reads.
type plannedShop struct {
	shopadapter.Adapter
	over store.Store
	held atomic.Pointer[map[shopadapter.PublicationID]bool] // in the last complete list; nil before there was one
}

// planned is the id of a listing that a plan makes.
const planned shopadapter.ListingID = "planned"

// Publish accepts the product, unless a complete list lacks its listing.
func (s *plannedShop) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, _ shopadapter.Fields,
) (shopadapter.Listing, error) {
	known, err := s.over.Get(ctx, string(ref.Publication))
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if held := s.held.Load(); held != nil && ref.Listing != "" && ref.Listing != planned && !(*held)[ref.Publication] {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	l := shopadapter.Listing{ID: ref.Listing, URL: known.Record.URL, Draft: p.Draft}
	if ref.Listing == "" {
		l.ID, l.URL = planned, "https://planned.invalid/"
	}
	return l, nil
}

// Unpublish takes the listing out of sale.
func (s *plannedShop) Unpublish(context.Context, shopadapter.Ref, shopadapter.Removal) (string, error) {
	return "", nil
}

// List yields the real shop's listings, without what the plan has written.
func (s *plannedShop) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		held := map[shopadapter.PublicationID]bool{}
		for l, err := range s.Adapter.List(ctx, q) {
			held[l.Ref.Publication] = true
			if !yield(l, err) || err != nil {
				return
			}
		}
		if q.Refs == nil {
			s.held.Store(&held)
		}
	}
}
