package bolt

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// What a look costs the store in a catalogue of 20,000: a publication on sale that is settled as it
// was, and one that enters the store, is sent to the shop and settled.
func BenchmarkSettle(b *testing.B) {
	const n = 20_000
	ids := catalogue{rand: rand.New(rand.NewPCG(1, 2))}
	b.Run("live", func(b *testing.B) {
		s := newStore(b)
		s.db.NoSync = true
		catalogue{rand: rand.New(rand.NewPCG(1, 2))}.fill(b, s, n)
		next := &store.Mark{Class: store.ClassRefresh, At: store.At(start.Add(48 * time.Hour))}
		records := make([]store.Record, n)
		for i := range records {
			records[i] = ids.record(i)
		}
		b.ResetTimer()
		for i := range b.N {
			r := records[i%n]
			r.ReadAt++
			change(b, s, r.ID, func(e *store.Entry) { e.Record, e.Mark = r, next })
		}
	})
	b.Run("import", func(b *testing.B) {
		s := newStore(b)
		s.db.NoSync = true
		catalogue{rand: rand.New(rand.NewPCG(1, 2))}.fill(b, s, b.N)
	})
}
