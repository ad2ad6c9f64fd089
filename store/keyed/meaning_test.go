package keyed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/kvtest"
)

// A bench has the store of a test, whose functions run twice.
type bench struct {
	over bool // it lies over another one, each time that it is opened again over what was held
	kv   keyed.KV
}

// eachKV runs a test above memory, and above an Over.
func eachKV(t *testing.T, test func(*testing.T, *bench)) {
	for name, over := range map[string]bool{"memory": false, "over": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, &bench{over: over})
		})
	}
}

// store opens a new store.
func (b *bench) store(t rapid.TB) store.Store {
	t.Helper()
	b.kv = keyed.NewMemory()
	return b.reopen(t)
}

// reopen opens the store once more.
func (b *bench) reopen(t rapid.TB) store.Store {
	t.Helper()
	if m, ok := b.kv.(*keyed.Memory); ok {
		b.kv = m.Reopened()
	}
	if b.over {
		b.plan(t)
	}
	return &keyed.Store{KV: kvtest.Twice(t, b.kv)}
}

// plan puts an Over above what is held.
func (b *bench) plan(t rapid.TB) {
	t.Helper()
	over, err := keyed.NewOver(context.Background(), b.kv)
	must(t, err)
	b.kv = over
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var begun = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

func at(d time.Duration) store.Instant { return store.At(begun.Add(d)) }

func get(ctx context.Context, t rapid.TB, s store.Reader, id string) store.Entry {
	t.Helper()
	e, err := s.Get(ctx, id)
	must(t, err)
	return e
}

func settle(ctx context.Context, t rapid.TB, s store.Store, w store.Settlement) {
	t.Helper()
	_, err := s.Settle(ctx, w)
	must(t, err)
}

// attempt is an attempt whose variants claim the SKUs that they want, by their ids, or those with
// "-2" behind them where another variant holds them. Where two want the same, the first in order
// has it.
func attempt(id string, order []string, want map[string]string) store.Attempt {
	a := store.Attempt{ID: id, Fields: 1, Order: order}
	for _, variant := range order {
		a.Keys = append(a.Keys, store.SKUKey(want[variant]), store.SKUKey(want[variant]+"-2"))
	}
	a.Choose = func(held map[string]store.Owner) map[string]string {
		chosen, given := map[string]string{}, map[string]bool{}
		for _, variant := range order {
			for _, sku := range []string{want[variant], want[variant] + "-2"} {
				key := store.SKUKey(sku)
				by := held[key]
				if want[variant] != "" && !given[key] && (by == "" || by == store.OwnerOf(id, variant)) {
					chosen[variant], given[key] = sku, true
					break
				}
			}
		}
		return chosen
	}
	return a
}

// A settlement, a page or a set of changes is made as a whole or not at all.
func TestWhole(t *testing.T) {
	eachKV(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		s := b.store(t)
		settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a", State: store.StateLive}})
		bad := &store.Mark{Class: store.Classes}
		half := store.Settlement{
			Record: store.Record{ID: "a", State: store.StateHeld}, Report: &store.Report{Status: store.StatusFailed}, Next: bad,
		}
		if _, err := s.Settle(ctx, half); err == nil {
			t.Errorf("a mark of no class is taken")
		}
		err := s.PutPage(ctx,
			store.Page{
				Name:   "list",
				Cursor: store.Cursor{Value: "c"},
				Changes: store.Each([]string{"b", "a"}, func(i int, _ bool, _ *store.Report, w *store.Settlement) bool {
					if w.Record.State = store.StateHeld; i == 1 {
						w.Next = bad
					}
					return true
				}),
			},
		)
		if err == nil {
			t.Errorf("a page with a mark of no class is taken")
		}
		if e := get(ctx, t, s, "a"); e.Record.State != store.StateLive || e.Owed != nil || e.Mark != nil {
			t.Errorf("a part of what failed was written: %+v", e)
		}
		if e := get(ctx, t, s, "b"); e.Known {
			t.Errorf("a part of a page that failed was written: %+v", e)
		}
		if _, ok, err := s.CursorOf(ctx, "list"); ok || err != nil {
			t.Errorf("the cursor of a page that failed was written, %v", err)
		}
		if counts, err := s.Counts(ctx); err != nil || counts[store.StateLive] != 1 || len(counts) != 1 {
			t.Errorf("counts are %v, %v", counts, err)
		}
	})
}

