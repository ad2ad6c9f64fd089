package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// newStore is a store whose functions run twice.
func newStore(t rapid.TB) store.Store {
	return store.Store{KV: postgrestest.Twice(t, store.InMemory().KV)}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var begun = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

func at(d time.Duration) store.Instant { return store.At(begun.Add(d)) }

func get(t rapid.TB, s store.Store, id string) store.Entry {
	t.Helper()
	e, err := s.Get(context.Background(), id)
	must(t, err)
	return e
}

// change changes one entry.
func change(t rapid.TB, s store.Store, id string, change func(*store.Entry)) {
	t.Helper()
	_, err := s.Change(context.Background(), []string{id}, func(e *store.Entry) bool { change(e); return true })
	must(t, err)
}

// A change of an entry, a page or a set of changes is made as a whole or not at all.
func TestWhole(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t)
	change(t, s, "a", func(e *store.Entry) { e.Record.State = store.StateLive })
	for name, bad := range map[string]store.Entry{
		"a mark of no class":     {Mark: &store.Mark{Class: store.Classes}},
		"a hint where marks are": {Mark: &store.Mark{Class: store.ClassHint}},
		"a mark where hints are": {Hint: &store.Mark{Class: store.ClassSweep}},
	} {
		half := func(i int, e *store.Entry) bool {
			if e.Record.State, e.Owed = store.StateHeld, (&store.Report{Status: store.StatusFailed}); i == 1 {
				e.Mark, e.Hint = bad.Mark, bad.Hint
			}
			return true
		}
		if err := s.Begin(ctx, "a", nil, func(e *store.Entry, _ map[string]string) error {
			half(1, e)
			return nil
		}); err == nil {
			t.Errorf("%s is taken", name)
		}
		p := store.Page{Name: "list", Cursor: store.Cursor{Value: "c"}, IDs: []string{"b", "a"}, Change: half}
		if err := s.PutPage(ctx, p); err == nil {
			t.Errorf("a page with %s is taken", name)
		}
	}
	if e := get(t, s, "a"); e.Record.State != store.StateLive || e.Owed != nil || e.Mark != nil || e.Hint != nil {
		t.Errorf("a part of what failed was written: %+v", e)
	}
	if e := get(t, s, "b"); e.Known {
		t.Errorf("a part of a page that failed was written: %+v", e)
	}
	if _, ok, err := s.CursorOf(ctx, "list"); ok || err != nil {
		t.Errorf("the cursor of a page that failed was written, %v", err)
	}
	if counts, err := s.Counts(ctx); err != nil || counts[store.StateLive] != 1 || len(counts) != 1 {
		t.Errorf("counts are %v, %v", counts, err)
	}
}

// begin begins an attempt that sends a SKU, or that with "-2" behind it where another publication
// holds it, and returns which. had says that a variant had it before.
func begin(t rapid.TB, s store.Store, id, sku string, had bool) (got string) {
	t.Helper()
	keys := []string{store.SKUKey(sku), store.SKUKey(sku + "-2")}
	must(t, s.Begin(context.Background(), id, keys, func(e *store.Entry, owners map[string]string) error {
		for _, got = range []string{sku, sku + "-2"} {
			if by := owners[store.SKUKey(got)]; by == "" || by == id {
				break
			}
		}
		if e.Record.State = store.StatePending; !had {
			e.Record.Claims = []string{got}
		}
		return nil
	}))
	return got
}

func same(t rapid.TB, what string, want, got store.Entry) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", what, diff)
	}
}

func ownerOf(t rapid.TB, s store.Store, sku string) string {
	t.Helper()
	owners, err := s.Owners(context.Background(), store.SKUKey(sku))
	must(t, err)
	return owners[store.SKUKey(sku)]
}

// A SKU belongs to one publication until a settled write no longer has it.
func TestSKUs(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := begin(t, s, "a", "Lamp", false)
	second := begin(t, s, "b", "LAMP", false)
	if first != "Lamp" || second != "LAMP-2" || ownerOf(t, s, "lamp") != "a" || ownerOf(t, s, "lamp-2") != "b" {
		t.Errorf("two variants have %q and %q", first, second)
	}
	taken := store.Variant{ID: "v", SKU: "lamp"} // the shop has the SKU twice
	change(t, s, "d", func(e *store.Entry) {
		e.Record.State, e.Record.Variants = store.StatePending, []store.Variant{taken}
	})
	change(t, s, "a", func(e *store.Entry) { e.Record.Claims = e.Record.Claims[:0] }) // it sells the variant no more
	third, again := begin(t, s, "c", "Lamp", false), begin(t, s, "b", "LAMP", false)
	if third != "Lamp" || again != second {
		t.Errorf("a free SKU is given as %q, and a suffix changed from %q to %q", third, second, again)
	}
	change(t, s, "c", func(e *store.Entry) { e.Record.Claims[0] = "another" })
	if got := begin(t, s, "d", "Lamp", true); got != "Lamp" || ownerOf(t, s, "Lamp") != "d" {
		t.Errorf("a free SKU of a variant is sent as %q, and held by %q", got, ownerOf(t, s, "Lamp"))
	}
}

