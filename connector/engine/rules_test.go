package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// ruled is a bench with n publications on sale at 20.00, with 5 pieces each, whose shop takes
// prices and stock alone. The runs that follow go by the rules that rules.change makes.
func ruled(t *testing.T, n int) (b *harness.Bench, ids []string, change func(func(*connector.Options))) {
	t.Helper()
	b = harness.New(t, sandbox.Options{RestoreRate: 2000})
	b.Shop.Can(shoptest.Abilities{Figures: true})
	for range n {
		ids = append(ids, b.Market.Add(sandbox.Publication{Listing: &sandbox.Listing{
			Texts: map[string]sandbox.Text{"en": {Title: "Watering can"}}, Category: "GARDEN",
			Variants: []sandbox.Variant{{Cost: "10.00", MSRP: "20.00", Quantity: 5}},
			Shipping: []sandbox.Shipping{{CountryGroup: "NL", FixedCosts: "4.95"}},
		}})...)
	}
	if s := b.Once(false); s.Created != int64(n) {
		t.Fatalf("got %+v, want Created %v", s, int64(n))
	}
	b.Once(false) // what the reports moved is listed
	return b, ids, func(f func(*connector.Options)) {
		before := b.Tune
		b.Tune = func(o *connector.Options) {
			if before != nil {
				before(o)
			}
			f(o)
		}
	}
}

// markup has rules add percents to each price.
func markup(percent int64) func(*connector.Options) {
	return func(o *connector.Options) { o.Rules.Price.Markup = decimal.NewFromInt(percent) }
}

// shows fails unless the shop shows publications at a price.
func shows(b *harness.Bench, price string, quantity int, ids ...string) {
	b.T.Helper()
	for _, id := range ids {
		if p, _ := b.Shop.Get(id); !p.OnSale || p.Variants[0].Price != price || p.Variants[0].Quantity != quantity {
			b.T.Errorf(
				"%s: the shop shows %s × %d, want %s × %d",
				id,
				p.Variants[0].Price,
				p.Variants[0].Quantity,
				price,
				quantity,
			)
		}
	}
}

// What prices and stock alone do not do is read, after what is more urgent: by a shop that takes
// whole products, with an attempt without an answer, and of what the supplier's figures are not
// known.
func TestWhatCannotBeRepricedIsRead(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(b *harness.Bench, id string){
		"a shop of whole products": func(b *harness.Bench, _ string) {
			b.Shop.Can(shoptest.Abilities{})
		},
		"an attempt without an answer": func(b *harness.Bench, id string) {
			changeRecord(b, id, func(r *store.Record) { r.Attempt.Lost, r.Dirty = true, shopadapter.FieldPrice })
		},
		"no figures of the supplier's": func(b *harness.Bench, id string) {
			changeRecord(b, id, func(r *store.Record) { r.Variants[0].Supply = store.Supply{} })
		},
		"a shop that needs the whole": func(b *harness.Bench, _ string) {
			b.Shop.Rule(func(c shoptest.Call) (r shoptest.Reply) {
				if c.Method == shoptest.Figures {
					r.Err = shopadapter.ErrWhole
				}
				return r
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 3)
				prepare(b, ids[0])
				change(markup(10))
				b.Market.Forget()
				if s := b.Once(false); s.Updated != 3 || s.Exit != desk.ExitOK {
					t.Errorf("got %+v, want Updated 3 and Exit %v", s, desk.ExitOK)
				}
				shows(b, "22.00", 5, ids...)
				read := 0
				for _, r := range b.Market.Requests() {
					if r.Operation == "Content" {
						read += len(r.Content)
					}
				}
				if read == 0 || read > 3 {
					t.Errorf("%d publications were read, want 1 to 3", read)
				}
			})
		})
	}
}

// change changes a record behind everybody's back.
func changeRecord(b *harness.Bench, id string, f func(*store.Record)) {
	b.T.Helper()
	change := func(e *store.Entry) bool { f(&e.Record); return true }
	if _, err := b.Store.Change(b.T.Context(), []string{id}, change); err != nil {
		b.T.Fatal(err)
	}
}

