package model

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
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
	m.setPlanning(true)
	defer m.setPlanning(false)
	if wrong := planLaw(m.ctx, m.Bench, full, m.unmoved()...); wrong != "" {
		t.Errorf("full %t: %s", full, wrong)
	}
	if ran {
		m.start(t)
	}
}

// unmoved are the publications that changed while their updatedAt stayed.
func (m *machine) unmoved() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, h := range m.hides {
		if h.unmoved {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *machine) setPlanning(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planning = on
}

// saved is a copy of the store.
func saved(ctx context.Context, b *harness.Bench) []byte {
	b.T.Helper()
	var copied bytes.Buffer
	if err := b.Store.KV.(store.File).Backup(ctx, &copied); err != nil {
		b.T.Fatal(err)
	}
	return copied.Bytes()
}

// owing makes a run of which every report is refused.
func owing(b *harness.Bench) {
	b.Market.Inject(sandbox.Fault{Kind: sandbox.RefusedReport, On: []sandbox.Kind{sandbox.KindReport}, Probability: 1})
	b.Once(false)
	b.Market.Heal()
}

// A plan agrees with the run in each of these states.
func TestPlanIsWhatARunDoes(t *testing.T) {
	for name, tt := range map[string]struct {
		tune  func(*connector.Options)
		lists bool
		light bool // not a full run
		gone  sandbox.GoneForm
		make  func(b *harness.Bench, id string)
		want  string // what the run does with it
	}{
		"new": {make: func(*harness.Bench, string) {}, want: "created"},
		"rejected, and a person asks again": {
			make: func(b *harness.Bench, id string) {
				b.Shop.Rule(refusing(shopadapter.Reject("nobody may sell that")))
				b.Once(false)
				b.Shop.Rule(nil)
				if _, err := harness.RetryFailed(b.Store); err != nil {
					b.T.Fatal(err)
				}
			},
			want: "created",
		},
		"the price is the merchant's, and a backup is put back": {
			tune: func(o *connector.Options) { o.Rules.Keep = shopadapter.FieldPrice },
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				putBack(b, saved(t.Context(), b))
				reprice(b, []string{id})
			},
			want: "updated",
		},
		"other rules, made of what is known": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Shop.Can(shoptest.Abilities{Figures: true})
				b.Once(false)
				b.Once(false)
				b.Tune = func(o *connector.Options) {
					o.Rules.StockBuffer = 2
					harness.Markup(10)(o)
				}
			},
			want: "price of M 20.00 -> 22.00: the rules have changed",
		},
		"other rules, with another reading": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				b.Once(false)
				b.Tune = harness.Markup(10)
			},
			want: "price of M 20.00 -> 22.00: the rules have changed",
		},
		"other rules, and the supplier changes it too": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				reprice(b, []string{id})
				b.Shop.Can(shoptest.Abilities{Figures: true})
				b.Tune = harness.Markup(10)
			},
			want: "price of M 20.00 -> 23.10: the supplier's msrp rose; the rules have changed",
		},
		"listed again": {
			make: func(b *harness.Bench, id string) {
				b.Market.AddSound(3)
				b.Once(false)
				b.Market.Remove(id)
				b.Once(true)
				b.Market.Restore(id)
			},
			want: "updated",
		},
		"listed again, deleted meanwhile": {
			tune: func(o *connector.Options) { o.OnRemoved = publication.RemovedDelete },
			make: func(b *harness.Bench, id string) {
				b.Market.AddSound(3)
				b.Once(false)
				b.Market.Remove(id)
				b.Once(true)
				b.Market.Restore(id)
			},
			want: "created",
		},
		"blocked by itself, and a day old": {
			make: func(b *harness.Bench, id string) {
				b.Shop.Rule(refusing(shopadapter.Block("a tax class is missing")))
				b.Once(false)
				b.Shop.Rule(nil)
				time.Sleep(24 * time.Hour)
			},
			want: "created",
		},
		"changed behind updatedAt, as the list of variants shows": {
			light: true, tune: func(o *connector.Options) { o.Variants = publication.VariantsAuto },
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				b.Once(false)
				if err := b.Market.Supply(id, []string{"stock=77"}, sandbox.KeepUpdatedAt); err != nil {
					b.T.Fatal(err)
				}
			},
			want: "updated",
		},
		"the store is lost": {
			lists: true,
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				lose(b)
				reprice(b, []string{id})
			},
			want: "updated",
		},
		"changed where no list shows it, and a report is owed": {
			light: true,
			make: func(b *harness.Bench, id string) {
				owing(b)
				reprice(b, []string{id})
				p, _ := b.Market.Publication(id)
				if err := b.Market.SetUpdatedAt(id, p.UpdatedAt.Add(-time.Hour)); err != nil {
					b.T.Fatal(err)
				}
			},
			want: "updated",
		},
		"gone, and a report is owed": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Market.AddSound(3)
				owing(b)
				b.Market.Remove(id)
			},
			want: "withdrawn",
		},
		"gone, which is an error, and a report is owed": {
			light: true, gone: sandbox.GoneWhole,
			make: func(b *harness.Bench, id string) {
				b.Market.AddSound(3)
				owing(b)
				b.Market.Remove(id)
			},
			want: "withdrawn",
		},
		"changed, and in part it cannot be read": {
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				oddShapes(b, id)
			},
			want: "updated",
		},
		"its listing is gone, and its entry stays": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Market.AddSound(3)
				b.Once(false)
				if err := b.Market.SetListing(id, nil); err != nil {
					b.T.Fatal(err)
				}
			},
			want: "withdrawn",
		},
		"its listing is back": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Market.AddSound(3)
				b.Once(false)
				p, _ := b.Market.Publication(id)
				for _, l := range []*sandbox.Listing{nil, p.Listing} {
					b.Once(false)
					if err := b.Market.SetListing(id, l); err != nil {
						b.T.Fatal(err)
					}
				}
			},
			want: "updated",
		},
		"gone, its report lost, and the last enumeration was two hours ago": {
			light: true, tune: func(o *connector.Options) { o.Resync = cron.Every(time.Hour) },
			make: func(b *harness.Bench, id string) {
				lost := b.Market.AddSound(3)[0]
				b.Once(false)
				b.Market.Remove(id)
				if err := b.Market.SetStatus(lost, "syncing"); err != nil {
					b.T.Fatal(err)
				}
				time.Sleep(2 * time.Hour)
			},
			want: "withdrawn",
		},
		"changed behind updatedAt, and not read for long": {
			light: true,
			make: func(b *harness.Bench, id string) {
				b.Once(false)
				if err := b.Market.Supply(id, []string{"stock=77"}, sandbox.KeepUpdatedAt); err != nil {
					b.T.Fatal(err)
				}
				time.Sleep(25 * time.Hour)
			},
			want: "updated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000, Gone: tt.gone})
				b.Tune = tt.tune
				b.Shop.Can(shoptest.Abilities{Lists: tt.lists})
				id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})[0]
				tt.make(b, id)
				if wrong := planLaw(t.Context(), b, !tt.light); wrong != "" {
					t.Error(wrong)
				}
				history := b.History(id)
				if !slices.ContainsFunc(history, func(e store.Event) bool {
					did := tt.want == "updated" && e.What == store.WhatUpdated || strings.HasPrefix(publication.Tell(e), tt.want)
					return did && e.At >= store.At(time.Now().Add(-5*time.Minute))
				}) {
					t.Errorf("the run did not do %q: %+v", tt.want, history)
				}
			})
		})
	}
}

// refusing has every write end with an error.
func refusing(err error) func(shoptest.Call) shoptest.Reply {
	return func(c shoptest.Call) (r shoptest.Reply) {
		if c.Method != shoptest.Check && c.Method != shoptest.List {
			r.Err = err
		}
		return r
	}
}
