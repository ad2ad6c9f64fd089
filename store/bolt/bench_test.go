package bolt

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
	"go.etcd.io/bbolt"
)

// Marks by so many writers at a time, and the same two puts by as many with a bbolt transaction
// each: what the group commit costs a lone writer, and what it gains many. x-bare is how many times
// as fast the store is. Both begin with 5,000 marks.
func BenchmarkMark(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			s, bare := newStore(b), newBare(b)
			const before = 5000
			marks := make([]store.Mark, before+b.N)
			for i := range marks {
				marks[i] = store.Mark{
					ID:    fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15),
					Class: store.ClassHook,
					Cause: store.CauseSigned,
					At:    after(time.Duration(i)),
				}
			}
			must(b, s.Mark(b.Context(), marks[:before]...))
			must(b, putBare(bare, marks[:before]...))
			marks = marks[before:]

			n := min(b.N, 5000)
			begin := time.Now()
			drive(b, writers, n, func(i int) error { return putBare(bare, marks[i]) })
			theirs := time.Since(begin) / time.Duration(n)
			b.ResetTimer()
			drive(b, writers, b.N, func(i int) error { return s.Mark(b.Context(), marks[i]) })
			b.ReportMetric(float64(theirs)*float64(b.N)/float64(b.Elapsed()), "x-bare")
		})
	}
}

func newBare(b *testing.B) *bbolt.DB {
	b.Helper()
	db, err := bbolt.Open(
		filepath.Join(b.TempDir(), "bare.db"),
		0o600,
		&bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: mapSize},
	)
	must(b, err)
	b.Cleanup(func() { must(b, db.Close()) })
	return db
}

func putBare(db *bbolt.DB, marks ...store.Mark) error {
	value := []byte(strings.Repeat("x", 20))
	return db.Update(func(tx *bbolt.Tx) error {
		byID, err := tx.CreateBucketIfNotExists([]byte("mark"))
		if err != nil {
			return err
		}
		due, err := tx.CreateBucketIfNotExists([]byte("due"))
		if err != nil {
			return err
		}
		for _, m := range marks {
			if err := byID.Put([]byte(m.ID), value); err != nil {
				return err
			}
			if err := due.Put([]byte(dueKey(m)), nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// drive has writers do n things between them.
func drive(b *testing.B, writers, n int, do func(i int) error) {
	b.Helper()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < n; i += writers {
				if err := do(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCodec(b *testing.B) {
	r := sample(1)
	data, err := value.Encode(r.ID, r)
	must(b, err)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			_, err := value.Encode(r.ID, r)
			must(b, err)
		}
		b.ReportMetric(float64(len(data)), "bytes")
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			var read store.Record
			must(b, value.Decode("record", r.ID, data, &read))
		}
	})
}
