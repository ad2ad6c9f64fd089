package store_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// An opener opens the KV at a place, with what was written there before, or makes it.
type opener func(place string) (store.KV, error)

// Every kind of KV keeps every law, and each function of an update runs twice.
func TestLaws(t *testing.T) {
	for kind, engine := range map[string]func(*testing.T) opener{
		"memory":   func(*testing.T) opener { return inMemory() },
		"bolt":     func(*testing.T) opener { return kvOf(bolt.Open) },
		"postgres": inPostgres,
	} {
		t.Run(kind, func(t *testing.T) {
			open := engine(t)
			for law, holds := range map[string]func(t *testing.T, fresh func() func() store.KV){
				"a KV holds what sorted maps would hold":                  holdsItsModel,
				"a transaction is made as a whole or not at all":          writesWholly,
				"no write is lost where many are made at once":            losesNoWrite,
				"a transaction that reads sees one moment":                readsOneMoment,
				"a scan of any length meets each pair, and may write":     scansWhole,
				"after the end of its context a transaction does nothing": endsWithItsContext,
				"an empty value, a long key and a large value are kept":   keepsAnyBytes,
			} {
				t.Run(law, func(t *testing.T) {
					t.Parallel()
					dir, n := t.TempDir(), 0
					holds(t, func() func() store.KV {
						n++
						at := fmt.Sprintf("%s/store-%d", dir, n)
						return func() store.KV {
							kv, err := open(at)
							must(t, err)
							t.Cleanup(func() { _ = kv.Close() })
							return postgrestest.Twice(t, kv)
						}
					})
				})
			}
		})
	}
}

func kvOf(open func(place string) (store.Store, error)) opener {
	return func(place string) (store.KV, error) {
		s, err := open(place)
		return s.KV, err
	}
}

func inMemory() opener {
	var places sync.Map
	return func(place string) (store.KV, error) {
		kv, _ := places.LoadOrStore(place, store.InMemory().KV)
		return kv.(*store.Memory), nil
	}
}

// inPostgres opens places as the accounts of one database.
func inPostgres(t *testing.T) opener {
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	must(t, checks.Set("5")) // each step is many round trips
	t.Cleanup(func() { must(t, checks.Set(was)) })
	address := postgrestest.Start(t).Create(t, "laws")
	return kvOf(func(place string) (store.Store, error) { return postgres.Open(t.Context(), address, place, "") })
}

// The laws write to buckets whose values the KV itself does not read.
var lawful = []store.Bucket{"due", "removed"}

func holdsItsModel(t *testing.T, fresh func() func() store.KV) {
	texts := rapid.SampledFrom([]string{"", "a", "b", "b\x00", "b\x00\x00", "c", "\xff", "\xff\xff", "d/é"})
	keys := rapid.Custom(func(t *rapid.T) store.Key {
		return store.Key{Bucket: rapid.SampledFrom(lawful).Draw(t, "bucket"), Key: "k" + texts.Draw(t, "key")}
	})
	writes := rapid.MapOfN(keys, rapid.SampledFrom([][]byte{nil, {}, {'x'}, {0, 255}}), 1, 6) // nil deletes
	rapid.Check(t, func(t *rapid.T) {
		open := fresh()
		kv, model := open(), map[store.Key][]byte{}
		defer func() { _ = kv.Close() }()
		same := func(tx *store.Tx, model map[store.Key][]byte) {
			bucket, from, to := rapid.SampledFrom(lawful).Draw(t, "of"), texts.Draw(t, "from"), texts.Draw(t, "to")
			if got := tx.Get(slices.Collect(maps.Keys(model))...); !maps.EqualFunc(got, model, bytes.Equal) {
				t.Fatalf("got %q, want %q", got, model)
			}
			var want, got []store.Pair
			for k, value := range model {
				if k.Bucket == bucket && k.Key >= from && (to == "" || k.Key < to) {
					want = append(want, store.Pair{Key: k.Key, Value: value})
				}
			}
			slices.SortFunc(want, func(a, b store.Pair) int { return strings.Compare(a.Key, b.Key) })
			for p := range tx.Scan(bucket, from, to) {
				got = append(got, p)
			}
			if !cmp.Equal(got, want) {
				t.Fatalf("a scan of %s from %q to %q: got %q, want %q", bucket, from, to, got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				must(t, kv.View(t.Context(), func(tx *store.Tx) error { same(tx, model); return nil }))
			},
			"update": func(t *rapid.T) {
				made, refused := writes.Draw(t, "writes"), rapid.IntRange(0, 3).Draw(t, "refused") == 0
				after := maps.Clone(model)
				maps.Copy(after, made)
				maps.DeleteFunc(after, func(_ store.Key, value []byte) bool { return value == nil })
				err := kv.Update(t.Context(), slices.Collect(maps.Keys(made))[:1], func(tx *store.Tx) error {
					for k, value := range made {
						tx.Put(k, value)
					}
					if same(tx, after); refused {
						return store.ErrNotEmpty
					}
					return nil
				})
				if refused != errors.Is(err, store.ErrNotEmpty) || !refused && err != nil {
					t.Fatalf("an update that is refused %t: got %v", refused, err)
				}
				if !refused {
					model = after
				}
			},
			"reopen": func(t *rapid.T) {
				must(t, kv.Close())
				kv = open()
			},
		})
	})
}

