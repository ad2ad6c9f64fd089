//go:build unix

package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// What a look and a webhook cost in PostgreSQL, on a server of this machine that syncs each commit:
// so many callers at a time, in a catalogue of 5,000 publications.
func BenchmarkCalls(b *testing.B) {
	const n = 5000
	server := postgrestest.Start(b)
	address := server.Create(b, "bench")
	server.Ask(b, "bench", "alter system set fsync = on")
	server.Ask(b, "bench", "select pg_reload_conf()")
	s, err := postgres.Open(b.Context(), address, "default", "")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	d, err := postgres.Connect(b.Context(), address)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	door := d.Store("default")
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
	}
	settle := func(i int) error {
		r := store.Record{ID: ids[i%n], State: store.StateLive, Sale: store.OnSale, Title: "A lamp of some kind"}
		r.ReadAt = store.Instant(i)
		for v := range 3 {
			r.Variants = append(r.Variants, store.Variant{
				ID: fmt.Sprint("v", v), SKU: fmt.Sprint(r.ID, v),
				Written: store.Written{Price: "19.95", Cost: "10.00", Quantity: i % 50},
			})
		}
		_, err := s.Change(b.Context(), []string{r.ID}, func(e *store.Entry) bool {
			e.Record, e.Mark = r, &store.Mark{Class: store.ClassRefresh, At: 1 << 40}
			return true
		})
		return err
	}
	drive(b, 16, n, settle)
	for _, call := range []struct {
		name    string
		callers int
		do      func(i int) error
	}{
		{"settle", 1, settle},
		{"settle", 16, settle},
		{"accept", 64, func(i int) error {
			return door.Mark(b.Context(), store.Mark{ID: ids[i%n], Class: store.ClassHook, At: store.Instant(i + 1)})
		}},
	} {
		b.Run(fmt.Sprint(call.name, "/callers=", call.callers), func(b *testing.B) {
			drive(b, call.callers, b.N, call.do)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
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
