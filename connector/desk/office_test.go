package desk

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

// An office is a store and its desk, beside a worker.
type office struct {
	store   store.Store
	local   *Local
	handler http.Handler
	worker  *worker
}

func newOffice(t *testing.T, records ...store.Record) *office {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, r := range records {
		change := func(e *store.Entry) bool { e.Record = r; return true }
		if _, err := s.Change(t.Context(), []string{r.ID}, change); err != nil {
			t.Fatal(err)
		}
	}
	o := &office{store: s, worker: &worker{}}
	o.local = &Local{Store: s, Worker: o.worker}
	o.handler = o.local.Handler()
	return o
}

func (o *office) entry(t *testing.T, id string) store.Entry {
	t.Helper()
	return must[store.Entry](t, id)(o.store.Get(t.Context(), id))
}

func (o *office) client(t *testing.T) *Client {
	t.Helper()
	server := httptest.NewServer(o.handler)
	t.Cleanup(server.Close)
	return &Client{
		Base: server.URL, Store: o.store.Path(), Holder: "held by another", HTTP: server.Client(),
		Logger: slog.New(slog.DiscardHandler),
	}
}

// A worker fails each run with an error, nil for none.
type worker struct {
	Alone

	swept bool
	fails error
}

func (w *worker) Tell(_ context.Context, s *Status) error {
	s.Started, s.LastError = time.Now(), &LastError{Message: "something"}
	return nil
}

func (w *worker) Run(context.Context, RunOptions) (Summary, error) {
	w.swept = true
	return Summary{Swept: 3}, w.fails
}

func (w *worker) Plan(context.Context, RunOptions) (Plan, error) { return NewPlan(), w.fails }

var errBroken = errors.New("broken")

// ask sends a request with a body, "" for none.
func (o *office) ask(method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, httptest.NewRequest(method, "/api/v1/"+path, strings.NewReader(body)))
	return w
}
