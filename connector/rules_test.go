package connector

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// ruled is a bench with n publications on sale at 20.00, with 5 pieces each, whose shop takes
// prices and stock alone. The runs that follow go by the rules that rules.change makes.
func ruled(t *testing.T, n int) (b *bench, ids []string, change func(func(*Options))) {
	t.Helper()
	b = newBench(t, sandbox.Options{RestoreRate: 2000})
	b.tune = func(o *Options) { o.Shop = restockShelf{b.shop} }
	for range n {
		ids = append(ids, b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "20.00", 5)})...)
	}
	if s := b.once(false); s.Created != int64(n) {
		t.Fatalf("%+v", s)
	}
	b.once(false) // what the reports moved is listed
	return b, ids, func(f func(*Options)) {
		before := b.tune
		b.tune = func(o *Options) { before(o); f(o) }
	}
}

func markup(percent int64) func(*Options) {
	return func(o *Options) { o.Rules.Price.Markup = decimal.NewFromInt(percent) }
}

// shows fails unless the shop shows publications at a price.
func (b *bench) shows(price string, quantity int, ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		if p, onSale := b.shop.get(id); !onSale || p.Variants[0].Price != price || p.Variants[0].Quantity != quantity {
			b.t.Errorf(
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

// Changed rules make prices and stock anew in the next run, which costs no more than an idle one.
func TestChangedRulesCostNoPoints(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change   func(*Options)
		price    string
		quantity int
	}{
		"markup": {markup(10), "22.00", 5},
		"ending": {func(o *Options) {
			ending := decimal.RequireFromString("0.95")
			o.Rules.Price.Ending, o.Rules.Price.EndingMod = &ending, decimal.NewFromInt(1)
		}, "20.95", 5},
		"msrp without VAT": {func(o *Options) { o.Rules.Price.NetMSRP, o.Rules.Price.VAT = true, decimal.NewFromInt(21) }, "24.20", 5},
		"buffer":           {func(o *Options) { o.Rules.StockBuffer = 2 }, "20.00", 3},
		"all kept back":    {func(o *Options) { o.Rules.StockBuffer = 9 }, "20.00", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 12)
				idle := b.once(false)
				change(tt.change)
				s := b.once(false)
				if s.Updated != 12 || s.Requests != idle.Requests || s.Cost != idle.Cost || s.Exit != desk.ExitOK {
					t.Errorf(
						"%+v, want 12 updated for the %d requests and %.0f points of an idle run",
						s,
						idle.Requests,
						idle.Cost,
					)
				}
				b.shows(tt.price, tt.quantity, ids...)
				if n := b.shop.count("restock"); n != 12 {
					t.Errorf("%d calls of prices and stock alone, want 12", n)
				}
				if s := b.once(false); s.Updated != 0 || s.Requests != idle.Requests {
					t.Errorf("the next run is not idle: %+v", s)
				}
				change(func(o *Options) {
					o.Rules.StockBuffer, o.Rules.Price = 0, publication.PriceRule{Base: publication.BaseMSRP}
				})
				b.once(false)
				b.shows("20.00", 5, ids...) // of the supplier's own figures, not of those written
			})
		})
	}
}

// What prices and stock alone do not do is read, after what is more urgent: by a shop that takes
// whole products, with an attempt without an answer, with a hold, and of what the supplier's
// figures are not known.
func TestWhatCannotBeRepricedIsRead(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(b *bench, id string){
		"a shop of whole products": func(b *bench, _ string) {
			tuned := b.tune
			b.tune = func(o *Options) { tuned(o); o.Shop = b.shop }
		},
		"an attempt without an answer": func(b *bench, id string) {
			b.change(id, func(r *store.Record) { r.Open, r.Attempted = true, shopadapter.FieldPrice })
		},
		"a hold": func(b *bench, id string) {
			b.change(id, func(r *store.Record) {
				r.Holds = []store.Hold{{Kind: store.HoldPrice, Variant: "v1", Old: "20.00", New: "90.00"}}
			})
		},
		"no figures of the supplier's": func(b *bench, id string) {
			b.change(id, func(r *store.Record) { r.Variants[0].Supplied = store.Supply{} })
		},
		"a shop that needs the whole": func(b *bench, _ string) {
			b.shop.refuse = func(c call) error {
				if c.method == "restock" {
					return shopadapter.ErrWhole
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 3)
				prepare(b, ids[0])
				change(markup(10))
				b.box.Forget()
				if s := b.once(false); s.Updated != 3 || s.Exit != desk.ExitOK {
					t.Errorf("%+v", s)
				}
				b.shows("22.00", 5, ids...)
				read := 0
				for _, r := range b.box.Requests() {
					if r.Operation == "Content" {
						read += len(r.Content)
					}
				}
				if read == 0 || read > 3 {
					t.Errorf("%d publications were read", read)
				}
			})
		})
	}
}

