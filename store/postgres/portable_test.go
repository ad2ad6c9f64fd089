//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
)

// contents is all that a store holds but for the form in which it is kept.
func contents(t *testing.T, kv store.KV) (all []string) {
	t.Helper()
	err := kv.View(t.Context(), func(tx *store.Tx) error {
		all = nil
		for _, b := range store.Buckets {
			for p := range tx.Scan(b, "", "") {
				if (store.Key{Bucket: b, Key: p.Key}) != store.SchemaKey {
					all = append(all, fmt.Sprintf("%s %q %x", b, p.Key, p.Value))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// stock puts one of everything into a store, and returns how many publications it knows.
func stock(t *testing.T, s store.Store) (publications int) {
	t.Helper()
	ids := []string{"a", "b", "c\x00d", "\xff"}
	for i := range 600 {
		ids = append(ids, fmt.Sprint("many", i))
	}
	change := func(i int, e *store.Entry) bool {
		e.Record.State, e.Record.Sale, e.Record.Product = store.StateLive, store.OnSale, fmt.Sprint("product", i)
		e.Record.Holds = []store.Hold{{Kind: store.HoldPrice, Since: store.Instant(i)}}
		e.Mark = &store.Mark{Class: store.ClassSweep, At: store.Instant(i)}
		e.Hint = &store.Mark{Class: store.ClassHint, At: store.Instant(i % 3)}
		e.Owed = &store.Report{Status: store.StatusFailed, Tries: i % 3, Refused: []string{"", "no", "no"}[i%3]}
		e.Removed, e.Record.Removal.At = i < 3, store.Instant(7*i)
		for n := range store.Instant(14) {
			e.Tell(store.Event{At: n, What: fmt.Sprint("event ", n)})
		}
		return true
	}
	p := store.Page{Name: "full", Cursor: store.Cursor{Value: "c"}, Seen: true, IDs: ids, Change: change}
	begun := s.Begin(t.Context(), "a", nil, func(e *store.Entry, _ map[string]string) error {
		e.Record.State, e.Record.Claims = store.StatePending, []string{"Lamp"}
		return nil
	})
	_, left := s.Change(t.Context(), []string{"left"}, func(e *store.Entry) bool {
		e.Record.State, e.Record.Claims = store.StatePending, []string{"Left"}
		return true
	})
	_, forgotten := s.Change(t.Context(), []string{"left"}, func(e *store.Entry) bool {
		e.Forget, e.Leave = true, true
		return true
	})
	err := errors.Join(begun, left, forgotten, s.PutPage(t.Context(), p), store.ClaimAccount(t.Context(), s, "account"))
	if err != nil {
		t.Fatal(err)
	}
	return len(ids)
}

// A copy has everything, from a file to a database and back, and nothing is copied into what holds
// something.
func TestCopiesAreEqual(t *testing.T) {
	t.Parallel()
	file := func(name string) store.Store {
		s, err := bolt.Open(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	remote, err := postgres.Open(t.Context(), database(t), "copied", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remote.Close() })
	first, back := file("first"), file("back")
	n := stock(t, first)
	for _, leg := range []struct {
		name     string
		from, to store.Store
	}{{"file to database", first, remote}, {"database to file", remote, back}} {
		if got, err := store.Copy(t.Context(), leg.from, leg.to); got != n || err != nil {
			t.Fatalf("%s: got %d publications, %v, want %d", leg.name, got, err, n)
		}
		if diff := cmp.Diff(contents(t, leg.from), contents(t, leg.to)); diff != "" {
			t.Errorf("%s (-from +to):\n%s", leg.name, diff)
		}
	}
	if _, err := store.Copy(t.Context(), first, remote); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("into a store that holds something: got %v, want ErrNotEmpty", err)
	}
}

// A copy that breaks off says so, and takes no other.
func TestACopyThatBreaksOffIsRefused(t *testing.T) {
	t.Parallel()
	from, to := store.InMemory(), store.InMemory()
	stock(t, from)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := store.Copy(ctx, from, store.Store{KV: breaking{to.KV, cancel}}); err == nil {
		t.Fatal("a copy that breaks off is no error")
	}
	if err := to.Whole(t.Context()); !errors.Is(err, store.ErrHalf) {
		t.Errorf("half a copy: got %v, want ErrHalf", err)
	}
	if _, err := store.Copy(t.Context(), from, to); !errors.Is(err, store.ErrHalf) {
		t.Errorf("once more: got %v, want ErrHalf", err)
	}
}

// A breaking store ends the copy with its second page of publications.
type breaking struct {
	store.KV
	end func()
}

func (b breaking) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	return b.KV.Update(ctx, declared, func(tx *store.Tx) error {
		err := fn(tx)
		for k := range tx.Writes() {
			if k.Bucket == "publication" {
				b.end()
			}
		}
		return err
	})
}
