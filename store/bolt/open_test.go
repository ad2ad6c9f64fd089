package bolt

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

func TestAStoreKeepsItsCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	must(t, os.WriteFile(path, sampleFile(t), 0o600))
	whole := reopen(t, path)
	want := countsOf(t.Context(), whole)
	settle(t, whole, store.Settlement{Record: store.Record{ID: "one more", State: store.StateHeld}})
	want[store.StateHeld]++
	must(t, whole.Close())
	s, err := Open(path)
	must(t, err)
	defer s.Close()
	if got := countsOf(t.Context(), s); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	must(t, s.Check(t.Context()))
}

// A key of the due set whose mark does not agree is damage, where it is met.
func TestADueKeyWithoutItsMark(t *testing.T) {
	for name, key := range map[string]string{
		"of nobody":     dueKey(store.Mark{ID: "nobody"}),
		"another time":  dueKey(store.Mark{ID: "a", At: 5}),
		"another class": dueKey(store.Mark{ID: "a", Class: store.ClassSweep}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			must(t, s.Mark(t.Context(), store.Mark{ID: "a", At: 7}))
			must(t, s.Update(t.Context(), nil, func(tx *keyed.Tx) error {
				tx.Put(keyed.Key{Bucket: "due", Key: dueKey(store.Mark{ID: "a", At: 7})}, nil)
				tx.Put(keyed.Key{Bucket: "due", Key: key}, []byte{})
				return nil
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

// dueKey is the key of a mark in the due set.
func dueKey(m store.Mark) string {
	return string([]byte{byte(m.Class), 0, 0, 0, 0, 0, 0, 0, byte(m.At)}) + m.ID
}
