package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// openLarge opens a store as if it were a large one: by its structure.
func openLarge(path string) (*Store, error) { return openAs(path, 0) }

// Check finds the damage that the opening of a large store does not look for, on an open store too.
// Reading before that never panics, hangs, or is silently wrong.
func TestFlippedBitsOfALargeStore(t *testing.T) {
	sound := sampleFile(t)
	path := filepath.Join(t.TempDir(), "store.db")
	used := usedBytes(t, sound)
	const seed, flips = 17, 200
	r := rand.New(rand.NewPCG(seed, seed))
	atOpen, found := 0, 0
	for i := range flips {
		at := used[r.IntN(len(used))]
		if i%4 == 0 {
			at = at/os.Getpagesize()*os.Getpagesize() + r.IntN(64)
		}
		damaged := slices.Clone(sound)
		damaged[at] ^= 1 << r.IntN(8)
		must(t, os.WriteFile(path, damaged, 0o600))
		whole, err := Open(path)
		if err == nil {
			must(t, whole.Close())
		}
		hidden := errors.Is(err, store.ErrCorrupt)
		must(t, os.WriteFile(path, damaged, 0o600))
		s, err := openLarge(path)
		if err != nil {
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("flip %d of seed %d, in byte %d: %v", i, seed, at, err)
			}
			atOpen++
			continue
		}
		err = s.Check(t.Context())
		if hidden != (err != nil) && !inFreelist(damaged, at) || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf(
				"flip %d of seed %d, in byte %d: a check of the open store says %v, Open finds it: %t",
				i,
				seed,
				at,
				err,
				hidden,
			)
		}
		if err != nil {
			found++
		}
		if err := errors.Join(read(t.Context(), s), s.Close()); err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("flip %d of seed %d, in byte %d: read: %v", i, seed, at, err)
		}
	}
	if found < flips/4 || atOpen == 0 {
		t.Errorf("of %d flipped bits %d were found at once and %d by a check", flips, atOpen, found)
	}
}

// inFreelist reports whether a place in a file is of its list of free pages, which an open store
// has read already.
func inFreelist(data []byte, at int) bool {
	page := at / os.Getpagesize() * os.Getpagesize()
	return binary.NativeEndian.Uint16(data[page+8:]) == flagFreelist || at < 2*os.Getpagesize()
}

// read reads all that a store holds.
func read(ctx context.Context, s *Store) error {
	for _, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil {
			return err
		}
	}
	for _, err := range store.Marks(ctx, s, store.DueQuery{Classes: store.AllClasses, To: store.Latest}) {
		if err != nil {
			return err
		}
	}
	_, err := s.Backlog(ctx, store.Latest/2)
	return err
}

func TestLargeStoreKeepsItsCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	must(t, os.WriteFile(path, sampleFile(t), 0o600))
	whole := reopen(t, path)
	want := countsOf(t.Context(), whole)
	settle(t, whole, store.Settlement{Record: store.Record{ID: "one more", State: store.StateHeld}})
	want[store.StateHeld]++
	must(t, whole.Close())
	s, err := openLarge(path)
	must(t, err)
	defer s.Close()
	if got := countsOf(t.Context(), s); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	must(t, s.Check(t.Context()))
}

// Counts that do not fit the records are damage: with them the whole of a store is checked.
func TestWrongCountsAreFound(t *testing.T) {
	s := newStore(t)
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", State: store.StateLive}})
	must(t, s.write(t.Context(), func(tx *tree) error { return putFact(bucket(tx, bucketMeta), metaCounts, "2 live\n") }))
	if err := s.Check(t.Context()); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("check: %v", err)
	}
	must(t, s.Close())
	if _, err := Open(s.path); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("open: %v", err)
	}
}

// A key of the due set whose mark does not agree is damage, where it is met.
func TestADueKeyWithoutItsMark(t *testing.T) {
	for name, key := range map[string][]byte{
		"of nobody":     dueKey(store.Mark{ID: "nobody"}),
		"another time":  dueKey(store.Mark{ID: "a", At: 5}),
		"another class": dueKey(store.Mark{ID: "a", Class: store.ClassSweep}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			must(t, s.Mark(t.Context(), store.Mark{ID: "a", At: 7}))
			must(t, s.write(t.Context(), func(tx *tree) error {
				return errors.Join(
					bucket(tx, bucketDue).Delete(dueKey(store.Mark{ID: "a", At: 7})),
					bucket(tx, bucketDue).Put(key, nil),
				)
			}))
			if _, _, err := s.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: store.At(start)}); !errors.Is(
				err,
				store.ErrCorrupt,
			) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A check runs beside writers, and finds a store sound that changes under it.
func TestCheckBesideWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	must(t, os.WriteFile(path, sampleFile(t), 0o600))
	s := reopen(t, path)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			id := catalogue{}.id("pub", i%120)
			_, err = store.Update(t.Context(), s, func(_ *store.Report, w *store.Settlement) bool {
				w.Record.Title, w.Record.ShopState = "again", bytes.Repeat([]byte{byte(i)}, i%5000)
				w.Next = &store.Mark{Class: store.ClassSweep, At: store.Instant(i)}
				return true
			}, id)
		}
		done <- err
	}()
	for range 30 {
		must(t, s.Check(t.Context()))
	}
	close(stop)
	must(t, <-done)
}

// BenchmarkOpen is how long a store of so many records takes to open, and to be checked as a whole.
func BenchmarkOpen(b *testing.B) {
	const n = 100_000
	path := filepath.Join(b.TempDir(), "store.db")
	s, err := Open(path)
	must(b, err)
	s.db.NoSync = true
	c := catalogue{rand: rand.New(rand.NewPCG(1, 2))}
	for from := 0; from < n; from += 2000 {
		ids := make([]string, 2000)
		for i := range ids {
			ids[i] = c.id("pub", from+i)
		}
		must(
			b,
			s.PutPage(b.Context(),
				store.Page{
					Name: "full",
					Changes: store.Each(ids, func(i int, _ bool, _ *store.Report, w *store.Settlement) bool {
						w.Record = c.record(from + i)
						w.Next = &store.Mark{Class: store.ClassRefresh, Cause: store.CauseRefresh, At: w.Record.ReadAt}
						return true
					}),
				},
			),
		)
	}
	must(b, s.db.Sync())
	must(b, s.Close())
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(path)
			must(b, err)
			b.StopTimer()
			must(b, s.Close())
			b.StartTimer()
		}
	})
	b.Run("check", func(b *testing.B) {
		s, err := Open(path)
		must(b, err)
		defer s.Close()
		for b.Loop() {
			must(b, s.Check(b.Context()))
		}
		b.ReportMetric(float64(s.Size()), "bytes")
	})
}
