//go:build unix

package benchmarks

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
)

// BenchmarkImportCPU imports a list while the marketplace and the shop run in other processes, so
// that the processor time of this process is the connector's alone: cpu-µs/publication, with the
// store on the disk of the temporary folder.
//
// Wanted: cpu-µs/publication of at most 1,500 on a machine that does nothing else.
func BenchmarkImportCPU(b *testing.B) {
	const n = 3000
	var worked time.Duration
	for b.Loop() {
		worked += importElsewhere(b, n)
	}
	b.ReportMetric(float64(worked.Microseconds())/(n*float64(b.N)), "cpu-µs/publication")
	b.ReportMetric(0, "ns/op") // of the sides that start, too
}

// importElsewhere imports n publications from a marketplace into a shop in other processes, and
// returns the processor time that it took here.
func importElsewhere(b *testing.B, n int) time.Duration {
	market, endMarket := startSide(b, "marketplace", n)
	defer endMarket()
	shop, endShop := startSide(b, "shop", 0)
	defer endShop()
	r := newRig(b, nil)
	r.market.URL = market
	r.tune = func(o *connector.Options) { o.Concurrency, o.Shop = 16, remoteShop(b, shop) }
	c := r.connector()
	start := cpuTime(b)
	s, err := c.Once(b.Context(), desk.RunOptions{Patience: time.Minute})
	took := cpuTime(b) - start
	if err != nil || int(s.Created) != n || int(s.Reported) != n {
		b.Fatalf("import ended with %+v, %v", s, err)
	}
	return took
}
