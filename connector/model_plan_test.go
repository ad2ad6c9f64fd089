package connector

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Plan holds a plan to its word: what it prints is what a single run then does, whatever the
// publications have been through.
func (m *machine) Plan(t *rapid.T) {
	ran := m.worker != nil
	if ran {
		m.halt(t)
	}
	m.Heal(t)
	full := rapid.Bool().Draw(t, "full")
	if wrong := planLaw(m.ctx, m.bench, full); wrong != "" {
		t.Errorf("full %t: %s", full, wrong)
	}
	if ran {
		m.start(t)
	}
}

// planLaw plans a run, makes it, and says in what the plan and the run differ. Publications that
// the shop refuses are left out: no plan knows its answers.
func planLaw(ctx context.Context, b *bench, full bool) string {
	time.Sleep(time.Second)
	before, soon := map[string]store.Record{}, map[string]bool{}
	at := time.Now()
	for r, err := range store.Records(ctx, b.store, store.Query{}) {
		if err != nil {
			return err.Error()
		}
		before[r.ID] = r
		for _, noted := range []store.Instant{r.ListedAt, r.ReadAt} {
			if noted > store.At(at) && noted < store.At(at.Add(10*time.Minute)) {
				soon[r.ID] = true // by a clock that was set back since: its time comes between the plan and the run
			}
		}
	}
	for m, err := range store.Marks(ctx, b.store, store.DueQuery{Classes: store.AllClasses, From: store.At(at) + 1, To: store.At(at.Add(10 * time.Minute))}) {
		if err != nil {
			return err.Error()
		}
		soon[m.ID] = true // the run may reach it, the plan is made at one moment
	}
	var hints []string
	for m, err := range store.Marks(ctx, b.store, store.DueQuery{Classes: store.AllClasses, To: store.At(at)}) {
		if err != nil {
			return err.Error()
		}
		if m.Class == store.ClassHint {
			hints = append(hints, m.ID)
		}
	}
	if len(hints) > 1 { // the share of unsigned webhooks pays for one look: when it pays for the others, no plan knows
		for _, id := range hints {
			soon[id] = true
		}
	}
	c, err := New(ctx, b.options())
	if err != nil {
		return err.Error()
	}
	plan, err := c.Planner(time.Minute).Plan(ctx, full)
	if err != nil {
		return "no plan: " + err.Error()
	}
	summary, err := c.Once(ctx, desk.RunOptions{Full: full, Patience: time.Minute})
	if err != nil {
		return "no run: " + err.Error()
	}

	did := map[string][]string{}
	standing, grown := map[string][]string{}, false
	for r, err := range store.Records(ctx, b.store, store.Query{}) {
		if err != nil {
			return err.Error()
		}
		if soon[r.ID] || r.Problem.Kind == store.ProblemTransient || refusedSince(before[r.ID], r) {
			soon[r.ID] = true
			continue
		}
		grown = grown || r.OnSale && !before[r.ID].OnSale
		for _, e := range r.History {
			word, _, _ := strings.Cut(e.What, " ")
			if !slices.Contains(before[r.ID].History, e) { // a clock that was set back since says nothing of when
				did[strings.Trim(word, ":;")] = append(did[strings.Trim(word, ":;")], r.ID)
			}
		}
		for _, h := range r.Holds {
			if !slices.Contains(before[r.ID].Holds, h) {
				standing[r.ID] = append(standing[r.ID], h.Reason)
			}
		}
	}
	known := func(ids []string) []string {
		ids = slices.DeleteFunc(append([]string{}, ids...), func(id string) bool { return soon[id] })
		slices.Sort(ids)
		return slices.Compact(ids)
	}
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
			diff += fmt.Sprintf("\nbefore %+v\nafter %v", r, b.record(id).History)
		}
	}
	return diff
}

// refusedSince reports whether the shop refused a publication, or refuses it: a later look may have
// met other trouble since.
func refusedSince(before, after store.Record) bool {
	said := []string{after.Problem.Message}
	for _, e := range after.History {
		if !slices.Contains(before.History, e) {
			said = append(said, e.What)
		}
	}
	return slices.ContainsFunc(said, func(what string) bool {
		return strings.Contains(what, "nobody may sell this") || strings.Contains(what, "a category is missing")
	})
}

