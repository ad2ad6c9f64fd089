//go:build unix

package benchmarks

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const (
	ackSenders = 64
	ackShare   = 300 // webhooks that each of them sends, one after the other
)

// BenchmarkAcknowledge has 64 senders post signed webhooks over loopback connections to the
// connector's receiver, which makes each durable before it answers. It reports how many are
// acknowledged a second, and how long one in a hundred waits at least.
//
// Wanted: acks/s of at least 3,000, p99-ms below 50.
func BenchmarkAcknowledge(b *testing.B) {
	for _, s := range []struct {
		name string
		ids  int // how many publications the webhooks of a run name
	}{{"distinct", ackSenders * ackShare}, {"repeated", 100}} {
		b.Run(s.name, func(b *testing.B) {
			url := serveWebhooks(b, newRig(b, nil).connector().WebhookHandler())
			transport := &http.Transport{MaxIdleConnsPerHost: ackSenders}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			took := make([][]time.Duration, ackSenders)
			for b.Loop() {
				var sending sync.WaitGroup
				for i := range ackSenders {
					sending.Go(func() {
						for j := range ackShare {
							start := time.Now()
							if err := postWebhook(client, url, (i*ackShare+j)%s.ids); err != nil {
								b.Error(err)
								return
							}
							took[i] = append(took[i], time.Since(start))
						}
					})
				}
				sending.Wait()
			}
			all := slices.Sorted(slices.Values(slices.Concat(took...)))
			b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "acks/s")
			b.ReportMetric(all[len(all)*99/100].Seconds()*1e3, "p99-ms")
		})
	}
}

// serveWebhooks serves h as the worker serves its webhooks, and returns its address.
func serveWebhooks(b *testing.B, h http.Handler) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &listener.Servers{}
	s.Serve(slog.New(slog.DiscardHandler), l, h, 256, 10*time.Second)
	b.Cleanup(func() { s.Shutdown(time.Second) })
	return "http://" + l.Addr().String() + "/webhooks"
}

// postWebhook sends a webhook for the i-th publication, as the marketplace does. It must be
// acknowledged.
func postWebhook(client *http.Client, url string, i int) error {
	body := fmt.Appendf(
		nil,
		`{"data":{"publication":{"id":"p00%07dk1x2f9z","status":"syncing","listing":{"product":{"id":"d00%07d1uq0aa"}},`+
			`"createdAt":"2026-11-20T08:15:00.123456Z","updatedAt":"2026-11-20T08:15:00.123456Z"}}}`,
		i,
		i,
	)
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body)) //nolint:noctx // of a benchmark
	if err != nil {
		return err
	}
	r.Header.Set("X-Service-Account-Id", "retailer")
	r.Header.Set("X-Service-Event", "PUBLICATION_CREATED")
	r.Header.Set("X-Service-Signature", string(marketplace.Signature([]byte(sandbox.DefaultSecret), body)))
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("answer: %s, want 204", res.Status)
	}
	return errors.Join(err, res.Body.Close())
}
