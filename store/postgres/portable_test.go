//go:build unix

package postgres_test

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/storetest"
)

// stock puts one of everything into a store.
func stock(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ids := []string{"a", "b", "c\x00d", "\xff", strings.Repeat("long", 1000), strings.Repeat("long", 1000) + "er"}
	for i := range 1200 {
		ids = append(ids, fmt.Sprint("many", i))
	}
	rule := func(i int, _ bool, _ *store.Report, w *store.Settlement) bool {
		w.Record.State, w.Record.OnSale, w.Record.Title = store.StateLive, true, fmt.Sprint("Lamp ", i)
		w.Record.Product, w.Record.ReportedAt = fmt.Sprint("product", i), 5
		w.Record.Holds = []store.Hold{{Kind: store.HoldPrice, Since: store.Instant(i)}}
		w.Next = &store.Mark{Class: store.ClassSweep, At: store.Instant(i), Hint: store.Instant(i % 3), Seen: "then"}
		if i%2 == 0 {
			w.Report = &store.Report{Status: store.StatusFailed, URL: "https://shop.example/", Refusals: i % 3}
		}
		w.Removed, w.Record.Removal.At = i < 3, store.Instant(7*i)
		return true
	}
	p := store.Page{Name: "full", Cursor: store.Cursor{Value: "c"}, Seen: true, Changes: store.Each(ids, rule)}
	must(s.PutPage(ctx, p))
	_, err := s.Begin(ctx, storetest.Attempt("a", []string{"v"}, map[string]string{"v": "Lamp"}))
	must(err)
	_, err = s.Begin(ctx, storetest.Attempt("gone", []string{"v"}, map[string]string{"v": "Gone"}))
	must(err)
	e, err := s.Get(ctx, "gone")
	must(err)
	_, err = s.Settle(ctx, store.Settlement{Record: e.Record, Forget: true, Leave: true})
	must(err)
	must(s.Mark(ctx, store.Mark{ID: "unknown", Class: store.ClassHook, At: 3}))
	must(store.ClaimAccount(ctx, s, "account"))
	must(s.SetMeta(ctx, "fact", "said"))
}

// items is all that a store exports, in one order for every engine.
func items(t *testing.T, s store.Portable) []store.Item {
	t.Helper()
	var all []store.Item
	for item, err := range s.Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(item.Value) == 0 {
			item.Value = nil
		}
		all = append(all, item)
	}
	slices.SortFunc(all, func(a, b store.Item) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Key, b.Key), cmp.Compare(a.At, b.At))
	})
	return all
}

// What a file holds comes back byte by byte when it was copied to a database and to a file again,
// and a store that holds something takes no copy.
func TestCopiesAreEqual(t *testing.T) {
	t.Parallel()
	address, dir := database(t), t.TempDir()
	file := func(name string) *bolt.Store {
		t.Helper()
		s, err := bolt.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	account := func(name string) *postgres.Store {
		t.Helper()
		s, err := postgres.Open(t.Context(), address, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	first, there, back, again := file("first"), account("there"), file("back"), account("again")
	stock(t, first)
	want := items(t, first)
	if len(want) < 4000 {
		t.Fatalf("got %d items of a store that was filled", len(want))
	}
	for _, step := range []struct {
		name     string
		from, to store.Store
	}{{"file to database", first, there}, {"database to file", there, back}, {"database to database", there, again}} {
		n, err := store.Copy(t.Context(), step.from, step.to)
		if err != nil || n != 1206 {
			t.Fatalf("%s: got %d publications, %v, want 1206", step.name, n, err)
		}
		if diff := gocmp.Diff(want, items(t, step.to.(store.Portable))); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", step.name, diff[:min(len(diff), 2000)])
		}
		if _, err := store.Copy(t.Context(), step.from, step.to); !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("%s for the second time: got %v, want %v", step.name, err, store.ErrNotEmpty)
		}
	}
	// A mark that arrives after the copy is told from those that were copied.
	e, err := there.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := there.Mark(t.Context(), store.Mark{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if now, err := there.Get(t.Context(), "a"); err != nil || now.Mark.Gen <= e.Mark.Gen {
		t.Errorf("got the generation %d, %v, want one after %d", now.Mark.Gen, err, e.Mark.Gen)
	}
}

// A copy that breaks off leaves nothing in a database.
func TestACopyThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), database(t), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken := errors.New("broken off")
	err = s.Import(t.Context(), func(yield func(store.Item, error) bool) {
		for i := range 2000 {
			if !yield(store.Item{Kind: store.ItemSeen, Key: fmt.Sprint(i)}, nil) {
				return
			}
		}
		yield(store.Item{}, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the source", err)
	}
	if left := items(t, s); len(left) > 0 {
		t.Errorf("%d items are left", len(left))
	}
}
