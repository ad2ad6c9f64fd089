// Package kvtest holds a KV to its laws. The tests of each engine call [Run].
package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

// Open opens the KV at a place, with what was written there before, or makes it.
type Open func(place string) (store.KV, error)

// The laws write to buckets whose values the KV itself does not read.
var buckets = []store.Bucket{"due", "removed"}

type place func() store.KV

// Run holds a KV to every law, and runs each function twice.
func Run(t *testing.T, open Open) {
	for name, law := range map[string]func(t *testing.T, fresh func() place){
		"a KV holds what sorted maps would hold":                  holdsItsModel,
		"a transaction is made as a whole or not at all":          writesWholly,
		"no write is lost where many are made at once":            losesNoWrite,
		"a transaction that reads sees one moment":                readsOneMoment,
		"a scan of any length meets each pair, and may write":     scansWhole,
		"after the end of its context a transaction does nothing": endsWithItsContext,
		"an empty value, a long key and a large value are kept":   keepsAnyBytes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, n := t.TempDir(), 0
			law(t, func() place {
				n++
				at := fmt.Sprintf("%s/store-%d", dir, n)
				return func() store.KV {
					kv, err := open(at)
					must(t, err)
					t.Cleanup(func() { _ = kv.Close() })
					return Twice(t, kv)
				}
			})
		})
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Twice makes Update run its function twice, as an engine may. The test fails if the runs write different values.
func Twice(t rapid.TB, kv store.KV) store.KV {
	if f, ok := kv.(store.File); ok {
		return struct {
			twice
			store.File
		}{twice{kv, t}, f}
	}
	return twice{kv, t}
}

type twice struct {
	store.KV
	t rapid.TB
}

var errAgain = errors.New("once more")

func (k twice) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	return k.KV.Update(ctx, declared, func(tx *store.Tx) error {
		var first map[store.Key][]byte
		err := tx.Try(func(tx *store.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			first = maps.Collect(tx.Writes())
			return errAgain
		})
		again := fn(tx)
		if !errors.Is(err, errAgain) || again != nil {
			return again
		}
		if second := maps.Collect(tx.Writes()); !maps.EqualFunc(first, second, bytes.Equal) {
			k.t.Errorf("a function that is run twice does not write the same: %s", cmp.Diff(first, second))
		}
		return nil
	})
}

// A write with a nil value deletes.
type write struct {
	store.Key
	value []byte
}

