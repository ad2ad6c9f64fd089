package rules_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/store"
)

// answered has a group of held changes approved or declined, and returns how many publications had
// one.
func answered(b *harness.Bench, decline bool) int {
	b.T.Helper()
	a, err := connector.NewDesk(b.Store, publication.Rules{}, nil).Answer(b.T.Context(), desk.Answer{
		Decline: decline, HeldFilter: desk.HeldFilter{Group: "rules"},
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return a.Count
}

// pending is the change of prices that status tells of, nil for none.
func pending(b *harness.Bench) *publication.RulesChange {
	b.T.Helper()
	s, err := harness.StatusOf(b.Store)
	if err != nil {
		b.T.Fatal(err)
	}
	if s.Rules == nil {
		return nil
	}
	return s.Rules.Change
}

// A change of prices that would move very many products far is held as one, with what it does. One
// word lets it through, for no points, however far it moves a price.
func TestAChangeForVeryManyIsHeldAsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 5)
		idle := b.Once(false)
		change(harness.Markup(60))
		change(func(o *connector.Options) { o.RuleSet = map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "x"} })
		if s := b.Once(false); s.Held != 5 || s.Updated != 0 || s.Requests != idle.Requests {
			t.Errorf("%+v, want 5 held for the %d requests of an idle run", s, idle.Requests)
		}
		shows(b, "20.00", 5, ids...)
		c := pending(b)
		if c == nil {
			t.Fatal("status tells of no change, want it held")
		}
		if c.Products != 5 || c.Moved != 5 || c.Far != 5 || c.Up != 5 || c.Down != 0 || c.Largest != "60" ||
			c.Old != "100.00" || c.New != "160.00" {
			t.Errorf("got %+v, want 5 products from 100.00 to 160.00", c)
		}
		if got := c.String(); !strings.HasPrefix(got, "price rules changed (PUBSYNC_PRICE_MARKUP_PERCENT): 5 of 5") {
			t.Errorf("told as %q, want the setting and the totals", got)
		}
		if n := answered(b, false); n != 5 {
			t.Errorf("%d approved, want 5", n)
		}
		if c := pending(b); c != nil {
			t.Errorf("status tells of %v, want nothing to decide", c)
		}
		if s := b.Once(false); s.Held != 0 || s.Updated != 5 || s.Requests != idle.Requests {
			t.Errorf("%+v, want 5 updated for the %d requests of an idle run", s, idle.Requests)
		}
		shows(b, "32.00", 5, ids...)
		if s := b.Once(false); s.Held+int(s.Updated) != 0 {
			t.Errorf("%+v, want an idle run", s)
		}
	})
}

// A declined change leaves each price until the supplier moves it or the rules change again, and is
// not asked again.
func TestADeclinedChangeOfRules(t *testing.T) {
	t.Parallel()
	for name, looked := range map[string]bool{"after the looks": true, "before them": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 5)
				change(harness.Markup(60))
				if looked {
					b.Once(false)
				} else {
					follow(b)
				}
				if n := answered(b, true); n != 5 {
					t.Errorf("%d declined, want 5", n)
				}
				for range 2 {
					if s := b.Once(false); s.Held+int(s.Updated) != 0 || s.Exit != desk.ExitOK {
						t.Errorf("%+v, want nothing held and nothing written", s)
					}
				}
				shows(b, "20.00", 5, ids...)
				e, err := harness.Explain(b.Store, b.Settings().Rules, ids[0])
				if err != nil || len(e.Declined) != 1 || e.Declined[0].New != "32.00" {
					t.Errorf("explained as %+v, %v, want 32.00 declined", e.Declined, err)
				}
				b.Update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "18.00" })
				b.Once(false)
				shows(b, "28.80", 5, ids[0])
				shows(b, "20.00", 5, ids[1:]...)
				change(harness.Markup(10))
				if s := b.Once(false); s.Held != 0 || s.Updated != 5 {
					t.Errorf("the rules change again: %+v, want 5 updated", s)
				}
				shows(b, "22.00", 5, ids[1:]...)
			})
		})
	}
}

// A second change while the first is held is judged by the prices that stand; a change back leaves
// nothing to decide.
func TestASecondChangeWhileTheFirstIsHeld(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		percent int64
		held    int
		price   string
	}{"back": {0, 0, "20.00"}, "a small one": {10, 0, "22.00"}, "another large one": {90, 5, "20.00"}} {
		for _, decided := range []string{"", "approved", "declined"} {
			t.Run(name+" "+decided, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					b, ids, change := ruled(t, 5)
					change(harness.Markup(60))
					b.Once(false)
					if decided != "" { // and no look has followed
						answered(b, decided == "declined")
					}
					change(harness.Markup(tt.percent))
					if s := b.Once(false); s.Held != tt.held {
						t.Errorf("%+v, want %d held", s, tt.held)
					}
					shows(b, tt.price, 5, ids...)
					if c := pending(b); (c != nil) != (tt.held > 0) {
						t.Errorf("to decide: %+v, want %d held", c, tt.held)
					}
					if tt.held > 0 {
						answered(b, false)
						b.Once(false)
						shows(b, "38.00", 5, ids...)
					}
				})
			})
		}
	}
}

// follow has the present rules followed, and looks at nothing.
func follow(b *harness.Bench) {
	b.T.Helper()
	if _, err := rules.Follow(b.T.Context(), b.Store, b.Settings(), b.Options().RuleSet, time.Now()); err != nil {
		b.T.Fatal(err)
	}
}

