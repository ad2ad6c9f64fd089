package harness

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

func deskOf(s store.Store) *desk.Local {
	return &desk.Local{Store: s, Worker: desk.Remote{Alone: desk.Alone{Store: s}}}
}

// RetryFailed returns how many are tried again.
func RetryFailed(s store.Store) (int, error) {
	a, err := deskOf(s).Retry(context.Background(), desk.Retry{Failed: true})
	return a.Count, err
}

// ApproveAll approves all holds of a kind, "" for any, and returns how many publications had one.
func ApproveAll(s store.Store, kind store.HoldKind) (int, error) {
	all := desk.Answer{Group: string(kind), All: true}
	a, err := deskOf(s).Answer(context.Background(), all)
	return a.Count, err
}

// StatusOf is the status of a store without a worker.
func StatusOf(s store.Store) (desk.Status, error) {
	return deskOf(s).Status(context.Background())
}

// Status is the status of a connector.
func Status(c *connector.Connector) (desk.Status, error) {
	return c.Desk().Status(context.Background())
}

// LastSweeps are the last sweeps of both kinds, as status tells of them.
func LastSweeps(t *testing.T, c *connector.Connector) (incremental, full desk.LastSweep) {
	t.Helper()
	s, err := Status(c)
	if err != nil {
		t.Fatal(err)
	}
	return s.Sweeps.Incremental, s.Sweeps.Full
}

// Metric reads one gauge as a scraper would.
func Metric(t *testing.T, c *connector.Connector, name string) float64 {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Host = "127.0.0.1"
	c.AdminHandler(true).ServeHTTP(w, r)
	m := regexp.MustCompile(`(?m)^pubsync_` + name + ` (\S+)$`).FindStringSubmatch(w.Body.String())
	if m == nil {
		t.Fatalf("no pubsync_%s in %d: %s", name, w.Code, w.Body.String())
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
