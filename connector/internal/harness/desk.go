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
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Retry has a publication tried again, over the desk of a store without a worker.
func Retry(s store.Store, id string, reset bool) error {
	d := connector.NewDesk(s, publication.Rules{}, nil)
	_, err := d.Retry(context.Background(), desk.Retry{IDs: []string{id}, Reset: reset})
	return err
}

// RetryFailed returns how many are tried again.
func RetryFailed(s store.Store) (int, error) {
	a, err := connector.NewDesk(s, publication.Rules{}, nil).Retry(context.Background(), desk.Retry{Failed: true})
	return a.Count, err
}

// Approve approves what is held of one publication.
func Approve(s store.Store, id string) error {
	_, err := connector.NewDesk(s, publication.Rules{}, nil).Answer(context.Background(), desk.Answer{IDs: []string{id}})
	return err
}

// ApproveAll approves all holds of a kind, "" for any, and returns how many publications had one.
func ApproveAll(s store.Store, kind store.HoldKind) (int, error) {
	all := desk.Answer{HeldFilter: desk.HeldFilter{Group: string(kind)}}
	a, err := connector.NewDesk(s, publication.Rules{}, nil).Answer(context.Background(), all)
	return a.Count, err
}

// Publications lists those in a state, after an id.
func Publications(s store.Store, state store.State, after string, limit int) (desk.List, error) {
	q := desk.Query{State: state, After: after, Limit: limit}
	return connector.NewDesk(s, publication.Rules{}, nil).Publications(context.Background(), q)
}

// Explain explains a publication.
func Explain(s store.Store, r publication.Rules, id string) (desk.Explanation, error) {
	return connector.NewDesk(s, r, nil).Explain(context.Background(), id)
}

// StatusOf is the status of a store without a worker.
func StatusOf(s store.Store) (desk.Status, error) {
	return connector.NewDesk(s, publication.Rules{}, nil).Status(context.Background())
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