func put(k, value string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		tx.Put(store.Key{Bucket: lawful[0], Key: k}, []byte(value))
		return nil
	}
}

// held fails the test unless the KV holds these pairs of key and value, in their order.
func held(t testing.TB, kv store.KV, want ...string) {
	t.Helper()
	var got []string
	must(t, kv.View(t.Context(), func(tx *store.Tx) error {
		got = nil
		for p := range tx.Scan(lawful[0], "", "") {
			got = append(got, p.Key, string(p.Value))
		}
		return nil
	}))
	if !slices.Equal(got, want) {
		t.Errorf("got %.300q, want %.300q", got, want)
	}
}

func writesWholly(t *testing.T, fresh func() func() store.KV) {
	kv := fresh()()
	must(t, kv.Update(t.Context(), nil, put("a", "1")))
	func() {
		defer func() {
			if p := recover(); p != "a caller's own" {
				t.Errorf("the panic came back as %v", p)
			}
		}()
		_ = kv.Update(t.Context(), nil, func(tx *store.Tx) error {
			_ = put("a", "2")(tx)
			panic("a caller's own")
		})
	}()
	must(t, kv.Update(t.Context(), nil, put("b", "1")))
	held(t, kv, "a", "1", "b", "1")
}

func losesNoWrite(t *testing.T, fresh func() func() store.KV) {
	kv := fresh()()
	const writers, each = 8, 10
	k := store.Key{Bucket: lawful[0], Key: "n"}
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				if err := kv.Update(t.Context(), []store.Key{k}, func(tx *store.Tx) error {
					return put(k.Key, string(tx.Get(k)[k])+"x")(tx)
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	held(t, kv, "n", strings.Repeat("x", writers*each))
}

func readsOneMoment(t *testing.T, fresh func() func() store.KV) {
	kv, a := fresh()(), store.Key{Bucket: lawful[0], Key: "a"}
	write := func(value string) error {
		return kv.Update(t.Context(), nil, func(tx *store.Tx) error {
			return errors.Join(put("a", value)(tx), put("b", value)(tx))
		})
	}
	must(t, write("before"))
	written, begin := make(chan error, 1), sync.Once{}
	must(t, kv.View(t.Context(), func(tx *store.Tx) error {
		first := tx.Get(a)[a]
		begin.Do(func() { go func() { written <- write("after") }() })
		for p := range tx.Scan(a.Bucket, "b", "") {
			if !bytes.Equal(p.Value, first) {
				t.Errorf("a reader met %q beside %q", p.Value, first)
			}
		}
		return nil
	}))
	must(t, <-written)
}

func scansWhole(t *testing.T, fresh func() func() store.KV) {
	kv := fresh()()
	const n = 700
	var odd []string
	must(t, kv.Update(t.Context(), nil, func(tx *store.Tx) error {
		odd = nil
		for i := range n {
			key := fmt.Sprintf("%04d", i)
			if _ = put(key, "x")(tx); i%2 != 0 {
				odd = append(odd, key, "x")
			}
		}
		return nil
	}))
	must(t, kv.Update(t.Context(), nil, func(tx *store.Tx) error {
		met := 0
		for p := range tx.Scan(lawful[0], "", "1") {
			if met++; met%2 != 0 {
				tx.Put(store.Key{Bucket: lawful[0], Key: p.Key}, nil)
			}
		}
		if met != n {
			t.Errorf("met %d pairs, want %d", met, n)
		}
		return nil
	}))
	held(t, kv, odd...)
}

func endsWithItsContext(t *testing.T, fresh func() func() store.KV) {
	kv := fresh()()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := kv.Update(ended, nil, put("a", "1")); !store.Stopped(err) {
		t.Errorf("Update: got %v, want the context's error", err)
	}
	if err := kv.View(ended, func(*store.Tx) error { return nil }); !store.Stopped(err) {
		t.Errorf("View: got %v, want the context's error", err)
	}
	held(t, kv)
}

func keepsAnyBytes(t *testing.T, fresh func() func() store.KV) {
	open := fresh()
	kv := open()
	pairs := []string{
		"\x00", "2", "empty", "", strings.Repeat("k", store.MaxID), "1", "large", strings.Repeat("\x00\xff", 1<<18),
		"\xff\xfe", "3",
	}
	for pair := range slices.Chunk(pairs, 2) {
		must(t, kv.Update(t.Context(), nil, put(pair[0], pair[1])))
	}
	must(t, kv.Close())
	held(t, open(), pairs...)
}

// A plan sees the store as it was when the plan began, and changes nothing of it.
func TestOver(t *testing.T) {
	t.Parallel()
	s := store.InMemory()
	live := func(e *store.Entry) {
		e.Record.State = store.StateLive
		e.Tell(store.Event{What: "seen"})
	}
	change(t, s, "a", live)
	over, err := store.Over(t.Context(), s)
	must(t, err)
	change(t, s, "b", live)
	change(t, over, "a", func(e *store.Entry) { e.Record.State = store.StateHeld })
	if e := get(t, over, "b"); e.Known {
		t.Error("the plan sees what came later")
	}
	if e := get(t, s, "a"); e.Record.State != store.StateLive {
		t.Errorf("the plan made the record %s", e.Record.State)
	}
	if e := get(t, over, "a"); e.Record.State != store.StateHeld {
		t.Errorf("the plan has the record %s", e.Record.State)
	}
}
