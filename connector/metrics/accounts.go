package metrics

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// OfAccounts serves the metrics of several accounts, each with the label account. Without labels the
// values of all accounts are added up; of a moment in time the earliest counts. The account "" stands
// for webhooks and installations of no account.
func OfAccounts(all func() map[string]*Metrics, labels bool) http.Handler {
	accounts := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return gather(all(), labels) })
	return promhttp.HandlerFor(prometheus.Gatherers{accounts, process()}, promhttp.HandlerOpts{})
}

func gather(all map[string]*Metrics, labels bool) ([]*dto.MetricFamily, error) {
	families := map[string]*dto.MetricFamily{}
	for _, account := range slices.Sorted(maps.Keys(all)) {
		gathered, err := all[account].registry.Gather()
		if err != nil {
			return nil, err
		}
		for _, f := range gathered {
			whole := families[f.GetName()]
			if account == "" && (f.GetName() == "pubsync_"+hooksName || f.GetName() == "pubsync_"+installsName) {
				families[f.GetName()] = f
				continue
			}
			switch {
			case account == "":
			case labels:
				for _, m := range f.GetMetric() {
					m.Label = append([]*dto.LabelPair{{Name: new("account"), Value: new(account)}}, m.GetLabel()...)
				}
				if whole == nil {
					families[f.GetName()] = f
				} else {
					whole.Metric = append(whole.Metric, f.GetMetric()...)
				}
			case whole == nil:
				families[f.GetName()] = f
			default:
				addAll(whole, f)
			}
		}
	}
	var out []*dto.MetricFamily
	for _, name := range slices.Sorted(maps.Keys(families)) {
		out = append(out, families[name])
	}
	return out, nil
}

// addAll adds the values of a family to those of another.
func addAll(to, from *dto.MetricFamily) {
	for _, m := range from.GetMetric() {
		i := slices.IndexFunc(to.GetMetric(), func(other *dto.Metric) bool { return labelsOf(other) == labelsOf(m) })
		switch {
		case i < 0:
			to.Metric = append(to.Metric, m)
		case to.GetName() == "pubsync_build_info":
		case strings.HasSuffix(to.GetName(), "_timestamp_seconds"):
			to.GetMetric()[i].Gauge.Value = new(min(to.GetMetric()[i].GetGauge().GetValue(), m.GetGauge().GetValue()))
		default:
			add(to.GetMetric()[i], m)
		}
	}
}

func labelsOf(m *dto.Metric) string {
	var b strings.Builder
	for _, l := range m.GetLabel() {
		b.WriteString(l.GetName() + "\x00" + l.GetValue() + "\x00")
	}
	return b.String()
}

func add(to, from *dto.Metric) {
	if c := to.GetCounter(); c != nil {
		c.Value = new(c.GetValue() + from.GetCounter().GetValue())
	}
	if g := to.GetGauge(); g != nil {
		g.Value = new(g.GetValue() + from.GetGauge().GetValue())
	}
	h, other := to.GetHistogram(), from.GetHistogram()
	if h == nil || other == nil {
		return
	}
	h.SampleCount = new(h.GetSampleCount() + other.GetSampleCount())
	h.SampleSum = new(h.GetSampleSum() + other.GetSampleSum())
	for i, b := range h.GetBucket() { // all accounts have the same ones
		b.CumulativeCount = new(b.GetCumulativeCount() + other.GetBucket()[i].GetCumulativeCount())
	}
}