// saved is a copy of the store.
func (b *bench) saved(ctx context.Context) []byte {
	b.t.Helper()
	var copied bytes.Buffer
	if err := b.store.Backup(ctx, &copied); err != nil {
		b.t.Fatal(err)
	}
	return copied.Bytes()
}

// owing makes a run of which every report is refused.
func (b *bench) owing() {
	b.box.Inject(sandbox.Fault{Kind: sandbox.RefusedReport, On: []sandbox.Kind{sandbox.KindReport}, Probability: 1})
	b.once(false)
	b.box.Heal()
}

// valuesDiffer holds the figures of a plan to those that the shop was sent.
func valuesDiffer(b *bench, changes []publication.Change, excepted map[string]bool) (diff string) {
	for _, change := range changes {
		if excepted[change.ID] {
			continue
		}
		for _, v := range b.record(change.ID).Variants {
			if v.ID != change.Variant {
				continue
			}
			got := map[string]string{
				"price":      v.Price,
				"cost":       v.Cost,
				"msrp":       v.MSRP,
				"quantity":   strconv.Itoa(v.Quantity),
				"backorders": strconv.FormatBool(v.Backorders),
				"sku":        v.SKU,
			}
			if now, ok := got[change.Field]; ok && now != change.New {
				diff += fmt.Sprintf("%s of %s is %s, planned was %s\n", change.Field, change.ID, now, change.New)
			}
		}
	}
	return diff
}

