package benchmarks

import (
	"context"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// BenchmarkBudgetUse sets a worker before a backlog that it cannot work off, and reports the share
// of the points restored meanwhile that it used, and the requests that the marketplace refused for
// want of points. The clock is a bubble's; the way to the marketplace takes its time.
//
// Wanted: used of at least 0.98, throttled 0.
func BenchmarkBudgetUse(b *testing.B) {
	const rate = 50
	scalars := sandbox.Options{ScalarCost: 1}
	for _, s := range []struct {
		name            string
		latency, jitter time.Duration
		shop            time.Duration
		options         sandbox.Options
		concurrency     int
	}{
		{name: "no-latency", concurrency: 4},
		{name: "latency-100ms", concurrency: 4, latency: 100 * time.Millisecond},
		{name: "latency-100ms/one-worker", concurrency: 1, latency: 100 * time.Millisecond},
		{name: "latency-100ms/slow-shop", concurrency: 4, latency: 100 * time.Millisecond, shop: time.Second},
		{name: "latency-100-to-900ms", concurrency: 4, latency: 100 * time.Millisecond, jitter: 800 * time.Millisecond},
		{name: "latency-100ms/scalars-cost-1", concurrency: 4, latency: 100 * time.Millisecond, options: scalars},
		{
			name: "latency-100ms/scalars-cost-1/query-400", concurrency: 4, latency: 100 * time.Millisecond,
			options: sandbox.Options{ScalarCost: 1, QueryLimit: 400},
		},
		{
			name: "latency-100ms/scalars-cost-1/bucket-2000", concurrency: 4, latency: 100 * time.Millisecond,
			options: sandbox.Options{ScalarCost: 1, Limit: 2000},
		},
	} {
		b.Run(s.name, func(b *testing.B) {
			s.options.RestoreRate = rate
			var spent, refused float64
			for b.Loop() {
				inBenchBubble(b, func(t *testing.T) {
					box := sandbox.New(s.options)
					defer box.Close()
					r := newRig(t, distant{box.Transport(), s.latency, s.jitter})
					r.tune = func(o *connector.Options) { o.Concurrency, o.Shop = s.concurrency, slowShop{takes: s.shop} }
					spent, refused = spendBacklog(t, box, r)
				})
			}
			b.ReportMetric(spent/(rate*backlogSpan.Seconds()), "used")
			b.ReportMetric(refused, "throttled")
			b.ReportMetric(0, "ns/op") // the bubble's clock is not the machine's
		})
	}
}

const (
	backlogStart = 3 * time.Minute // in which the worker lists, and learns what things cost
	backlogSpan  = 20 * time.Minute
	backlogSize  = 3500 // publications of some twenty points each: more than the span restores
)

// spendBacklog runs a worker before a backlog and returns the points charged within the span, and
// the requests refused since the start.
func spendBacklog(t *testing.T, box *sandbox.Marketplace, r *rig) (spent, refused float64) {
	t.Helper()
	box.AddSound(backlogSize)
	bill := func() (points, throttled float64) {
		for _, total := range box.Totals() {
			points += float64(total.ActualCost)
			throttled += float64(total.Throttled)
		}
		return points, throttled
	}
	c := r.connector()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, connector.Listeners{}) }()
	time.Sleep(backlogStart)
	before, _ := bill()
	time.Sleep(backlogSpan)
	after, refused := bill()
	if reported := len(box.Reports()); reported > backlogSize*9/10 {
		t.Errorf("%d publications are reported: too small a backlog to measure with", reported)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return after - before, refused
}

// A distant transport is one whose requests are under way for a while, half of it there and half of
// it back.
type distant struct {
	next            http.RoundTripper
	latency, jitter time.Duration
}

func (d distant) RoundTrip(req *http.Request) (*http.Response, error) {
	way := d.latency
	if d.jitter > 0 {
		way += rand.N(d.jitter)
	}
	time.Sleep(way / 2)
	resp, err := d.next.RoundTrip(req)
	time.Sleep(way / 2)
	return resp, err
}

// A slowShop is a null shop whose calls take their time.
type slowShop struct {
	nullShop
	takes time.Duration
}

func (s slowShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	f shopadapter.Fields,
) (shopadapter.Listing, error) {
	time.Sleep(s.takes)
	return s.nullShop.Publish(ctx, ref, p, f)
}
