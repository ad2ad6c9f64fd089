package setup

import (
	"net/http"

	"github.com/pubsync/pubsync/connector/metrics"
)

// metrics serves what monitoring reads of all accounts that are worked on here.
func (h *house) metrics() http.Handler {
	return metrics.OfAccounts(func() map[string]*metrics.Metrics {
		out := map[string]*metrics.Metrics{"": h.own}
		for name, t := range h.all() {
			out[name] = t.worker.Metrics()
		}
		return out
	})
}
