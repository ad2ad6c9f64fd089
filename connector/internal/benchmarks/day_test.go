package benchmarks

import (
	"context"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
)

// BenchmarkPointsOfADay runs a worker for the second day of a catalogue of which one product in
// twenty changes its price, with the schedules that are the default, and reports the points that
// the day cost, by the kind of request. The README tells the sum.
func BenchmarkPointsOfADay(b *testing.B) {
	for _, s := range []struct {
		name string
		n    int
		o    sandbox.Options
	}{
		{"scalars-free/100", 100, sandbox.Options{}},
		{"scalars-free/1000", 1000, sandbox.Options{}},
		{"scalars-cost-1/1000", 1000, sandbox.Options{ScalarCost: 1}},
	} {
		b.Run(s.name, func(b *testing.B) {
			var bill map[sandbox.Kind]sandbox.Total
			for b.Loop() {
				inBenchBubble(b, func(t *testing.T) { bill = dayPoints(t, s.n, s.o) })
			}
			total := 0
			for kind, spent := range bill {
				total += spent.ActualCost
				b.ReportMetric(float64(spent.ActualCost), string(kind)+"-points")
			}
			b.ReportMetric(float64(total), "points")
			b.ReportMetric(0, "ns/op") // the bubble's clock is not the machine's
		})
	}
}

func dayPoints(t *testing.T, n int, o sandbox.Options) map[sandbox.Kind]sandbox.Total {
	t.Helper()
	box := sandbox.New(o)
	defer box.Close()
	ids := box.AddSound(n)
	r := newRig(t, box.Transport())
	r.tune = func(o *connector.Options) {
		o.Sweep, o.Resync, o.Variants = cron.Every(5*time.Minute), cron.Every(time.Hour), publication.VariantsAuto
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.connector().Run(ctx, connector.Listeners{}) }()
	time.Sleep(24 * time.Hour)
	box.Forget()
	for i := range n / 20 {
		if err := box.SetPrice(ids[i*20], "", "5.00", "19.95"); err != nil {
			t.Error(err)
		}
		time.Sleep(24 * time.Hour / time.Duration(n/20))
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return box.Totals()
}
