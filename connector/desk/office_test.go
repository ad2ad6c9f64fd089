package desk

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

// An office is a store and its desk. It records each request that the desk made of a worker.
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
	o.local = &Local{Store: s, Worker: o.worker, Settings: map[string]string{"PUBSYNC_PRICE_ADD": "a"}}
	o.handler = o.local.Handler()
	return o
}

func (o *office) entry(t *testing.T, id string) store.Entry {
	t.Helper()
	e, err := o.store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (o *office) change(t *testing.T, id string, change func(*store.Entry)) {
	t.Helper()
	_, err := o.store.Change(t.Context(), []string{id}, func(e *store.Entry) bool { change(e); return true })
	if err != nil {
		t.Fatal(err)
	}
}

func (o *office) history(t *testing.T, id string) []store.Event {
	t.Helper()
	events, err := o.store.History(t.Context(), id)
	if err != nil || len(events) == 0 {
		t.Fatalf("%s: got %d events, %v, want some", id, len(events), err)
	}
	return events
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

type worker struct {
	asked []string
	fails error
	runs  RunOptions
	until chan struct{} // a run ends when it is closed; nil: at once
}

func (w *worker) note(what string) { w.asked = append(w.asked, what) }

func (w *worker) Tell(_ context.Context, s *Status) error {
	s.Version, s.LastError = "v1", &LastError{Message: "something"}
	return nil
}
func (w *worker) Ready(context.Context) error { return w.fails }
func (w *worker) Wake()                       { w.note("wake") }

func (w *worker) Sweep(_ context.Context, full bool) error {
	w.note("sweep " + strconv.FormatBool(full))
	return nil
}

func (w *worker) TryShop(context.Context) { w.note("try") }

func (w *worker) Run(_ context.Context, o RunOptions) (Summary, error) {
	w.runs = o
	if w.until != nil {
		<-w.until
	}
	return Summary{Swept: 3, Exit: ExitStanding, Error: "ended early"}, w.fails
}

func (w *worker) Plan(_ context.Context, o RunOptions) (Plan, error) {
	w.runs = o
	p := NewPlan()
	p.Create = []string{"p1"}
	return p, w.fails
}

var errBroken = errors.New("broken")

func (o *office) ask(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
	return w
}