// A SKU belongs to one variant until a settled write no longer has it.
func TestSKUs(t *testing.T) {
	eachKV(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		s := b.store(t)
		want := map[string]string{"v": "Lamp"}
		first, err := s.Begin(ctx, attempt("a", []string{"v"}, want))
		must(t, err)
		s = b.reopen(t)
		other := map[string]string{"v": "LAMP"}
		preview, err := store.PreviewSKUs(ctx, s, attempt("b", []string{"v"}, other))
		must(t, err)
		second, err := s.Begin(ctx, attempt("b", []string{"v"}, other))
		must(t, err)
		if first["v"] != "Lamp" || second["v"] == "LAMP" || !strings.HasPrefix(second["v"], "LAMP-") ||
			preview["v"] != second["v"] {
			t.Errorf("two variants have %q and %q, announced as %q", first["v"], second["v"], preview["v"])
		}
		settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}}) // it sells the variant no more
		third, err := s.Begin(ctx, attempt("c", []string{"v"}, want))
		must(t, err)
		again, err := s.Begin(ctx, attempt("b", []string{"v"}, other))
		must(t, err)
		if third["v"] != "Lamp" || again["v"] != second["v"] {
			t.Errorf("a free SKU is given as %q, and a suffix changed from %q to %q", third["v"], second["v"], again["v"])
		}
	})
}

// What is left of a forgotten publication is its record until it is known again, and its SKUs stay claimed until it is
// written.
func TestLeft(t *testing.T) {
	eachKV(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		s := b.store(t)
		claim := func(id string) string {
			t.Helper()
			got, err := store.PreviewSKUs(
				ctx,
				s,
				attempt(id, []string{"v"}, map[string]string{"v": "Lamp"}),
			)
			must(t, err)
			return got["v"]
		}
		_, err := s.Begin(
			ctx,
			attempt("a", []string{"v"}, map[string]string{"v": "Lamp"}),
		)
		must(t, err)
		gone := store.Record{
			ID: "a", State: store.StateWithdrawn, Product: "p", ReportedAt: at(0), WrittenAt: at(0),
			Variants: []store.Variant{{ID: "v", SKU: "Lamp"}},
		}
		settle(ctx, t, s, store.Settlement{Record: gone, Report: &store.Report{Status: store.StatusFailed}})
		settle(ctx, t, s, store.Settlement{Record: gone, Forget: true, Leave: true})
		s = b.reopen(t)
		left := store.Entry{
			Record: store.Record{ID: "a", ReportedAt: at(0), Claims: []store.Claim{{Variant: "v", SKU: "Lamp"}}},
		}
		same(t, "what is left", left, get(ctx, t, s, "a"))
		ids, err := s.Resolve(ctx, []string{"a"}, []string{"p"}, nil)
		must(t, err)
		counts, err := s.Counts(ctx)
		must(t, err)
		if len(ids) > 0 || counts[store.StateWithdrawn] != 0 {
			t.Errorf("a forgotten publication is resolved as %v, and counted in %v", ids, counts)
		}
		if sku := claim("b"); sku == "Lamp" {
			t.Error("its SKU is given to another")
		}

		must(
			t,
			s.PutPage(ctx,
				store.Page{
					Name: "list",
					Changes: store.Each([]string{"a"}, func(_ int, known bool, _ *store.Report, w *store.Settlement) bool {
						same(t, "what is left, in a page", left.Record, w.Record)
						w.Record.State = store.StatePending
						return !known
					}),
				},
			),
		)
		if e := get(ctx, t, s, "a"); !e.Known || claim("a") != "Lamp" || claim("b") == "Lamp" {
			t.Errorf("listed again: %+v, SKU %q, that of another %q", e, claim("a"), claim("b"))
		}
		// without the variant
		settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a", State: store.StateLive, WrittenAt: at(1)}})
		if sku := claim("b"); sku != "Lamp" {
			t.Errorf("the SKU that it has no more is given as %q", sku)
		}
		settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}, Forget: true})
		same(t, "without a trace", store.Entry{Record: store.Record{ID: "a"}}, get(ctx, t, s, "a"))
	})
}

// A store belongs to one account for good.
func TestAccount(t *testing.T) {
	eachKV(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		s := b.store(t)
		must(t, store.ClaimAccount(ctx, s, ""))
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Go(func() { errs[i] = store.ClaimAccount(ctx, s, fmt.Sprint("account ", i)) })
		}
		wg.Wait()
		won := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err != nil })
		if len(won) != 1 {
			t.Fatalf("%d accounts claimed one store", len(won))
		}
		var another *store.AccountError
		if err := store.ClaimAccount(ctx, b.reopen(t), "another"); !errors.As(err, &another) {
			t.Errorf("another account: %v", err)
		}
	})
}

// An entry of a page whose id cannot be kept keeps no other from being kept.
func TestUnkept(t *testing.T) {
	eachKV(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		s := b.store(t)
		ids := []string{"", strings.Repeat("x", store.MaxID+1), strings.Repeat("y", store.MaxID), "good"}
		must(
			t,
			s.PutPage(ctx,
				store.Page{
					Name:   "list",
					Cursor: store.Cursor{Value: "c"},
					Seen:   true,
					Changes: store.Each(ids, func(_ int, _ bool, _ *store.Report, w *store.Settlement) bool {
						w.Record.State = store.StateLive
						return true
					}),
				},
			),
		)
		for i, id := range ids {
			if i >= 2 != get(ctx, t, s, id).Known {
				t.Errorf("entry %d is known: %t", i, i < 2)
			}
		}
	})
}