var errKilled = errors.New("killed")

// A dying store makes so many more writes.
type dying struct {
	store.Store

	left atomic.Int64 // it is written to from several goroutines
}

func (d *dying) dies() error {
	if d.left.Add(-1) < 0 {
		return errKilled
	}
	return nil
}

func (d *dying) List(ctx context.Context, q store.Query) ([]store.Record, string, error) {
	q.Limit = 2 // so that there is a middle
	return d.Store.List(ctx, q)
}

func (d *dying) Change(ctx context.Context, changes ...store.Change) (int, error) {
	if err := d.dies(); err != nil {
		return 0, err
	}
	return d.Store.Change(ctx, changes...)
}

func (d *dying) SetMeta(ctx context.Context, key, value string) error {
	if err := d.dies(); err != nil {
		return err
	}
	return d.Store.SetMeta(ctx, key, value)
}

// Wherever the process is killed while the publications are told, of the change or of the decision,
// the next start goes on with the same decision, or with none where the rules are as before.
func TestAKillWhileRulesAreDecided(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"of the change", "of the change, which is taken back", "approved", "declined"} {
		for left := range 6 {
			t.Run(fmt.Sprintf("%s, after %d writes", when, left), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					b, ids, change := ruled(t, 5)
					change(func(o *connector.Options) { o.RuleSet = map[string]string{"A": "1"} })
					b.Once(false)
					change(harness.Markup(60))
					d := &dying{Store: b.Store}
					d.left.Store(int64(left))
					price, held := "20.00", 5
					switch when {
					case "approved", "declined":
						b.Once(false)
						verdict := store.RulingDeclined
						if held = 0; when == "approved" {
							verdict, price = store.RulingApproved, "32.00"
						}
						_, _, err := rules.Decide(t.Context(), d, verdict, "anna", time.Now())
						if left == 0 { // it was never decided
							held, price = 5, "20.00"
						}
						if err == nil && left < 4 {
							t.Fatal("it was not killed, want it to be")
						}
					default:
						set := map[string]string{"A": "2"}
						if _, err := rules.Follow(t.Context(), d, b.Settings(), set, time.Now()); err == nil && left < 5 {
							t.Fatal("it was not killed, want it to be")
						}
						if when != "of the change" {
							held = 0
							change(harness.Markup(0))
						} else {
							change(func(o *connector.Options) { o.RuleSet = set })
						}
					}
					if s := b.Once(false); s.Held != held {
						t.Errorf("%+v, want %d held", s, held)
					}
					shows(b, price, 5, ids...)
					if c := pending(b); (c != nil) != (held > 0) {
						t.Errorf("to decide: %+v, want %d held", c, held)
					}
					b.Once(false)
					shows(b, price, 5, ids...)
				})
			})
		}
	}
}

// Where the supplier moves a price while a change of the rules waits, the decision is for what was
// shown: the brake judges the other price.
func TestASuppliersMoveAfterTheDecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 5)
		change(harness.Markup(60))
		follow(b)
		answered(b, false)
		b.Update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "90.00" })
		if s := b.Once(false); s.Held != 1 || s.Updated != 4 {
			t.Errorf("%+v, want 1 held and 4 updated", s)
		}
		shows(b, "32.00", 5, ids[1:]...)
		if h := b.Record(ids[0]).Holds; len(h) != 1 || h[0].Kind != store.HoldPrice {
			t.Errorf("held %+v, want its price", h)
		}
	})
}

// Prices that are the merchant's, or whose supplier's figure is held, count for no change of the
// rules.
func TestWhatARuleDoesNotMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids, change := ruled(t, 10)
		for _, id := range ids[:6] {
			b.Update(id, func(l *sandbox.Listing) { l.Variants[0].MSRP = "60.00" })
		}
		if s := b.Once(false); s.Held != 6 {
			t.Fatalf("%+v, want 6 held", s)
		}
		change(func(o *connector.Options) { o.Rules.Price.Add = decimal.NewFromInt(1) })
		b.Once(false)
		if c := pending(b); c != nil {
			t.Errorf("held as one: %v, want the brake alone", c)
		}
		shows(b, "20.00", 5, ids[:6]...)
		shows(b, "21.00", 5, ids[6:]...)
	})
}

// A price that the supplier moved too far is no part of a change of the rules: the decision on that
// does not let it through.
func TestARulesDecisionIsNotForTheSuppliersMove(t *testing.T) {
	t.Parallel()
	for _, declined := range []bool{false, true} {
		t.Run(fmt.Sprint("declined ", declined), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, ids, change := ruled(t, 5)
				b.Update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "90.00" })
				b.Once(false)
				if declined {
					a := desk.Answer{Decline: true, IDs: ids[:1]}
					if _, err := connector.NewDesk(b.Store, publication.Rules{}, nil).Answer(t.Context(), a); err != nil {
						t.Fatal(err)
					}
				}
				change(harness.Markup(60))
				b.Once(false)
				if r := b.Record(ids[0]); len(r.Holds) != 1 || publication.GroupOf(r, r.Holds[0]) != "price/supplier-up" {
					t.Errorf("held %+v, want the supplier's price", r.Holds)
				}
				answered(b, false)
				if s := b.Once(false); s.Held != 1 || s.Updated != 4 {
					t.Errorf("%+v, want 1 held and 4 updated", s)
				}
				shows(b, "20.00", 5, ids[0])
				shows(b, "32.00", 5, ids[1:]...)
			})
		})
	}
}
