package dashboard_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A worker stands in for the real one behind its API. It answers in the real one's types, so that
// the page is held to the API as it is.
type worker struct {
	*httptest.Server

	mu        sync.Mutex
	status    desk.Status
	listed    []desk.Listed
	explained map[string]desk.Explanation
	page      http.Handler
	answer    func(http.ResponseWriter) // instead of every answer of the API; nil: none
	away      func(http.ResponseWriter) // instead of the page; nil: none
	posts     []string                  // commands received: method, decoded path, query and body
	gets      map[string]int            // what was asked for, by path
	rules     map[string]string         // that are set
	trial     desk.Trial
	tried     map[string]string // settings of the last trial
	held      []map[string]any  // groups of held changes
}

func newWorker(t *testing.T) *worker {
	t.Helper()
	w := &worker{explained: map[string]desk.Explanation{}, gets: map[string]int{}}
	w.status = desk.Status{Version: "v1.2.3", Publications: map[store.State]int{}, Started: time.Now().Add(-time.Hour)}
	w.status.Sweeps.Incremental.At = time.Now().Add(-time.Minute)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/status", func(rw http.ResponseWriter, _ *http.Request) { w.write(rw, w.status) })
	mux.HandleFunc("GET /api/v1/publications", w.list)
	mux.HandleFunc("GET /api/v1/publications/{id}", func(rw http.ResponseWriter, r *http.Request) {
		e, ok := w.explained[r.PathValue("id")]
		if !ok {
			rw.Header().Set("Pubsync-Exit", "1")
			http.Error(rw, desk.ErrUnknown.Error(), http.StatusNotFound)
			return
		}
		w.write(rw, e)
	})
	mux.HandleFunc("POST /api/v1/rules", func(rw http.ResponseWriter, r *http.Request) {
		var asked map[string]string
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		trial := w.trial
		switch {
		case asked["PUBSYNC_PRICE_ENDING"] != "":
			trial = desk.Trial{Fault: "PUBSYNC_PRICE_ENDING: is not an ending"}
		default:
			w.tried = asked
		}
		trial.Values = maps.Collect(maps.All(w.rules))
		w.write(rw, trial)
	})
	mux.HandleFunc("GET /api/v1/held", func(rw http.ResponseWriter, _ *http.Request) {
		w.write(rw, map[string]any{"groups": w.held, "at": "2026-11-03T10:00:00Z"})
	})
	for _, command := range []string{"retry", "held"} {
		mux.HandleFunc("POST /api/v1/"+command, func(rw http.ResponseWriter, r *http.Request) {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				http.Error(rw, err.Error(), http.StatusBadRequest)
				return
			}
			if _, said := body["at"]; said {
				body["at"] = "then"
			}
			if command == "held" && body["ids"] == nil && body["kind"] == nil && body["all"] == nil {
				http.Error(rw, "nothing is chosen", http.StatusBadRequest)
				return
			}
			w.posts = append(w.posts, fmt.Sprint(command, " ", body))
			ids, named := body["ids"].([]any)
			if !named {
				ids = make([]any, 2)
			}
			w.write(rw, map[string]int{"count": len(ids)})
		})
	}
	mux.HandleFunc("POST /api/v1/sweep", func(rw http.ResponseWriter, r *http.Request) {
		var asked desk.SweepRequest
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		w.posts = append(w.posts, fmt.Sprintf("sweep full=%t", asked.Full))
		rw.WriteHeader(http.StatusAccepted)
	})
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.gets[r.Method+" "+r.URL.Path]++
		away := w.away
		if r.URL.Path != "/" {
			defer w.mu.Unlock()
			if w.answer != nil {
				w.answer(rw)
			} else {
				mux.ServeHTTP(rw, r)
			}
			return
		}
		w.mu.Unlock()
		if away != nil {
			away(rw)
			return
		}
		w.page.ServeHTTP(rw, r)
	}))
	w.page = dashboard.Handler(w.desk(), dashboard.Options{})
	t.Cleanup(w.Close)
	return w
}

// desk asks the worker's API.
func (w *worker) desk() *desk.Client {
	return &desk.Client{Base: w.URL, HTTP: w.Client(), Logger: slog.New(slog.DiscardHandler)}
}

// set changes what the worker has to tell.
func (w *worker) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *worker) received() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.posts...)
}

func (w *worker) asked(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gets[path]
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

func (w *worker) list(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := strconv.Atoi(q.Get("after")) //nolint:errcheck // an empty cursor is the start
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		http.Error(rw, "limit", http.StatusBadRequest)
		return
	}
	out := desk.List{Publications: []desk.Listed{}}
	for _, l := range w.listed {
		if state := store.State(q.Get("state")); state != "" && l.State != state ||
			!strings.Contains(strings.ToLower(l.Title), strings.ToLower(q.Get("find"))) {
			continue
		}
		switch out.Total++; {
		case out.Total <= from:
		case len(out.Publications) < min(limit, 1000):
			out.Publications = append(out.Publications, l)
		default:
			out.After = strconv.Itoa(from + limit)
		}
	}
	w.write(rw, out)
}

func (w *worker) write(rw http.ResponseWriter, value any) {
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(value) //nolint:errcheck // the browser has gone
}
