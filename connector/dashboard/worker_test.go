package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A worker stands in for a real one as the desk of a page, which it serves.
type worker struct {
	desk.Desk // the page asks for nothing but what is below

	URL       string
	mu        sync.Mutex
	status    desk.Status
	listed    []desk.Listed
	explained map[string]desk.Explanation
	page      http.Handler
	fails     error                     // for every answer of the desk
	away      func(http.ResponseWriter) // instead of the page; nil: none
	commands  []any                     // received: a desk.Request, or whether a sweep is a full one
	looks     int                       // at the page
	rules     map[string]string         // that are set
	trial     desk.Trial
	tried     map[string]string // settings of the last trial
	held      []desk.HeldGroup
}

// then stands for each moment that an answer is of.
var then = time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)

func newWorker(t *testing.T) *worker {
	t.Helper()
	w := &worker{explained: map[string]desk.Explanation{}}
	w.status = desk.Status{Version: "v1.2.3", Publications: map[store.State]int{}, Started: time.Now().Add(-time.Hour)}
	w.status.Sweeps.Incremental.At = time.Now().Add(-time.Minute)
	w.page = dashboard.Handler(w, dashboard.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.looks++
		page, away := w.page, w.away
		w.mu.Unlock()
		if away != nil {
			away(rw)
			return
		}
		page.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	w.URL = server.URL
	return w
}

// set changes what the worker has to tell.
func (w *worker) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *worker) received() []any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.commands)
}

func (w *worker) asked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looks
}

// count sets the counts of the status from the list.
func (w *worker) count() {
	counts := map[store.State]int{}
	for _, state := range store.States() {
		counts[state] = 0
	}
	for _, l := range w.listed {
		counts[l.State]++
	}
	w.status.Publications = counts
}

func (w *worker) Status(context.Context) (desk.Status, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, w.fails
}

func (w *worker) Publications(_ context.Context, q desk.Query) (desk.List, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from, _ := strconv.Atoi(q.After) //nolint:errcheck // an empty cursor is the start
	var out desk.List
	n := 0
	for _, l := range w.listed {
		if q.State != "" && l.State != q.State ||
			!strings.Contains(strings.ToLower(l.Title), strings.ToLower(q.Find)) {
			continue
		}
		switch n++; {
		case n <= from:
		case len(out.Publications) < q.Limit:
			out.Publications = append(out.Publications, l)
		default:
			out.After = strconv.Itoa(from + q.Limit)
		}
	}
	return out, w.fails
}

func (w *worker) Explain(_ context.Context, id string) (desk.Explanation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, ok := w.explained[id]
	if !ok {
		return e, desk.ErrUnknown
	}
	e.History = slices.Clone(e.History) // the page turns it round
	return e, w.fails
}

func (w *worker) Held(context.Context, string) (desk.Held, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return desk.Held{Groups: w.held, At: then}, w.fails
}

func (w *worker) Try(_ context.Context, set map[string]string) (desk.Trial, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	trial := w.trial
	if set["PUBSYNC_PRICE_ENDING"] != "" {
		trial = desk.Trial{Fault: "PUBSYNC_PRICE_ENDING: is not an ending"}
	} else {
		w.tried = set
	}
	trial.Values = maps.Collect(maps.All(w.rules))
	return trial, w.fails
}

// done notes a command of so many publications, 0 for two that it does not name.
func (w *worker) done(command any, of int) (desk.Asked, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fails != nil {
		return desk.Asked{}, w.fails
	}
	w.commands = append(w.commands, command)
	if of == 0 {
		of = 2
	}
	return desk.Asked{Count: of}, nil
}

func (w *worker) Ask(_ context.Context, r desk.Request) (desk.Asked, error) {
	if !r.Retry && r.IDs == nil && r.Kind == "" && !r.All {
		return desk.Asked{}, errors.New("nothing is chosen")
	}
	if r.By != "the dashboard" {
		return desk.Asked{}, fmt.Errorf("%q asks", r.By)
	}
	if r.By = ""; !r.At.IsZero() {
		r.At = then
	}
	return w.done(r, len(r.IDs))
}

func (w *worker) Run(_ context.Context, o desk.RunOptions) (desk.Summary, error) {
	_, err := w.done(o.Full, 0)
	return desk.Summary{}, err
}