// change changes a record behind everybody's back.
func (b *bench) change(id string, f func(*store.Record)) {
	b.t.Helper()
	if _, err := store.Update(b.t.Context(), b.store, func(_ *store.Report, s *store.Settlement) bool { f(&s.Record); return true }, id); err != nil {
		b.t.Fatal(err)
	}
}

// The price brake holds what a slip of the merchant's would do, and one word lets it through.
func TestThePriceBrakeHoldsChangedRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 5)
		change(markup(100))
		if s := b.once(false); s.Held != 5 || s.Updated != 0 {
			t.Errorf("%+v, want 5 held", s)
		}
		b.shows("20.00", 5, ids...)
		if n, err := ApproveAll(b.store, store.HoldPrice); n != 5 || err != nil {
			t.Errorf("%d approved, %v", n, err)
		}
		if s := b.once(false); s.Held != 0 || s.Updated != 5 {
			t.Errorf("%+v, want 5 updated", s)
		}
		b.shows("40.00", 5, ids...)
	})
}

// Prices that would change though no setting of the merchant's has are held whole, whatever looks
// at them meanwhile, and let through together.
func TestRulesThatNobodyChangedAreHeld(t *testing.T) {
	t.Parallel()
	for name, unasked := range map[string]func(b *bench){
		"a store that remembers no rules": func(b *bench) {
			if err := b.store.SetMeta(b.t.Context(), publication.MetaRules, ""); err != nil {
				b.t.Fatal(err)
			}
		},
		"another default": func(*bench) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 6)
				change(func(o *Options) { o.RuleSet = map[string]string{} })
				b.once(false) // with another book, and the same rules
				unasked(b)
				change(markup(10))
				b.change(ids[1], func(r *store.Record) { r.Variants[0].Supplied = store.Supply{} }) // it is read
				// the supplier changes it meanwhile
				b.update(ids[2], func(l *sandbox.Listing) { l.Variants[0].Quantity = 7 })
				if s := b.once(false); s.Held != 6 || s.Updated != 1 {
					t.Errorf("%+v, want 6 held and a stock updated", s)
				}
				b.shows("20.00", 5, ids[0], ids[1], ids[3], ids[4], ids[5])
				b.shows("20.00", 7, ids[2])
				for _, h := range b.record(ids[0]).Holds {
					if h.Kind != store.HoldRules || h.Old != "20.00" || h.New != "22.00" ||
						!strings.Contains(h.Reason, "no setting of yours") {
						t.Errorf("held %+v", h)
					}
				}
				b.update(ids[3], func(l *sandbox.Listing) { l.Variants[0].Quantity = 8 })
				if b.once(false); b.state(ids[3]) != store.StateHeld {
					t.Error("another look lets it through")
				}
				b.shows("20.00", 8, ids[3])
				if n, err := ApproveAll(b.store, store.HoldPrice); n != 0 || err != nil {
					t.Errorf("%d approved as prices, %v", n, err)
				}
				if n, err := ApproveAll(b.store, store.HoldRules); n != 6 || err != nil {
					t.Errorf("%d approved, %v", n, err)
				}
				if s := b.once(false); s.Held != 0 || s.Updated != 6 {
					t.Errorf("%+v, want 6 updated", s)
				}
				b.shows("22.00", 5, ids[0], ids[1], ids[4], ids[5])
				if s := b.once(false); s.Held+int(s.Updated) != 0 {
					t.Errorf("%+v, want an idle run", s)
				}
			})
		})
	}
}

// Rules that make the same prices hold nothing, and a setting that the merchant changes then is
// theirs.
func TestRulesThatMoveNothingHoldNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 3)
		change(func(o *Options) { o.RuleSet = map[string]string{} })
		b.once(false)
		change(func(o *Options) { o.Rules.Price.VAT = decimal.NewFromInt(9) }) // the msrp includes it
		if s := b.once(false); s.Held != 0 || s.Updated != 0 {
			t.Errorf("%+v", s)
		}
		change(markup(10))
		change(func(o *Options) { o.RuleSet = map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "10"} })
		if s := b.once(false); s.Held != 0 || s.Updated != 3 {
			t.Errorf("%+v, want 3 updated", s)
		}
		b.shows("22.00", 5, ids...)
	})
}

// A price that the supplier moves is no re-pricing, though the store remembers no rules and the
// look at it is the first since.
func TestASuppliersPriceIsHeldByNoRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 2)
		change(func(o *Options) { o.RuleSet = map[string]string{} })
		change(func(o *Options) { o.Shop = b.shop }) // of whole products, so that each look is a reading
		if err := b.store.SetMeta(b.t.Context(), publication.MetaRules, ""); err != nil {
			t.Fatal(err)
		}
		// as where the list is read before the rules are followed
		b.change(ids[0], func(r *store.Record) { r.Unasked = true })
		b.update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "21.00" })
		plan, err := b.connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Held) != 0 || len(plan.Change) == 0 {
			t.Errorf("planned %+v, %v; want a change of the price", plan, err)
		}
		if s := b.once(false); s.Held != 0 || s.Updated != 1 {
			t.Errorf("%+v, want 1 updated and none held", s)
		}
		b.shows("21.00", 5, ids[0])
		b.shows("20.00", 5, ids[1])
	})
}

