package benchmarks

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// BenchmarkWebhookToStatus adds publications one by one to a marketplace on a loopback port, which
// tells an idle worker by a signed webhook, and reports how long it took until the marketplace was
// told that each is on sale: the webhook stored, the content read, the shop written, the look and
// the report.
//
// Wanted: p50-ms of less than 10.
func BenchmarkWebhookToStatus(b *testing.B) {
	const samples = 50 // to one operation
	box := sandbox.Start(harness.Unthrottled())
	defer box.Close()
	reported := make(chan time.Time, 1)
	box.Hear(func(event any) {
		if _, ok := event.(sandbox.Report); ok {
			reported <- time.Now()
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	r := newRig(b, nil)
	r.market.URL = box.URL
	r.tune = func(o *connector.Options) {
		o.WebhookURL, o.WebhookEvents = "http://"+l.Addr().String()+"/webhooks", harness.DefaultEvents()
	}
	c := r.connector()
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, &connector.Listeners{Webhook: l}) }()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		if s, err := c.Desk().Status(b.Context()); err == nil && s.Webhook.Active {
			break
		}
		if time.Since(start) > 10*time.Second {
			b.Fatal("the webhook is not registered")
		}
	}
	var spans []time.Duration
	for b.Loop() {
		for range samples {
			start := time.Now()
			box.AddSound(1)
			select {
			case at := <-reported:
				spans = append(spans, at.Sub(start))
			case <-time.After(10 * time.Second):
				b.Fatal("no report arrives")
			}
		}
	}
	stop()
	if err := <-done; err != nil {
		b.Error(err)
	}
	slices.Sort(spans)
	b.ReportMetric(milliseconds(spans[len(spans)/2]), "p50-ms")
	b.ReportMetric(milliseconds(spans[len(spans)*95/100]), "p95-ms")
	b.ReportMetric(0, "ns/op") // of fifty at once says nothing
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
