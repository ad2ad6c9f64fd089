//go:build unix

package benchmarks

import (
	"fmt"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// BenchmarkThroughput imports a list from a marketplace that never says wait into a shop that takes
// no time, and reports the publications per second and the processor time that each took, that of
// the sandbox included: it is about a tenth.
func BenchmarkThroughput(b *testing.B) {
	const n = 3000
	for _, concurrency := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("concurrency-%d", concurrency), func(b *testing.B) {
			var took float64
			var cpu time.Duration
			for b.Loop() {
				b.StopTimer()
				box := sandbox.New(harness.Unthrottled())
				box.AddSound(n)
				r := newRig(b, box.Transport())
				r.tune = func(o *connector.Options) { o.Concurrency = concurrency }
				c, before := r.connector(), cpuTime(b)
				b.StartTimer()
				s, err := c.Once(b.Context(), desk.RunOptions{Patience: time.Minute})
				b.StopTimer()
				if err != nil || s.Created != n || s.Reported != n {
					b.Fatalf("import ended with %+v, %v", s, err)
				}
				took += s.Seconds
				cpu += cpuTime(b) - before
				box.Close()
				b.StartTimer()
			}
			b.ReportMetric(n*float64(b.N)/took, "publications/s")
			b.ReportMetric(float64(cpu.Microseconds())/(n*float64(b.N)), "cpu-µs/publication")
		})
	}
}