// What one rule refuses comes on sale by another.
func TestWhatOtherRulesDoNotRefuse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 1)
		whole := b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "", 5)})[0]
		b.update(ids[0], func(l *sandbox.Listing) {
			l.Variants = append(
				l.Variants,
				sandbox.Variant{
					ID:       "v2",
					SKU:      "WC-2",
					Cost:     "10.00",
					Quantity: 2,
					Options:  []sandbox.Option{{Name: "Size", Value: "L"}},
				},
			)
		})
		if b.once(false); b.state(whole) != store.StateRejected || b.state(ids[0]) != store.StatePartial {
			t.Fatalf("%s and %s", b.state(whole), b.state(ids[0]))
		}
		change(func(o *Options) { on := decimal.NewFromInt(50); o.Rules.Price.NoMSRP = &on })
		b.once(false)
		if b.state(whole) != store.StateLive || b.state(ids[0]) != store.StateLive {
			t.Errorf("%s and %s, want both live", b.state(whole), b.state(ids[0]))
		}
		b.shows("15.00", 5, whole)
	})
}

// A slip that the brake on first prices caught is mended by the setting alone.
func TestOtherRulesLetGoOfAFirstPrice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, _, change := ruled(t, 1)
		change(func(o *Options) {
			o.Brake.FirstPrice = publication.Bounds{
				Least: decimal.RequireFromString("0.5"),
				Most:  decimal.NewFromInt(3),
			}
		})
		before := b.tune
		change(markup(900))
		id := b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "20.00", 5)})[0]
		if b.once(false); b.state(id) != store.StateHeld {
			t.Fatalf("a first price of 200.00 is %s", b.state(id))
		}
		b.tune = before
		b.once(false)
		b.shows("20.00", 5, id)
	})
}

// The brake judges together what other rules and the supplier do to a price between two runs, and a
// plan says so.
func TestRulesAndSupplierAreJudgedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 3)
		change(func(o *Options) { o.Brake.PricePercent = decimal.NewFromInt(50) })
		change(markup(40))
		b.update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "28.00" })
		plan, err := b.connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Held) != 1 || plan.Held[0].ID != ids[0] {
			t.Errorf("planned %+v, %v; want one held", plan, err)
		}
		if s := b.once(false); s.Held != 1 || s.Updated != 2 {
			t.Errorf("%+v, want 1 held and 2 updated", s)
		}
		b.shows("20.00", 5, ids[0])
		b.shows("28.00", 5, ids[1:]...)
	})
}

// What a brake held is looked at again when the brake is another.
func TestAnotherBrakeLetsGoOfWhatItHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 3)
		brake := func(percent int64, least string) {
			change(func(o *Options) {
				o.Brake.PricePercent = decimal.NewFromInt(percent)
				o.Brake.FirstPrice = publication.Bounds{
					Least: decimal.RequireFromString(least),
					Most:  decimal.NewFromInt(3),
				}
			})
		}
		brake(50, "2")
		b.update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "40.00" })
		id := b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "20.00", 5)})[0]
		if s := b.once(false); s.Held != 2 {
			t.Fatalf("%+v, want 2 held", s)
		}
		idle := b.once(false)
		brake(200, "0.5")
		plan, err := b.connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Create) != 1 || len(plan.Change) == 0 || len(plan.Held) != 0 {
			t.Errorf("planned %+v, %v; want one new product and one price", plan, err)
		}
		if s := b.once(false); s.Held != 0 || s.Updated != 1 || s.Created != 1 {
			t.Errorf("%+v, want 1 updated and 1 created", s)
		}
		b.shows("40.00", 5, ids[0])
		b.shows("20.00", 5, ids[1], ids[2], id)
		b.once(false)
		brake(20, "0.9")
		if s := b.once(false); s.Requests != idle.Requests || s.Held+int(s.Updated) != 0 {
			t.Errorf("%+v, want an idle run: nothing is held", s)
		}
	})
}

