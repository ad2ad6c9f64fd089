package connector

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pubsync/pubsync/shopadapter"
)

// metrics is what an operator's monitoring reads. Gauges are read when they are asked for; counters count since the start.
type metrics struct {
	registry *prometheus.Registry
	webhooks *prometheus.CounterVec
	failures *prometheus.CounterVec
	sweeps   *prometheus.CounterVec
	calls    *prometheus.HistogramVec
	looks    prometheus.Histogram
	panics   prometheus.Counter
	commits  prometheus.Histogram
}

func newMetrics(c *Connector) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "pubsync", Name: name, Help: help}, labels)
		m.registry.MustRegister(v)
		return v
	}
	gauge := func(name, help string, read func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "pubsync", Name: name, Help: help}, read))
	}
	total := func(name, help string, read func() float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "pubsync", Name: name, Help: help}, read))
	}
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

	m.webhooks = counter("webhooks_total", "Webhooks received, by what became of them.", "result")
	m.failures = counter("publication_failures_total", "Looks at a publication that ended in an error, by who can mend it.", "kind")
	m.sweeps = counter("sweeps_total", "Sweeps of the import list, by kind and result.", "kind", "result")
	m.calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "shop_call_seconds", Help: "Calls of the shop adapter, by result.", Buckets: seconds,
	}, []string{"result"})
	m.looks = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "look_seconds", Help: "Looks at one publication, from its reading to its settling.", Buckets: seconds,
	})
	m.commits = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "pubsync", Name: "store_commit_seconds", Help: "Commits of the store.", Buckets: []float64{.0002, .0005, .001, .002, .005, .01, .05, .1, 1, 5},
	})
	m.panics = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "pubsync", Name: "panics_total", Help: "Panics that one publication led to.",
	})
	m.registry.MustRegister(m.calls, m.looks, m.commits, m.panics, publicationGauge{c})
	prometheus.WrapRegistererWithPrefix("pubsync_", m.registry).MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	gauge("due", "Publications due to be looked at now.", func() float64 {
		n, _ := c.store.Backlog(time.Now()) //nolint:errcheck // a store in trouble shows in readyz
		return float64(n)
	})
	gauge("outbox", "Reports the marketplace has not acknowledged.", func() float64 {
		n, _ := c.store.OutboxLen() //nolint:errcheck // a store in trouble shows in readyz
		return float64(n)
	})
	gauge("store_bytes", "Size of the store's file.", func() float64 { return float64(c.store.Size()) })
	gauge("budget_limit_points", "Size of the marketplace's cost bucket.", func() float64 { return c.market.Budget().Limit })
	gauge("budget_remaining_points", "Points left in it, as far as is known here.", func() float64 { return c.market.Budget().Remaining })
	gauge("budget_restore_points_per_second", "What it refills at.", func() float64 { return c.market.Budget().RestoreRate })
	gauge("shop_paused", "1 while the shop cannot be used.", func() float64 { return oneIf(c.shopGate.look(time.Now()).Shut) })
	gauge("marketplace_paused", "1 while the marketplace cannot be used.", func() float64 { return oneIf(c.marketGate.look(time.Now()).Shut) })
	gauge("webhook_registered", "1 while the webhook is registered and active.", func() float64 { return oneIf(c.registered.get().Active) })
	gauge("last_sweep_timestamp_seconds", "When the last sweep began.", func() float64 {
		incremental, full := c.lastSweeps.get()
		return unix(later(incremental.At, full.At))
	})
	total("marketplace_requests_total", "Requests to the marketplace.", func() float64 { return float64(c.market.Stats().Requests) })
	total("marketplace_cost_points_total", "Points spent.", func() float64 { return c.market.Stats().Cost })
	total("marketplace_throttled_total", "Requests the marketplace refused for want of points.", func() float64 { return float64(c.market.Stats().Throttled) })
	total("created_total", "Listings created.", func() float64 { return float64(c.tally.created.Load()) })
	total("updated_total", "Listings updated.", func() float64 { return float64(c.tally.updated.Load()) })
	total("withdrawn_total", "Listings taken out of sale.", func() float64 { return float64(c.tally.withdrawn.Load()) })
	total("reported_total", "Reports acknowledged by the marketplace.", func() float64 { return float64(c.tally.reported.Load()) })

	c.store.Observe(func(_ int, took time.Duration) { m.commits.Observe(took.Seconds()) })
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) shopCall(took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = shopadapter.Explain(err).Kind.String()
	}
	m.calls.WithLabelValues(result).Observe(took.Seconds())
}

func (m *metrics) swept(full bool, err error) {
	kind, result := "incremental", "ok"
	if full {
		kind = "full"
	}
	if err != nil {
		result = "error"
	}
	m.sweeps.WithLabelValues(kind, result).Inc()
}

// publicationGauge is the number of publications by state, every state among them, so that an alert on one never lacks its series.
type publicationGauge struct{ c *Connector }

var publicationDesc = prometheus.NewDesc("pubsync_publications", "Publications by state.", []string{"state"}, nil)

func (publicationGauge) Describe(ch chan<- *prometheus.Desc) { ch <- publicationDesc }

func (g publicationGauge) Collect(ch chan<- prometheus.Metric) {
	counts := g.c.store.Counts()
	for _, state := range States {
		ch <- prometheus.MustNewConstMetric(publicationDesc, prometheus.GaugeValue, float64(counts[string(state)]), string(state))
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
