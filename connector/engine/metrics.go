package engine

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/pubsync/pubsync/store"
)

// Metrics holds what the loops count.
type Metrics struct {
	registry *prometheus.Registry
	webhooks *prometheus.CounterVec
	installs *prometheus.CounterVec
	failures *prometheus.CounterVec
	sweeps   *prometheus.CounterVec
	drift    *prometheus.CounterVec
	calls    *prometheus.HistogramVec
	looks    prometheus.Histogram
	commits  prometheus.Histogram
	panics   prometheus.Counter
	outcomes map[string]prometheus.Counter
	before   func() // each gathering
}

// Names of what is counted for no account too.
const (
	hooksName    = "webhooks_total"
	installsName = "installation_requests_total"
)

// NewMetrics counts from now on.
func NewMetrics() *Metrics {
	r := prometheus.NewRegistry()
	made := promauto.With(r)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return made.NewCounterVec(prometheus.CounterOpts{Namespace: "pubsync", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "pubsync", Name: name, Help: help, Buckets: buckets}
	}
	seconds := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	return &Metrics{
		registry: r, before: func() {},
		webhooks: counter(hooksName, "Webhooks received, by what became of them.", "result"),
		installs: counter(installsName, "Requests of an installation as a public app, by what became of them.", "result"),
		failures: counter("publication_failures_total",
			"Looks at a publication that ended in an error, by who can mend it.", "kind"),
		sweeps: counter("sweeps_total", "Sweeps of the import list, by kind and result.", "kind", "result"),
		drift: counter("shop_drift_total",
			"Listings found changed by hand in the shop, by what differs: missing, hidden, shown again, price, stock, "+
				"variants, pictures, edited texts; left: what did not stay right, each time.",
			"kind"),
		calls: made.NewHistogramVec(
			histogram("shop_call_seconds", "Calls of the shop adapter, by result.", seconds), []string{"result"}),
		looks: made.NewHistogram(
			histogram("look_seconds", "Looks at one publication, from its reading to its settling.", seconds)),
		commits: made.NewHistogram(histogram("store_commit_seconds", "Commits of the store.",
			[]float64{.0002, .0005, .001, .002, .005, .01, .05, .1, 1, 5})),
		panics: counter("panics_total", "Panics that one publication led to.").WithLabelValues(),
		outcomes: map[string]prometheus.Counter{
			store.WhatCreated: counter("created_total", "Listings created.").WithLabelValues(),
			store.WhatUpdated: counter("updated_total", "Listings updated.").WithLabelValues(),
			withdrawn:         counter("withdrawn_total", "Listings taken out of sale.").WithLabelValues(),
		},
	}
}

// process has no prefix: boards for Go programs know these names.
var process = sync.OnceValue(func() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
})

// Gather implements prometheus.Gatherer.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) {
	m.before()
	return m.registry.Gather()
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{m, process()}, promhttp.HandlerOpts{})
}

// MetricsOfAccounts serves the metrics of several accounts with the label account. Webhooks and installations
// of no account lack it.
func MetricsOfAccounts(all func() map[string]*Metrics) http.Handler {
	accounts := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		var each prometheus.Gatherers
		for account, m := range all() {
			each = append(each, m.labelled(account))
		}
		return each.Gather()
	})
	return promhttp.HandlerFor(prometheus.Gatherers{accounts, process()}, promhttp.HandlerOpts{})
}

func (m *Metrics) labelled(account string) prometheus.GathererFunc {
	return func() ([]*dto.MetricFamily, error) {
		families, err := m.Gather()
		if account == "" {
			return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool {
				return f.GetName() != "pubsync_"+hooksName && f.GetName() != "pubsync_"+installsName
			}), err
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				m.Label = append([]*dto.LabelPair{{Name: new("account"), Value: new(account)}}, m.GetLabel()...)
			}
		}
		return families, err
	}
}

