package metrics

import (
	"context"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

// Sources are what gauges are read from. All are required.
type Sources struct {
	Version      string // of the program
	Store        store.Store
	Market       Market
	ShopSide     Side
	MarketSide   Side
	Registration interface{ Status() registration.Status }
	Refusals     interface{ Worst() *listener.Refused }
	Sweeps       interface {
		Last() (incremental, full sweep.Result)
	}
	Worker interface{ Did() worker.Counts }
	Report interface{ Reported() int64 }
	Health interface{ StoreFailed(err error) }
}

// Market is the marketplace's cost bucket, and what was spent.
type Market interface {
	Budget() pace.Snapshot
	Stats() marketplace.Stats
}

// Side is the breaker before the shop or the marketplace.
type Side interface {
	Status(now time.Time) breaker.Status
}

func (m *Metrics) Watch(from Sources) {
	m.registry.MustRegister(publicationGauge{from}, backlogGauge{from}, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "pubsync", Name: "build_info", Help: "Always 1, with the version of the program.",
		ConstLabels: prometheus.Labels{"version": from.Version, "goversion": runtime.Version()},
	}, func() float64 { return 1 }))
	gauge := func(name, help string, read func() float64) {
		m.registry.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "pubsync", Name: name, Help: help}, read),
		)
	}
	total := func(name, help string, read func() float64) {
		m.registry.MustRegister(
			prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "pubsync", Name: name, Help: help}, read),
		)
	}
	gauge("store_bytes", "Size of the store's file.", func() float64 { return float64(store.SizeOf(from.Store)) })
	gauge(
		"budget_limit_points", "Size of the marketplace's cost bucket.",
		func() float64 { return from.Market.Budget().Limit },
	)
	gauge(
		"budget_remaining_points", "Points left in it, as far as is known here.",
		func() float64 { return from.Market.Budget().Remaining },
	)
	gauge(
		"budget_restore_points_per_second", "What it refills at.",
		func() float64 { return from.Market.Budget().RestoreRate },
	)
	gauge(
		"shop_paused", "1 while the shop cannot be used.",
		func() float64 { return oneIf(from.ShopSide.Status(time.Now()).Paused) },
	)
	gauge(
		"marketplace_paused", "1 while the marketplace cannot be used.",
		func() float64 { return oneIf(from.MarketSide.Status(time.Now()).Paused) },
	)
	gauge(
		"webhook_registered", "1 while the webhook is registered and active.",
		func() float64 { return oneIf(from.Registration.Status().Active) },
	)
	gauge(
		"webhook_refused_in_a_row",
		"Deliveries of webhooks that were refused in a row, as far as they arrived. After 19 the registration is "+
			"deleted.",
		func() float64 {
			if f := from.Refusals.Worst(); f != nil {
				return float64(f.InARow)
			}
			return 0
		},
	)
	gauge("last_sweep_timestamp_seconds", "When the last sweep began that was completed.", func() float64 {
		incremental, full := from.Sweeps.Last()
		return unix(later(incremental.Completed, full.Completed))
	})
	gauge("last_sweep_attempt_timestamp_seconds", "When the last sweep began, whatever became of it.", func() float64 {
		incremental, full := from.Sweeps.Last()
		return unix(later(incremental.At, full.At))
	})
	total(
		"marketplace_requests_total", "Requests to the marketplace.",
		func() float64 { return float64(from.Market.Stats().Requests) },
	)
	total("marketplace_cost_points_total", "Points spent.", func() float64 { return from.Market.Stats().Cost })
	total(
		"marketplace_throttled_total", "Requests the marketplace refused for want of points.",
		func() float64 { return float64(from.Market.Stats().Throttled) },
	)
	total("created_total", "Listings created.", func() float64 { return float64(from.Worker.Did().Created) })
	total("updated_total", "Listings updated.", func() float64 { return float64(from.Worker.Did().Updated) })
	total(
		"withdrawn_total", "Listings taken out of sale.",
		func() float64 { return float64(from.Worker.Did().Withdrawn) },
	)
	total(
		"reported_total", "Reports acknowledged by the marketplace.",
		func() float64 { return float64(from.Report.Reported()) },
	)

	store.Observe(from.Store, func(_ int, took time.Duration) { m.commits.Observe(took.Seconds()) })
}

// publicationGauge is the number of publications by state. It has every state, so that no alert
// lacks its series.
type publicationGauge struct{ from Sources }

var publicationDesc = prometheus.NewDesc("pubsync_publications", "Publications by state.", []string{"state"}, nil)

func (publicationGauge) Describe(ch chan<- *prometheus.Desc) { ch <- publicationDesc }

func (g publicationGauge) Collect(ch chan<- prometheus.Metric) {
	counts, err := g.from.Store.Counts(context.Background()) // a collector gets none
	if err != nil {
		g.from.Health.StoreFailed(err)
	}
	for _, state := range store.States() {
		ch <- prometheus.MustNewConstMetric(publicationDesc, prometheus.GaugeValue, float64(counts[state]), string(state))
	}
}

// backlogGauge is how much is to be done. It reads the backlog once for all its figures.
type backlogGauge struct{ from Sources }

var (
	dueDesc    = prometheus.NewDesc("pubsync_due", "Publications due to be looked at now.", nil, nil)
	outboxDesc = prometheus.NewDesc(
		"pubsync_outbox", "Reports the marketplace has not acknowledged.", nil, nil)
	refusedDesc = prometheus.NewDesc(
		"pubsync_reports_refused", "Reports that the marketplace refuses. They are made again.", nil, nil)
)

func (backlogGauge) Describe(ch chan<- *prometheus.Desc) {
	ch <- dueDesc
	ch <- outboxDesc
	ch <- refusedDesc
}

func (g backlogGauge) Collect(ch chan<- prometheus.Metric) {
	ctx := context.Background()                             // a collector gets none
	f, _ := g.from.Store.Backlog(ctx, store.At(time.Now())) //nolint:errcheck // a store in trouble shows in readyz
	ch <- prometheus.MustNewConstMetric(dueDesc, prometheus.GaugeValue, float64(f.Due))
	ch <- prometheus.MustNewConstMetric(outboxDesc, prometheus.GaugeValue, float64(f.Owed))
	ch <- prometheus.MustNewConstMetric(refusedDesc, prometheus.GaugeValue, float64(f.Refused))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
