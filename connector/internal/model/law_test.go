package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// planLaw plans a run, makes it, and says in what the plan and the run differ. Publications that
// the shop refuses are left out: no plan knows its answers. hidden are those that changed while
// their updatedAt stayed. Where one of them owes a report it is left out too: the report moves
// updatedAt, and a run that meets the entry before the acknowledgement reads it.
func planLaw(ctx context.Context, b *harness.Bench, full bool, hidden ...string) string {
	time.Sleep(time.Second)
	before, soon, told := map[string]store.Record{}, map[string]bool{}, map[string][]store.Event{}
	marks := map[string][]store.Mark{}
	at := time.Now()
	for r, err := range store.Records(ctx, b.Store, store.Query{}) {
		if err != nil {
			return err.Error()
		}
		if told[r.ID], err = b.Store.History(ctx, r.ID); err != nil {
			return err.Error()
		}
		before[r.ID] = r
		for _, noted := range []store.Instant{r.ListedAt, r.ReadAt} {
			if noted > store.At(at) && noted < store.At(at.Add(10*time.Minute)) {
				soon[r.ID] = true // by a clock that was set back since: its time comes between the plan and the run
			}
		}
	}
	for _, id := range hidden {
		e, err := b.Store.Get(ctx, id)
		if err != nil {
			return err.Error()
		}
		soon[id] = soon[id] || e.Owed != nil
	}
	ahead, _, err := b.Store.Due(ctx,
		store.DueQuery{Classes: store.AllClasses, From: store.At(at) + 1, To: store.At(at.Add(10 * time.Minute))})
	if err != nil {
		return err.Error()
	}
	for _, m := range ahead {
		soon[m.ID] = true // the run may reach it, the plan is made at one moment
	}
	var hints []string
	due, _, err := b.Store.Due(ctx, store.DueQuery{Classes: store.AllClasses, To: store.At(at)})
	if err != nil {
		return err.Error()
	}
	for _, m := range due {
		marks[m.ID] = append(marks[m.ID], m)
		if m.Class == store.ClassHint {
			hints = append(hints, m.ID)
		}
	}
	if len(hints) > 1 { // the share of unsigned webhooks pays for one look: when it pays for the others, no plan knows
		for _, id := range hints {
			soon[id] = true
		}
	}
	c := connector.New(b.Options())
	plan, err := c.Plan(ctx, desk.RunOptions{Full: full, Patience: time.Minute})
	if err != nil || plan.Error != "" {
		return fmt.Sprint("no plan: ", plan.Error, err)
	}
	summary, err := c.Once(ctx, desk.RunOptions{Full: full, Patience: time.Minute})
	if err != nil {
		return "no run: " + err.Error()
	}

	did := map[string][]string{}
	standing, grown := map[string][]string{}, false
	for r, err := range store.Records(ctx, b.Store, store.Query{}) {
		if err != nil {
			return err.Error()
		}
		history, err := b.Store.History(ctx, r.ID)
		if err != nil {
			return err.Error()
		}
		news := slices.DeleteFunc(history, func(e store.Event) bool { // a clock that was set back since says nothing of when
			return slices.ContainsFunc(told[r.ID], func(was store.Event) bool { return cmp.Equal(was, e) })
		})
		// What is on sale and has lost its title gets figures where points are so scarce that figures
		// are read first, and by a whole reading nothing, or it is taken out of sale: no plan knows what points are left.
		untitled := (r.Sale == store.OnSale || before[r.ID].Sale == store.OnSale) && r.UntitledSince != 0
		if soon[r.ID] || untitled || r.Problem.Kind == store.ProblemTransient || refusedSince(r, news) {
			soon[r.ID] = true
			continue
		}
		grown = grown || r.Sale == store.OnSale && before[r.ID].Sale != store.OnSale
		for _, e := range news {
			word, _, _ := strings.Cut(e.What, " ")
			did[strings.Trim(word, ":;")] = append(did[strings.Trim(word, ":;")], r.ID)
		}
		for _, h := range r.Holds {
			if h.Stands() && !slices.Contains(before[r.ID].Holds, h) {
				standing[r.ID] = append(standing[r.ID], h.Reason)
			}
		}
	}
	// off sale, since nothing of it can be bought, and on sale again
	did["updated"] = append(append(did["updated"], did["off"]...), did["on"]...)
	known := func(ids []string) []string {
		ids = slices.DeleteFunc(append([]string{}, ids...), func(id string) bool { return soon[id] })
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	// Beside a reason to withdraw a publication there may be one to write it, such as other rules:
	// how fast the looks are decides whether it is written first.
	left := map[string]bool{}
	for _, id := range plan.Withdraw {
		left[id] = slices.Contains(did["withdrawn"], id)
	}
	plan.Change = slices.DeleteFunc(plan.Change, func(c publication.Planned) bool { return left[c.ID] })
	did["updated"] = slices.DeleteFunc(did["updated"], func(id string) bool { return left[id] })
	var changed, held []string
	for _, change := range plan.Change {
		changed = append(changed, change.ID)
	}
	for _, h := range plan.Held {
		held = append(held, h.ID)
	}
	diff := cmp.Diff(
		known(plan.Create),
		known(did["created"]),
	) + cmp.Diff(
		known(changed),
		known(did["updated"]),
	) + valuesDiffer(
		b,
		plan.Change,
		soon,
	)
	for id := range standing {
		if !soon[id] && !slices.Contains(held, id) && !grown {
			diff += fmt.Sprintf("%s is held: %v\n", id, standing[id])
		}
	}
	// A publication that goes on sale during the enumeration may or may not count for the removal
	// brake: that depends on how fast the looks are.
	if !grown && len(soon) == 0 {
		if int64(len(plan.Withdraw)) != summary.Withdrawn {
			diff += fmt.Sprintf("%v are to be withdrawn, %d are\n", plan.Withdraw, summary.Withdrawn)
		}
		for _, id := range plan.Withdraw {
			if !slices.Contains(did["withdrawn"], id) {
				diff += id + " is not withdrawn\n"
			}
		}
	}
	if diff != "" {
		diff += fmt.Sprintf("(-planned +done)\n%+v\n%+v", plan, summary)
		for _, id := range slices.Sorted(maps.Keys(before)) {
			r := before[id]
			r.Hashes = nil
			diff += fmt.Sprintf("\nbefore %+v\ndue for %+v\nafter %v", r, marks[id], b.History(id))
		}
	}
	return diff
}

// refusedSince reports whether the shop refused a publication, or refuses it: a later look may have
// met other trouble since.
func refusedSince(after store.Record, news []store.Event) bool {
	said := []string{after.Problem.Message}
	for _, e := range news {
		said = append(said, e.What)
	}
	return slices.ContainsFunc(said, func(what string) bool {
		return strings.Contains(what, "nobody may sell this") || strings.Contains(what, "a category is missing")
	})
}

// valuesDiffer holds the figures of a plan to those that the shop was sent.
func valuesDiffer(b *harness.Bench, changes []publication.Planned, excepted map[string]bool) (diff string) {
	for _, change := range changes {
		if excepted[change.ID] {
			continue
		}
		for _, v := range b.Entry(change.ID).Record.Variants {
			if v.ID != change.Variant {
				continue
			}
			got := map[string]string{
				"price":      v.Written.Price,
				"cost":       v.Written.Cost,
				"msrp":       v.Written.MSRP,
				"quantity":   strconv.Itoa(max(0, v.Written.Quantity-v.Sold)),
				"backorders": strconv.FormatBool(v.Written.Backorders),
				"sku":        v.SKU,
			}
			if now, ok := got[change.Field]; ok && now != change.New {
				diff += fmt.Sprintf("%s of %s is %s, planned was %s\n", change.Field, change.ID, now, change.New)
			}
		}
	}
	return diff
}
