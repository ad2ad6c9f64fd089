package pace

import (
	"sync"
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

// BenchmarkUtilisation runs four workers in real time against a bucket refilled at 10,000 points a
// second. It reports the share of the restore rate that was used, and the refusals.
func BenchmarkUtilisation(b *testing.B) {
	const rate = 10000
	s := newServer(20000, rate, 0)
	p := New(Options{Limit: 20000, RestoreRate: rate})
	first, err := p.Reserve(b.Context(), 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	first.Settle(0, s.status())
	start := time.Now()
	work := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range work {
				r, err := p.Reserve(b.Context(), requested, 1)
				if err != nil {
					b.Error(err)
					return
				}
				if status, ok := s.call(requested, actual, time.Millisecond); ok {
					r.Settle(actual, status)
				} else {
					r.Throttled(0, status)
				}
			}
		})
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	group.Wait()
	b.ReportMetric(s.used/(rate*time.Since(start).Seconds()), "share")
	b.ReportMetric(float64(s.rejected), "refused")
}
