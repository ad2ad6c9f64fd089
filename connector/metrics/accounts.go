package metrics

import (
	"maps"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// OfAccounts serves the metrics of several accounts, each with the label account. The account ""
// stands for webhooks and installations of no account.
func OfAccounts(all func() map[string]*Metrics) http.Handler {
	accounts := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return gather(all()) })
	return promhttp.HandlerFor(prometheus.Gatherers{accounts, process()}, promhttp.HandlerOpts{})
}

func gather(all map[string]*Metrics) ([]*dto.MetricFamily, error) {
	families := map[string]*dto.MetricFamily{}
	for _, account := range slices.Sorted(maps.Keys(all)) {
		gathered, err := all[account].registry.Gather()
		if err != nil {
			return nil, err
		}
		for _, f := range gathered {
			switch {
			case account != "":
				for _, m := range f.GetMetric() {
					m.Label = append([]*dto.LabelPair{{Name: new("account"), Value: new(account)}}, m.GetLabel()...)
				}
			case f.GetName() != "pubsync_"+hooksName && f.GetName() != "pubsync_"+installsName:
				continue
			}
			if whole := families[f.GetName()]; whole != nil {
				whole.Metric = append(whole.Metric, f.GetMetric()...)
			} else {
				families[f.GetName()] = f
			}
		}
	}
	var out []*dto.MetricFamily
	for _, name := range slices.Sorted(maps.Keys(families)) {
		out = append(out, families[name])
	}
	return out, nil
}