// Prices that would change though no setting of the merchant's has are held whole, whatever looks
// at them meanwhile, and let through together.
func TestRulesThatNobodyChangedAreHeld(t *testing.T) {
	t.Parallel()
	for name, unasked := range map[string]func(b *harness.Bench){
		"a store that remembers no rules": func(b *harness.Bench) {
			if err := b.Store.SetMeta(b.T.Context(), string(publication.MetaRules), ""); err != nil {
				b.T.Fatal(err)
			}
		},
		"another default": func(*harness.Bench) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 6)
				change(func(o *connector.Options) { o.RuleSet = map[string]string{} })
				b.Once(false) // with another book, and the same rules
				unasked(b)
				change(markup(10))
				changeRecord(b, ids[1], func(r *store.Record) { r.Variants[0].Supply = store.Supply{} }) // it is read
				// the supplier changes it meanwhile
				b.Update(ids[2], func(l *sandbox.Listing) { l.Variants[0].Quantity = 7 })
				if s := b.Once(false); s.Held != 6 || s.Updated != 1 {
					t.Errorf("%+v, want 6 held and a stock updated", s)
				}
				shows(b, "20.00", 5, ids[0], ids[1], ids[3], ids[4], ids[5])
				shows(b, "20.00", 7, ids[2])
				for _, h := range b.Entry(ids[0]).Record.Holds {
					if h.Kind != store.HoldRules || h.Old != "20.00" || h.New != "22.00" ||
						!strings.Contains(h.Reason, "no setting of yours") {
						t.Errorf("held %+v, want %s from 20.00 to 22.00 for no setting of yours", h, store.HoldRules)
					}
				}
				b.Update(ids[3], func(l *sandbox.Listing) { l.Variants[0].Quantity = 8 })
				b.Once(false)
				if got := b.State(ids[3]); got != store.StateHeld {
					t.Errorf("another look lets it through: it is %s, want %s", got, store.StateHeld)
				}
				shows(b, "20.00", 8, ids[3])
				approve := func(kind store.HoldKind) (desk.Asked, error) {
					return harness.Desk(b.Store).Ask(t.Context(), desk.Request{Kind: string(kind)})
				}
				if a, err := approve(store.HoldPrice); a.Count != 0 || err != nil {
					t.Errorf("%d approved as prices, %v, want 0 and no error", a.Count, err)
				}
				if a, err := approve(store.HoldRules); a.Count != 6 || err != nil {
					t.Errorf("%d approved, %v, want 6 and no error", a.Count, err)
				}
				if s := b.Once(false); s.Held != 0 || s.Updated != 6 {
					t.Errorf("%+v, want 6 updated", s)
				}
				shows(b, "22.00", 5, ids[0], ids[1], ids[4], ids[5])
				if s := b.Once(false); s.Held+int(s.Updated) != 0 {
					t.Errorf("%+v, want an idle run", s)
				}
			})
		})
	}
}

// A process that ends in the middle leaves the rest due, and one that ends before all is noted
// notes it again.
func TestChangedRulesOverAKill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 40)
		change(markup(10))
		ctx, stop := context.WithCancel(t.Context())
		var restocked atomic.Int32 // calls overlap
		b.Shop.Rule(func(c shoptest.Call) (r shoptest.Reply) {
			if c.Method != shoptest.Figures {
				return r
			}
			if restocked.Add(1) > 10 {
				stop()
				r.Err = ctx.Err()
			}
			return r
		})
		_, _ = b.Connector().Once(ctx, desk.RunOptions{Patience: time.Minute}) //nolint:errcheck // it was stopped
		b.Shop.Rule(nil)
		b.Market.Forget()
		done := len(b.Shop.Calls(shoptest.Figures))
		if s := b.Once(false); s.Exit != desk.ExitOK {
			t.Errorf("got %+v, want Exit %v", s, desk.ExitOK)
		}
		shows(b, "22.00", 5, ids...)
		// but for those whose call was cut off, which are read
		if n := len(b.Shop.Calls(shoptest.Figures)) - done; n < 30-8 || n > 30 {
			t.Errorf("%d calls after the end, want %d to 30", n, 30-8)
		}

		change(markup(20))
		failing := &forgetful{KV: b.Store.KV}
		change(func(o *connector.Options) { o.Store = store.Store{KV: failing} })
		b.Once(false)
		if failing.failed == 0 {
			t.Fatal("the new rules were remembered: got 0 failures of it, want some")
		}
		change(func(o *connector.Options) { o.Store = b.Store })
		b.Once(false)
		shows(b, "24.00", 5, ids...)
	})
}

// A forgetful store cannot remember rules, and can be written in every other respect.
type forgetful struct {
	store.KV
	failed int
}

func (s *forgetful) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	return s.KV.Update(ctx, declared, func(tx *store.Tx) error {
		err := fn(tx)
		for k := range tx.Writes() {
			if k == (store.Key{Bucket: store.BucketMeta, Key: string(publication.MetaRules)}) {
				s.failed++
				return errors.New("killed")
			}
		}
		return err
	})
}