// A process that ends in the middle leaves the rest due, and one that ends before all is noted
// notes it again.
func TestChangedRulesOverAKill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 40)
		change(markup(10))
		ctx, stop := context.WithCancel(t.Context())
		restocked := 0
		b.shop.refuse = func(call) error {
			if restocked++; restocked > 10 {
				stop()
				return ctx.Err()
			}
			return nil
		}
		_, _ = b.connector().Once(ctx, desk.RunOptions{Patience: time.Minute}) //nolint:errcheck // it was stopped
		b.shop.refuse = nil
		b.box.Forget()
		done := b.shop.count("restock")
		if s := b.once(false); s.Exit != desk.ExitOK {
			t.Errorf("%+v", s)
		}
		b.shows("22.00", 5, ids...)
		// but for those whose call was cut off, which are read
		if n := b.shop.count("restock"); done != 10 || n < 40-8 || n > 40 {
			t.Errorf("%d calls before the end and %d in all", done, n)
		}

		change(markup(20))
		failing := &forgetful{Store: b.store}
		change(func(o *Options) { o.Store = failing })
		b.once(false)
		if failing.failed == 0 {
			t.Fatal("the new rules were not to be remembered")
		}
		change(func(o *Options) { o.Store = b.store })
		b.once(false)
		b.shows("24.00", 5, ids...)
	})
}

// A forgetful store cannot remember rules.
type forgetful struct {
	store.Store
	failed int
}

func (s *forgetful) SetMeta(ctx context.Context, key, value string) error {
	if key == publication.MetaRules {
		s.failed++
		return errors.New("killed")
	}
	return s.Store.SetMeta(ctx, key, value)
}

// After another setting has changed that decides what stands in the shop everything is read again.
func TestOtherSettingsHaveContentReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 5)
		for _, id := range ids {
			b.update(id, func(l *sandbox.Listing) { l.Texts["nl"] = sandbox.Text{Title: "Gieter"} })
		}
		b.once(false)
		b.once(false)
		change(func(o *Options) { o.Rules.Languages = []string{"nl", "en"} })
		change(markup(10))
		if s := b.once(false); s.Exit != desk.ExitOK {
			t.Errorf("%+v", s)
		}
		b.shows("22.00", 5, ids...)
		for _, id := range ids {
			if p, _ := b.shop.get(id); p.Title != "Gieter" {
				t.Errorf("%s has title %q", id, p.Title)
			}
		}
		if n := b.shop.count("restock"); n != 5 {
			t.Errorf("%d prices were made before the rest was read, want 5", n)
		}
	})
}

// Status says how many publications have yet to follow, and nothing once all have.
func TestStatusOfChangedRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 5)
		b.change(ids[0], func(r *store.Record) { r.Variants[0].Supplied = store.Supply{} })
		status := func(c *Connector) *desk.Rules {
			t.Helper()
			s, err := c.Desk().Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return s.Rules
		}
		if got := status(b.connector()); got != nil {
			t.Errorf("before the change %+v", got)
		}
		change(markup(10))
		change(func(o *Options) { o.Rules.Languages = []string{"nl", "en"} })
		book := b.settings().Rulebook(b.options().RuleSet)
		if _, err := rules.Follow(b.t.Context(), b.store, book, time.Now()); err != nil {
			t.Fatal(err)
		}
		c := b.connector()
		if got, want := status(c), (desk.Rules{Figures: 5, Content: 5, Of: 5}); got == nil ||
			!reflect.DeepEqual(*got, want) {
			t.Errorf("at the start %+v, want %+v", got, want)
		}
		b.once(false)
		if got := status(b.connector()); got != nil {
			t.Errorf("after the run %+v", got)
		}
	})
}

// A group that is the merchant's no longer is written again.
func TestWhatIsKeptNoLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 2)
		change(func(o *Options) { o.Rules.Keep = shopadapter.FieldPrice })
		b.once(false)
		b.update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "24.00" })
		b.once(false)
		b.shows("20.00", 5, ids...)
		change(func(o *Options) { o.Rules.Keep = 0 })
		b.once(false)
		b.shows("24.00", 5, ids[0])
		b.shows("20.00", 5, ids[1])
		if n := len(b.shop.since(0)); n != 4 {
			t.Errorf("%d calls, want 2 of the creation and 2 of the prices", n)
		}
	})
}

// New publications and changes go before other rules, and a change of what they concern is one
// look.
func TestChangesBesideChangedRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 30)
		change(markup(10))
		b.update(ids[29], func(l *sandbox.Listing) { l.Variants[0].Quantity = 9 })
		fresh := b.box.Add(sandbox.Publication{Listing: oneVariant("10.00", "20.00", 5)})[0]
		if s := b.once(false); s.Updated != 30 || s.Created != 1 {
			t.Errorf("%+v, want 30 updated and 1 created", s)
		}
		b.shows("22.00", 9, ids[29])
		b.shows("22.00", 5, append(ids[:29:29], fresh)...)
		for _, id := range ids {
			if m := b.entry(id).Mark; m == nil || m.Cause != store.CauseRefresh {
				t.Errorf("%s is left with the mark %s", id, fmt.Sprint(m))
			}
		}
	})
}
