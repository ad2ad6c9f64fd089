//go:build unix

package postgres_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// What the methods of a look cost in PostgreSQL, beside the file: so many callers at a time, in a
// catalogue of 5,000 publications, on a server of this machine that syncs each commit. x-bolt is
// how many times as long a call takes as with the file, in the same run.
func BenchmarkBesideBolt(b *testing.B) {
	const n, warm = 5000, 200
	server := postgrestest.Start(b, true)
	remote, err := postgres.Open(b.Context(), server.Create(b, "bench"), "default")
	if err != nil {
		b.Fatal(err)
	}
	defer remote.Close()
	file, err := bolt.Open(filepath.Join(b.TempDir(), "pubsync.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
	}
	record := func(i int) store.Record {
		r := store.Record{ID: ids[i%n], State: store.StateLive, Sale: store.OnSale, Title: "A lamp of some kind"}
		r.ReadAt = store.Instant(i)
		for v := range 3 {
			r.Variants = append(r.Variants, store.Variant{
				ID: fmt.Sprint("v", v), SKU: fmt.Sprint(r.ID, v),
				Written: store.Written{Price: "19.95", Cost: "10.00", Quantity: i % 50},
			})
		}
		return r
	}
	next := &store.Mark{Class: store.ClassRefresh, At: 1 << 40}
	calls := map[string]func(s store.Store, i int) error{
		"settle": func(s store.Store, i int) error {
			r := record(i)
			_, err := s.Change(b.Context(), []string{r.ID}, func(e *store.Entry) bool {
				e.Record, e.Mark = r, next
				return true
			})
			return err
		},
		"mark": func(s store.Store, i int) error {
			return s.Mark(b.Context(), store.Mark{ID: ids[i%n], Class: store.ClassHook, At: store.Instant(i + 1)})
		},
		"due": func(s store.Store, _ int) error {
			_, _, err := s.Due(b.Context(), store.DueQuery{Classes: store.AllClasses, To: store.Latest, Limit: 16})
			return err
		},
		"get": func(s store.Store, i int) error { _, err := s.Get(b.Context(), ids[i%n]); return err },
	}
	for _, s := range []store.Store{remote, file} {
		drive(b, 16, n, func(i int) error { return calls["settle"](s, i) })
	}
	for _, name := range []string{"settle", "mark", "due", "get"} {
		for _, callers := range []int{1, 16} {
			b.Run(fmt.Sprint(name, "/callers=", callers), func(b *testing.B) {
				drive(b, callers, warm, func(i int) error { return calls[name](remote, i) })
				begun := time.Now()
				drive(b, callers, min(b.N, n), func(i int) error { return calls[name](file, i) })
				beside := time.Since(begun) / time.Duration(min(b.N, n))
				b.ResetTimer()
				drive(b, callers, b.N, func(i int) error { return calls[name](remote, i) })
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(max(beside, 1)), "x-bolt")
			})
		}
	}
	b.Run("accept/callers=64", func(b *testing.B) {
		d, err := postgres.Connect(b.Context(), server.URL("bench"))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		s, err := d.Store(b.Context(), "default")
		if err != nil {
			b.Fatal(err)
		}
		drive(b, 64, b.N, func(i int) error {
			return s.Mark(b.Context(), store.Mark{ID: ids[i%n], Class: store.ClassHook, At: store.Instant(i + 1)})
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "webhooks/s")
	})
}

// drive has callers do n things between them.
func drive(b *testing.B, callers, n int, do func(i int) error) {
	b.Helper()
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := c; i < n; i += callers {
				if err := do(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