// Webhook counts a webhook by its result.
func (m *Metrics) Webhook(result string) { m.webhooks.WithLabelValues(result).Inc() }

// Installation counts a request of an installation by its result.
func (m *Metrics) Installation(result string) { m.installs.WithLabelValues(result).Inc() }

// Watch adds what is read when monitoring asks.
func (x *Engine) Watch(registered func() bool, refusals func() int) {
	made := promauto.With(x.Metrics.registry)
	opts := func(name, help string) prometheus.GaugeOpts {
		return prometheus.GaugeOpts{Namespace: "pubsync", Name: name, Help: help}
	}
	gauge := func(name, help string, read func() float64) { made.NewGaugeFunc(opts(name, help), read) }
	total := func(name, help string, read func() float64) {
		made.NewCounterFunc(prometheus.CounterOpts(opts(name, help)), read)
	}
	paused := func(g *Gate) func() float64 {
		return func() float64 { return oneIf(g.Status(time.Now()).Paused) }
	}
	info := opts("build_info", "Always 1, with the version of the program.")
	info.ConstLabels = prometheus.Labels{"version": x.Version, "goversion": runtime.Version()}
	made.NewGaugeFunc(info, func() float64 { return 1 })
	gauge("store_bytes", "Size of the store's file.", func() float64 { return float64(store.SizeOf(x.Store)) })
	gauge("budget_limit_points", "Size of the marketplace's cost bucket.",
		func() float64 { return x.Market.Budget().Limit })
	gauge("budget_remaining_points", "Points left in it, as far as is known here.",
		func() float64 { return x.Market.Budget().Remaining })
	gauge("budget_restore_points_per_second", "What it refills at.",
		func() float64 { return x.Market.Budget().RestoreRate })
	gauge("shop_paused", "1 while the shop cannot be used.", paused(x.ShopSide))
	gauge("marketplace_paused", "1 while the marketplace cannot be used.", paused(x.MarketSide))
	gauge("webhook_registered", "1 while the webhook is registered and active.",
		func() float64 { return oneIf(registered()) })
	gauge("webhook_refused_in_a_row", "Deliveries of webhooks that were refused in a row, as far as they arrived. "+
		"After 19 the registration is deleted.", func() float64 { return float64(refusals()) })
	gauge("last_sweep_timestamp_seconds", "When the last sweep began that was completed.", func() float64 {
		incremental, full := x.lastSweeps()
		return float64(max(latest(incremental.Completed, full.Completed).UnixMilli(), 0)) / 1000
	})
	total("marketplace_requests_total", "Requests to the marketplace.",
		func() float64 { return float64(x.Market.Stats().Requests) })
	total("marketplace_cost_points_total", "Points spent.", func() float64 { return x.Market.Stats().Cost })
	total("marketplace_throttled_total", "Requests the marketplace refused for want of points.",
		func() float64 { return float64(x.Market.Stats().Throttled) })
	total("reported_total", "Reports acknowledged by the marketplace.",
		func() float64 { return float64(x.acknowledged.Load()) })
	store.Observe(x.Store, func(took time.Duration) { x.Metrics.commits.Observe(took.Seconds()) })

	states := made.NewGaugeVec(opts("publications", "Publications by state."), []string{"state"})
	due := made.NewGauge(opts("due", "Publications due to be looked at now."))
	owed := made.NewGauge(opts("outbox", "Reports the marketplace has not acknowledged."))
	refused := made.NewGauge(opts("reports_refused", "Reports that the marketplace refuses. They are made again."))
	x.Metrics.before = func() {
		b, err := x.Store.Backlog(context.Background(), store.At(time.Now())) // a gatherer gets no context
		x.Health.Stored(err)
		for _, state := range store.States() { // every state has a series, so that no alert lacks its own
			states.WithLabelValues(string(state)).Set(float64(b.States[state]))
		}
		due.Set(float64(b.Due))
		owed.Set(float64(b.Owed))
		refused.Set(float64(b.Refused))
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
