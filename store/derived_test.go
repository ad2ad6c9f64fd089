package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

// Whatever is changed, the index, the tally, the due set and the claims of SKUs agree with the records
// and marks that they are made of.
func TestWhatIsDerivedAgrees(t *testing.T) {
	t.Parallel()
	ids := []string{"a", "b", "c", "a\x00", "d/é"}
	rapid.Check(t, func(t *rapid.T) {
		s := newStore(t)
		state := func() store.State { return rapid.SampledFrom(store.States()).Draw(t, "state") }
		mark := func(classes ...store.Class) store.Mark {
			return store.Mark{
				Class: rapid.SampledFrom(classes).Draw(t, "class"), At: store.Instant(rapid.IntRange(0, 9).Draw(t, "at")),
				Tries: rapid.IntRange(0, 1).Draw(t, "tries"),
			}
		}
		marks := []store.Class{store.ClassAsked, store.ClassSweep, store.ClassRefresh}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { agrees(t, s, ids) },
			"change": func(t *rapid.T) {
				r := store.Record{State: state(), ReadAt: 1}
				for _, sku := range rapid.SliceOfN(rapid.SampledFrom([]string{"X", "x", "y"}), 0, 2).Draw(t, "skus") {
					r.Variants = append(r.Variants, store.Variant{SKU: sku})
				}
				r.Product = rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "product")
				if rapid.Bool().Draw(t, "held") {
					r.Holds = []store.Hold{{Kind: store.HoldPrice}, {Kind: store.HoldPrice, Variant: "v"}}
				}
				if r.Sale = store.Off; rapid.Bool().Draw(t, "on sale") {
					r.Sale, r.Removal.Reason = store.OnSale, store.RemovalAbsent
				}
				m, wish, forget := mark(marks...), mark(store.ClassHint), rapid.IntRange(0, 4).Draw(t, "forget") == 0
				change(t, s, rapid.SampledFrom(ids).Draw(t, "id"), func(e *store.Entry) {
					e.Record = r
					e.Mark, e.Hint, e.Forget = &m, &wish, forget
				})
			},
			"mark": func(t *rapid.T) {
				m := mark(append(marks, store.ClassHint)...)
				m.ID = rapid.SampledFrom(ids).Draw(t, "id")
				must(t, s.Mark(context.Background(), m))
			},
			"settle": func(t *rapid.T) {
				change(t, s, rapid.SampledFrom(ids).Draw(t, "id"), func(e *store.Entry) { e.Mark, e.Hint = nil, nil })
			},
		})
	})
}

func agrees(t *rapid.T, s store.Store, ids []string) {
	t.Helper()
	ctx := context.Background()
	var due []string
	marks, _, err := s.Due(ctx, store.DueQuery{Classes: store.AllClasses, To: store.Latest})
	must(t, err)
	for _, m := range marks {
		due = append(due, fmt.Sprint(m))
	}
	var wantDue []store.Mark
	wantCounts, records := map[store.State]int{}, map[store.Property][]string{}
	products, skus := map[string][]string{}, map[string]bool{}
	for _, id := range ids {
		e := get(t, s, id)
		for _, m := range []*store.Mark{e.Mark, e.Hint} {
			if m != nil {
				wantDue = append(wantDue, *m)
			}
		}
		if !e.Known {
			continue
		}
		wantCounts[e.Record.State]++
		for _, p := range store.Properties(e.Record) {
			if !slices.Contains(records[p], id) {
				records[p] = append(records[p], id)
			}
		}
		products[e.Record.Product] = append(products[e.Record.Product], id)
		for _, v := range e.Record.Variants {
			skus[store.SKUKey(v.SKU)] = true
		}
	}
	slices.SortFunc(wantDue, func(a, b store.Mark) int {
		return slices.Compare([]int{int(a.Class), int(a.At), slices.Index(sorted(ids), a.ID)},
			[]int{int(b.Class), int(b.At), slices.Index(sorted(ids), b.ID)})
	})
	var want []string
	for _, m := range wantDue {
		want = append(want, fmt.Sprint(m))
	}
	counts, err := s.Counts(ctx)
	must(t, err)
	if !slices.Equal(due, want) || !cmp.Equal(counts, wantCounts) {
		t.Fatalf("due %v, counted %v, want %v and %v", due, counts, want, wantCounts)
	}
	keys := []store.Property{store.KeyHold(store.HoldPrice)}
	for _, state := range store.States() {
		keys = append(keys, store.KeyState(state))
	}
	for _, key := range keys {
		var found []string
		for q := (store.Query{Key: key, Limit: 1}); ; {
			page, after, err := s.List(ctx, q)
			must(t, err)
			for _, r := range page {
				found = append(found, r.ID)
			}
			if q.After = after; after == "" {
				break
			}
		}
		if !slices.Equal(found, sorted(records[key])) {
			t.Fatalf("the index of %q has %q, want %q", key, found, records[key])
		}
	}
	for _, p := range []string{"p", "q"} {
		found, err := s.Resolve(ctx, nil, []string{p}, nil)
		must(t, err)
		if !slices.Equal(found, sorted(products[p])) {
			t.Fatalf("product %s is of %q, want %q", p, found, products[p])
		}
	}
	owners, err := s.Owners(ctx, "x", "y")
	must(t, err)
	for sku, owner := range owners {
		if r := get(t, s, owner).Record; !slices.ContainsFunc(r.Variants, func(v store.Variant) bool {
			return store.SKUKey(v.SKU) == sku
		}) {
			t.Fatalf("%s is held by %s, which does not have it", sku, owner)
		}
	}
}

