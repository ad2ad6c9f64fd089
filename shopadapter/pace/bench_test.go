package pace

import (
	"testing"
	"time"
)

func BenchmarkReserveSettle(b *testing.B) {
	p := New(Options{Limit: 1e12, RestoreRate: 1e12})
	time.Sleep(time.Millisecond)
	status := &Status{Limit: 1e12, Remaining: 1e12, RestoreRate: 1e12}
	b.ReportAllocs()
	for b.Loop() {
		r, err := p.Reserve(b.Context(), requested, 1)
		if err != nil {
			b.Fatal(err)
		}
		r.Settle(actual, status)
	}
}
