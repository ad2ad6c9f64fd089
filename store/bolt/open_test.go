package bolt

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// BenchmarkOpen is how long a store of so many records takes to open, and to be checked as a whole.
func BenchmarkOpen(b *testing.B) {
	const n = 100_000
	path := filepath.Join(b.TempDir(), "store.db")
	s, err := openAt(path)
	must(b, err)
	s.db.NoSync = true
	c := catalogue{rand: rand.New(rand.NewPCG(1, 2))}
	for from := 0; from < n; from += 2000 {
		ids := make([]string, 2000)
		for i := range ids {
			ids[i] = c.id("pub", from+i)
		}
		must(b, s.PutPage(b.Context(), store.Page{
			Name: "full", IDs: ids, Change: func(i int, e *store.Entry) bool {
				e.Record = c.record(from + i)
				e.Mark = &store.Mark{Class: store.ClassRefresh, At: e.Record.ReadAt}
				return true
			},
		}))
	}
	must(b, s.db.Sync())
	must(b, s.Close())
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := openAt(path)
			must(b, err)
			b.StopTimer()
			must(b, s.Close())
			b.StartTimer()
		}
	})
	b.Run("check", func(b *testing.B) {
		s, err := openAt(path)
		must(b, err)
		defer s.Close()
		for b.Loop() {
			must(b, s.Check(b.Context()))
		}
		b.ReportMetric(float64(s.Size()), "bytes")
	})
}