func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

// Keys of the due set and of the index that nothing agrees with are damage, where they are met.
func TestKeysThatNothingAgreesWith(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]store.Key{
		"due, of nobody":     {Bucket: "due", Key: "\x00\x00\x00\x00\x00\x00\x00\x00\x00nobody"},
		"due, another time":  {Bucket: "due", Key: "\x00\x00\x00\x00\x00\x00\x00\x00\x05a"},
		"due, another class": {Bucket: "due", Key: "\x03\x00\x00\x00\x00\x00\x00\x00\x07a"},
		"index":              {Bucket: "index", Key: "sheld\x00a"},
	} {
		s := store.InMemory()
		must(t, s.Mark(t.Context(), store.Mark{ID: "a", At: 7}))
		must(t, s.Update(t.Context(), nil, func(tx *store.Tx) error {
			tx.Put(k, []byte{})
			return nil
		}))
		_, _, err := s.List(t.Context(), store.Query{Key: store.KeyState(store.StateHeld)})
		_, _, due := s.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: store.At(begun)})
		if !errors.Is(errors.Join(err, due), store.ErrCorrupt) {
			t.Errorf("%s: got %v and %v, want ErrCorrupt", name, err, due)
		}
	}
}

// Removals of a day count together, and are kept for three, since a clock may be set back.
func TestRemovals(t *testing.T) {
	t.Parallel()
	s := store.InMemory()
	remove := func(id string, when time.Duration) {
		change(t, s, id, func(e *store.Entry) {
			e.Record.State = store.StateWithdrawn
			e.Record.Removal, e.Removed = store.Removal{At: at(when), Done: true}, true
		})
	}
	const day = 24 * time.Hour
	remove("a", 0)
	remove("b", time.Hour)
	remove("c", 3*day+time.Minute) // forgets a
	for _, tt := range []struct {
		at   time.Duration
		want int
	}{{0, 2}, {day + time.Hour, 2}, {day + time.Hour + 1e6, 1}, {4 * day, 1}, {5 * day, 0}} {
		if f, err := s.Backlog(t.Context(), at(tt.at)); f.Removed != tt.want || err != nil {
			t.Errorf("at %s: got %d, %v, want %d", tt.at, f.Removed, err, tt.want)
		}
	}
}

// ChangeAll changes every record, more than fit into one transaction, and once more after a crash on
// the way.
func TestChangeAll(t *testing.T) {
	t.Parallel()
	s := store.InMemory()
	const records = 600
	var ids []string
	for i := range records {
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	_, err := s.Change(t.Context(), ids, func(e *store.Entry) bool { e.Record.State = store.StateLive; return true })
	must(t, err)
	for range 2 {
		n, err := store.ChangeAll(t.Context(), s, store.Query{}, func(e *store.Entry) bool {
			e.Record.ReadAt = 7
			return true
		})
		if n != records || err != nil {
			t.Fatalf("got %d changed, %v, want %d", n, err, records)
		}
	}
	changed := 0
	for r, err := range store.Records(t.Context(), s, store.Query{Key: store.KeyState(store.StateLive)}) {
		must(t, err)
		changed += int(r.ReadAt / 7)
	}
	if changed != records {
		t.Errorf("got %d records changed, want %d", changed, records)
	}
}

// The history keeps the last fifty events, and of each month before the last price where it has any. An event that
// says again what the one before says takes its place.
func TestHistory(t *testing.T) {
	s := store.InMemory()
	tell := func(e store.Event) {
		t.Helper()
		if _, err := s.Change(t.Context(), []string{"a"}, func(entry *store.Entry) bool {
			entry.Record.State = store.StateLive
			entry.Tell(e)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for day := range 400 {
		field := "stock"
		if day%10 == 0 {
			field = "price"
		}
		tell(store.Event{
			At: store.At(start.AddDate(0, 0, day)), What: store.WhatUpdated, Changes: []store.Change{{Field: field}},
		})
	}
	for range 3 {
		tell(store.Event{At: store.At(start.AddDate(2, 0, 0)), What: "reported success"})
	}
	got, err := s.History(t.Context(), "a")
	if err != nil || len(got) != 50+12 {
		t.Fatalf("got %d events, %v, want 50 and one of each of twelve months", len(got), err)
	}
	for _, e := range got[:11] {
		if e.Changes[0].Field != "price" {
			t.Errorf("of %s it keeps %s, want its last price", e.At.Time().Format("2006-01"), e.Changes[0].Field)
		}
	}
	if last := got[len(got)-1]; last.What != "reported success" || got[len(got)-2].What != store.WhatUpdated {
		t.Errorf("got %+v at the end, want one report", got[len(got)-2:])
	}
}