func holdsItsModel(t *testing.T, fresh func() place) {
	texts := rapid.SampledFrom([]string{"", "a", "b", "b\x00", "b\x00\x00", "c", "\xff", "\xff\xff", "d/é"})
	writes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) write {
		k := store.Key{Bucket: rapid.SampledFrom(buckets).Draw(t, "bucket"), Key: "k" + texts.Draw(t, "key")}
		return write{k, rapid.SampledFrom([][]byte{nil, {}, {'x'}, {0, 255}}).Draw(t, "value")}
	}), 1, 6)
	rapid.Check(t, func(t *rapid.T) {
		open := fresh()
		kv, model := open(), map[store.Key][]byte{}
		defer func() { _ = kv.Close() }()
		same := func(tx *store.Tx, model map[store.Key][]byte) {
			bucket, from, to := rapid.SampledFrom(buckets).Draw(t, "of"), texts.Draw(t, "from"), texts.Draw(t, "to")
			var keys, want, got []string
			for k, value := range model {
				if k.Bucket == bucket && k.Key >= from && (to == "" || k.Key < to) {
					keys = append(keys, k.Key)
				}
				if found, there := tx.Get(k)[k]; !there || !bytes.Equal(found, value) {
					t.Fatalf("%v: got %q, %t, want %q", k, found, there, value)
				}
			}
			slices.Sort(keys)
			for _, key := range keys {
				want = append(want, key+"="+string(model[store.Key{Bucket: bucket, Key: key}]))
			}
			for p := range tx.Scan(bucket, from, to) {
				got = append(got, p.Key+"="+string(p.Value))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("a scan of %s from %q to %q: got %q, want %q", bucket, from, to, got, want)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				must(t, kv.View(t.Context(), func(tx *store.Tx) error { same(tx, model); return nil }))
			},
			"update": func(t *rapid.T) {
				made, refused := writes.Draw(t, "writes"), rapid.IntRange(0, 3).Draw(t, "refused") == 0
				var after map[store.Key][]byte
				err := kv.Update(t.Context(), []store.Key{made[0].Key}, func(tx *store.Tx) error {
					after = maps.Clone(model)
					for _, w := range made {
						if tx.Put(w.Key, w.value); w.value == nil {
							delete(after, w.Key)
						} else {
							after[w.Key] = w.value
						}
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

func put(k string, value string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		tx.Put(store.Key{Bucket: buckets[0], Key: k}, []byte(value))
		return nil
	}
}

func held(t testing.TB, kv store.KV, b store.Bucket) (pairs []string) {
	t.Helper()
	must(t, kv.View(t.Context(), func(tx *store.Tx) error {
		pairs = nil
		for p := range tx.Scan(b, "", "") {
			pairs = append(pairs, p.Key+"="+string(p.Value))
		}
		return nil
	}))
	return pairs
}

func writesWholly(t *testing.T, fresh func() place) {
	kv := fresh()()
	must(t, kv.Update(t.Context(), nil, put("a", "1")))
	func() {
		defer func() {
			if p := recover(); p != "a caller's own" {
				t.Errorf("the panic came back as %v", p)
			}
		}()
		_ = kv.Update(t.Context(), nil, func(tx *store.Tx) error { //nolint:errcheck // it panics
			_ = put("a", "2")(tx) //nolint:errcheck // never fails
			panic("a caller's own")
		})
	}()
	must(t, kv.Update(t.Context(), nil, put("b", "1")))
	if got, want := held(t, kv, buckets[0]), []string{"a=1", "b=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func losesNoWrite(t *testing.T, fresh func() place) {
	kv := fresh()()
	const writers, each = 8, 10
	k := store.Key{Bucket: buckets[0], Key: "n"}
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				if err := kv.Update(t.Context(), []store.Key{k}, func(tx *store.Tx) error {
					tx.Put(k, append(slices.Clone(tx.Get(k)[k]), 'x'))
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, want := held(t, kv, k.Bucket), "n="+strings.Repeat("x", writers*each); !slices.Equal(got, []string{want}) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func readsOneMoment(t *testing.T, fresh func() place) {
	kv := fresh()()
	write := func(value string) error {
		return kv.Update(t.Context(), nil, func(tx *store.Tx) error {
			return errors.Join(put("a", value)(tx), put("b", value)(tx))
		})
	}
	must(t, write("before"))
	written, begin := make(chan error, 1), sync.Once{}
	must(t, kv.View(t.Context(), func(tx *store.Tx) error {
		first := tx.Get(store.Key{Bucket: buckets[0], Key: "a"})
		begin.Do(func() { go func() { written <- write("after") }() })
		for p := range tx.Scan(buckets[0], "b", "") {
			if string(p.Value) != string(first[store.Key{Bucket: buckets[0], Key: "a"}]) {
				t.Errorf("a reader met %q beside %q", p.Value, first)
			}
		}
		return nil
	}))
	must(t, <-written)
}

func scansWhole(t *testing.T, fresh func() place) {
	kv := fresh()()
	const n = 700
	must(t, kv.Update(t.Context(), nil, func(tx *store.Tx) error {
		for i := range n {
			tx.Put(store.Key{Bucket: buckets[0], Key: fmt.Sprintf("%04d", i)}, []byte("x"))
		}
		return nil
	}))
	must(t, kv.Update(t.Context(), nil, func(tx *store.Tx) error {
		met := 0
		for p := range tx.Scan(buckets[0], "", "1") {
			if met++; met%2 == 0 {
				tx.Put(store.Key{Bucket: buckets[0], Key: p.Key}, nil)
			}
		}
		if met != n {
			t.Errorf("met %d pairs, want %d", met, n)
		}
		return nil
	}))
	if got := held(t, kv, buckets[0]); len(got) != n/2 || got[1] != "0002=x" {
		t.Errorf("%d pairs are left, want %d, every second one", len(got), n/2)
	}
}

func endsWithItsContext(t *testing.T, fresh func() place) {
	kv := fresh()()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := kv.Update(ended, nil, put("a", "1")); !store.Stopped(err) {
		t.Errorf("Update: got %v, want the context's error", err)
	}
	if err := kv.View(ended, func(*store.Tx) error { return nil }); !store.Stopped(err) {
		t.Errorf("View: got %v, want the context's error", err)
	}
	if got := held(t, kv, buckets[0]); len(got) > 0 {
		t.Errorf("got %q, want nothing written", got)
	}
}

func keepsAnyBytes(t *testing.T, fresh func() place) {
	open := fresh()
	kv := open()
	want := map[string]string{
		strings.Repeat("k", store.MaxID): "1", "\x00": "2", "\xff\xfe": "3", "empty": "",
		"large": strings.Repeat("\x00\xff", 1<<18),
	}
	for k, value := range want {
		must(t, kv.Update(t.Context(), nil, put(k, value)))
	}
	must(t, kv.Close())
	var pairs []string
	for k, value := range want {
		pairs = append(pairs, k+"="+value)
	}
	if got := held(t, open(), buckets[0]); !slices.Equal(got, slices.Sorted(slices.Values(pairs))) {
		t.Errorf("%d of %d pairs are held as they were written", len(got), len(pairs))
	}
}