// What is left of a forgotten publication is its record until it is known again, and its SKUs stay
// claimed until it is written.
func TestLeft(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t)
	begin(t, s, "a", "Lamp", false)
	change(t, s, "a", func(e *store.Entry) {
		e.Record = store.Record{
			State: store.StateWithdrawn, Product: "p", ReportedAt: at(0), WrittenAt: at(0),
			Variants: []store.Variant{{ID: "v", SKU: "Lamp"}},
		}
		e.Owed = &store.Report{Status: store.StatusFailed}
		e.Tell(store.Event{What: "withdrawn"})
	})
	change(t, s, "a", func(e *store.Entry) { e.Forget, e.Leave = true, true })
	left := store.Entry{Record: store.Record{ID: "a", ReportedAt: at(0), Claims: []string{"Lamp"}}}
	same(t, "what is left", left, get(t, s, "a"))
	ids, err := s.Resolve(ctx, []string{"a"}, []string{"p"}, nil)
	must(t, err)
	counts, err := s.Counts(ctx)
	must(t, err)
	history, err := s.History(ctx, "a")
	must(t, err)
	if len(ids) > 0 || counts[store.StateWithdrawn] != 0 || len(history) > 0 {
		t.Errorf("a forgotten publication is resolved as %v, counted in %v, and has %v", ids, counts, history)
	}
	if ownerOf(t, s, "Lamp") != "a" {
		t.Error("its SKU is given to another")
	}
	must(t, s.PutPage(ctx, store.Page{
		Name: "list", IDs: []string{"a"}, Change: func(_ int, e *store.Entry) bool {
			same(t, "what is left, in a page", left, *e)
			e.Record.State = store.StatePending
			return true
		},
	}))
	if e := get(t, s, "a"); !e.Known || ownerOf(t, s, "Lamp") != "a" {
		t.Errorf("listed again: %+v, its SKU is held by %q", e, ownerOf(t, s, "Lamp"))
	}
	change(t, s, "a", func(e *store.Entry) { e.Record = store.Record{State: store.StateLive} }) // without the variant
	if by := ownerOf(t, s, "Lamp"); by != "" {
		t.Errorf("the SKU that it has no more is held by %q", by)
	}
	change(t, s, "a", func(e *store.Entry) { e.Forget = true })
	same(t, "without a trace", store.Entry{Record: store.Record{ID: "a"}}, get(t, s, "a"))
}

// A publication enters the store by a change that gives it a state, under its own id, and not by
// one that tells of it alone.
func TestEnters(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t)
	change(t, s, "a", func(e *store.Entry) { e.Tell(store.Event{What: "seen"}) })
	if history, err := s.History(ctx, "a"); get(t, s, "a").Known || len(history) > 0 || err != nil {
		t.Errorf("told of: known with the history %v, %v", history, err)
	}
	adopt := func(e *store.Entry) bool {
		known := e.Known
		e.Record.State, e.Record.ShopID, e.Record.ID = store.StatePending, e.Record.ShopID+"17", "b"
		return !known
	}
	for i, want := range []int{1, 0} {
		n, err := s.Change(ctx, []string{"a"}, adopt)
		if e := get(t, s, "a"); n != want || err != nil || e.Record.ShopID != "17" {
			t.Errorf("time %d: %d, %v, %+v", i, n, err, e)
		}
	}
	change(t, s, "a", func(e *store.Entry) { e.Record.State, e.Record.ShopID = store.StateLive, "18" })
	if got, err := s.Counts(ctx); got[store.StatePending] != 0 || got[store.StateLive] != 1 || err != nil {
		t.Errorf("counts %v, %v", got, err)
	}
}

// A store belongs to one account for good.
func TestAccount(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t)
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
	if err := store.ClaimAccount(ctx, s, "another"); !errors.Is(err, store.ErrAccount) {
		t.Errorf("another account: %v", err)
	}
}

// An entry of a page whose id cannot be kept keeps no other from being kept.
func TestUnkept(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t)
	ids := []string{"", strings.Repeat("x", store.MaxID+1), strings.Repeat("y", store.MaxID), "good"}
	must(t, s.PutPage(ctx, store.Page{
		Name: "list", Cursor: store.Cursor{Value: "c"}, Seen: true,
		IDs: ids, Change: func(_ int, e *store.Entry) bool {
			e.Record.State = store.StateLive
			return true
		},
	}))
	for i, id := range ids {
		if i >= 2 != get(t, s, id).Known {
			t.Errorf("entry %d is known: %t", i, i < 2)
		}
	}
}