// A plan agrees with the run in each of these states.
func TestPlanIsWhatARunDoes(t *testing.T) {
	for name, tt := range map[string]struct {
		tune  func(*Options)
		lists bool
		light bool // not a full run
		gone  sandbox.GoneForm
		make  func(b *bench, id string)
		want  string // what the run does with it
	}{
		"new": {make: func(*bench, string) {}, want: "created"},
		"rejected, and a person asks again": {
			make: func(b *bench, id string) {
				b.shop.refuse = func(call) error { return shopadapter.Reject("nobody may sell that") }
				b.once(false)
				b.shop.refuse = nil
				if _, err := RetryFailed(b.store); err != nil {
					b.t.Fatal(err)
				}
			},
			want: "created",
		},
		"the price is the merchant's, and a backup is put back": {
			tune: func(o *Options) { o.Rules.Keep = shopadapter.FieldPrice },
			make: func(b *bench, id string) {
				b.once(false)
				b.putBack(b.saved(t.Context()))
				b.reprice([]string{id})
			},
			want: "updated",
		},
		"other rules, made of what is known": {
			light: true,
			make: func(b *bench, id string) {
				b.tune = func(o *Options) { o.Shop = restockShelf{b.shop} }
				b.once(false)
				b.once(false)
				b.tune = func(o *Options) { o.Shop, o.Rules.StockBuffer = restockShelf{b.shop}, 2; markup(10)(o) }
			},
			want: "updated price,stock; the rules have changed",
		},
		"other rules, with another reading": {
			light: true,
			make: func(b *bench, id string) {
				b.once(false)
				b.once(false)
				b.tune = markup(10)
			},
			want: "updated price",
		},
		"other rules, and the supplier changes it too": {
			light: true,
			make: func(b *bench, id string) {
				b.once(false)
				b.reprice([]string{id})
				b.tune = func(o *Options) { o.Shop = restockShelf{b.shop}; markup(10)(o) }
			},
			want: "updated price",
		},
		"listed again": {
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.once(false)
				b.box.Remove(id)
				b.once(true)
				b.box.Restore(id)
			},
			want: "updated",
		},
		"listed again, deleted meanwhile": {
			tune: func(o *Options) { o.OnRemoved = publication.RemovedDelete },
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.once(false)
				b.box.Remove(id)
				b.once(true)
				b.box.Restore(id)
			},
			want: "created",
		},
		"blocked by itself, and a day old": {
			make: func(b *bench, id string) {
				b.shop.refuse = func(call) error { return shopadapter.Block("a tax class is missing") }
				b.once(false)
				b.shop.refuse = nil
				time.Sleep(24 * time.Hour)
			},
			want: "created",
		},
		"changed behind updatedAt, as the list of variants shows": {
			light: true, tune: func(o *Options) { o.Variants = publication.VariantsAuto },
			make: func(b *bench, id string) {
				b.once(false)
				b.once(false)
				if err := b.box.SetStock(id, "", 77, sandbox.KeepUpdatedAt); err != nil {
					b.t.Fatal(err)
				}
			},
			want: "updated",
		},
		"deleted by hand": {
			lists: true, tune: func(o *Options) { o.OnDeleted = publication.DeletedRecreate },
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.once(false)
				b.shop.byHand(id, "delete")
			},
			want: "created",
		},
		"the store is lost": {
			lists: true,
			make: func(b *bench, id string) {
				b.once(false)
				b.lose()
				b.reprice([]string{id})
			},
			want: "updated",
		},
		"changed where no list shows it, and a report is owed": {
			light: true,
			make: func(b *bench, id string) {
				b.owing()
				b.reprice([]string{id})
				p, _ := b.box.Publication(id)
				if err := b.box.SetUpdatedAt(id, p.UpdatedAt.Add(-time.Hour)); err != nil {
					b.t.Fatal(err)
				}
			},
			want: "updated",
		},
		"gone, and a report is owed": {
			light: true,
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.owing()
				b.box.Remove(id)
			},
			want: "withdrawn",
		},
		"gone, which is an error, and a report is owed": {
			light: true, gone: sandbox.GoneWhole,
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.owing()
				b.box.Remove(id)
			},
			want: "withdrawn",
		},
		"changed, and in part it cannot be read": {
			make: func(b *bench, id string) {
				b.once(false)
				b.odd(id)
			},
			want: "updated",
		},
		"its listing is gone, and its entry stays": {
			light: true,
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.once(false)
				if err := b.box.SetListing(id, nil); err != nil {
					b.t.Fatal(err)
				}
			},
			want: "withdrawn",
		},
		"its listing is back": {
			light: true,
			make: func(b *bench, id string) {
				b.box.AddSound(3)
				b.once(false)
				p, _ := b.box.Publication(id)
				for _, l := range []*sandbox.Listing{nil, p.Listing} {
					b.once(false)
					if err := b.box.SetListing(id, l); err != nil {
						b.t.Fatal(err)
					}
				}
			},
			want: "updated",
		},
		"gone, its report lost, and the last enumeration was two hours ago": {
			light: true, tune: func(o *Options) { o.Resync = cron.Every(time.Hour) },
			make: func(b *bench, id string) {
				lost := b.box.AddSound(3)[0]
				b.once(false)
				b.box.Remove(id)
				if err := b.box.SetStatus(lost, "syncing"); err != nil {
					b.t.Fatal(err)
				}
				time.Sleep(2 * time.Hour)
			},
			want: "withdrawn",
		},
		"changed behind updatedAt, and not read for long": {
			light: true,
			make: func(b *bench, id string) {
				b.once(false)
				if err := b.box.SetStock(id, "", 77, sandbox.KeepUpdatedAt); err != nil {
					b.t.Fatal(err)
				}
				time.Sleep(25 * time.Hour)
			},
			want: "updated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000, Gone: tt.gone})
				b.tune, b.lists = tt.tune, tt.lists
				id := b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "20.00", 5)})[0]
				tt.make(b, id)
				if wrong := planLaw(t.Context(), b, !tt.light); wrong != "" {
					t.Error(wrong)
				}
				history := b.record(id).History
				if len(history) == 0 || !slices.ContainsFunc(history, func(e store.Event) bool {
					return strings.HasPrefix(e.What, tt.want) && e.At >= store.At(time.Now().Add(-5*time.Minute))
				}) {
					t.Errorf("the run did not do %q: %+v", tt.want, history)
				}
			})
		})
	}
}
