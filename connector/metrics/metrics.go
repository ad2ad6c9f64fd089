// Package metrics has what an operator's monitoring reads: counters and histograms, which the loops
// update, and gauges, which are read from the loops when monitoring asks.
package metrics

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pubsync/pubsync/shopadapter"
)

// Metrics counts since the start. See [Metrics.Watch] for what is read when it is asked for.
type Metrics struct {
	registry *prometheus.Registry
	webhooks *prometheus.CounterVec
	installs *prometheus.CounterVec
	failures *prometheus.CounterVec
	sweeps   *prometheus.CounterVec
	drift    *prometheus.CounterVec
	listings prometheus.Histogram
	calls    *prometheus.HistogramVec
	looks    prometheus.Histogram
	panics   prometheus.Counter

	passedOver prometheus.Counter
	commits    prometheus.Histogram
}

func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "pubsync", Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

	m.webhooks = counter(hooksName, "Webhooks received, by what became of them.", "result")
	m.installs = counter(
		installsName, "Requests of an installation as a public app, by what became of them.",
		"result",
	)
	m.failures = counter(
		"publication_failures_total", "Looks at a publication that ended in an error, by who can mend it.", "kind",
	)
	m.sweeps = counter("sweeps_total", "Sweeps of the import list, by kind and result.", "kind", "result")
	m.calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "shop_call_seconds", Help: "Calls of the shop adapter, by result.", Buckets: seconds,
	}, []string{"result"})
	m.looks = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "look_seconds", Help: "Looks at one publication, from its reading to its " +
			"settling.", Buckets: seconds,
	})
	m.commits = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "store_commit_seconds", Help: "Commits of the store.",
		Buckets: []float64{.0002, .0005, .001, .002, .005, .01, .05, .1, 1, 5},
	})
	m.panics = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "pubsync", Name: "panics_total", Help: "Panics that one publication led to.",
	})
	m.drift = counter(
		"shop_drift_total",
		"Listings found changed by hand in the shop, by what differs: missing, hidden, shown again, price, stock, "+
			"variants, pictures, edited texts; again: what was put right just before; held: prices that are not put back.",
		"kind",
	)
	m.listings = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "shop_listing_seconds", Help: "Listings of all that the shop holds as ours, to " +
			"find what was changed by hand.", Buckets: seconds,
	})
	m.passedOver = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "pubsync", Name: "entries_passed_over_total",
		Help: "Entries of the import list without an id or an updatedAt, or with one that is too long, each time " +
			"they are listed.",
	})
	m.registry.MustRegister(m.listings, m.calls, m.looks, m.commits, m.panics, m.passedOver)
	return m
}

// process has what is the same for all accounts of a process, and is made once for them. It is
// without the prefix: the boards that there are for Go programs know these names.
var process = sync.OnceValue(func() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
})

// The names of what is counted for no account too.
const (
	hooksName    = "webhooks_total"
	installsName = "installation_requests_total"
)

func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, process()}, promhttp.HandlerOpts{})
}

func (m *Metrics) ShopCalled(took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = shopadapter.Explain(err).Kind.String()
	}
	m.calls.WithLabelValues(result).Observe(took.Seconds())
}

func (m *Metrics) Looked(took time.Duration) { m.looks.Observe(took.Seconds()) }

func (m *Metrics) Failed(kind shopadapter.Kind) { m.failures.WithLabelValues(kind.String()).Inc() }

func (m *Metrics) Swept(ctx context.Context, full bool, err error) {
	kind, result := "incremental", "ok"
	if full {
		kind = "full"
	}
	if err != nil {
		result = "error"
	}
	m.sweeps.WithLabelValues(kind, result).Inc()
}

func (m *Metrics) PassedOver(entries int) { m.passedOver.Add(float64(entries)) }

func (m *Metrics) ShopListed(took time.Duration) { m.listings.Observe(took.Seconds()) }

// Drifted counts how many listings were changed by hand in a way.
func (m *Metrics) Drifted(kind string, n int) { m.drift.WithLabelValues(kind).Add(float64(n)) }

func (m *Metrics) Webhook(result string) { m.webhooks.WithLabelValues(result).Inc() }

func (m *Metrics) Installation(result string) { m.installs.WithLabelValues(result).Inc() }

// Panicked counts a panic.
func (m *Metrics) Panicked() { m.panics.Inc() }
