package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// ready means that webhooks can be stored, whatever the shop and the marketplace do.
func (a *adminServer) ready(w http.ResponseWriter, _ *http.Request) {
	err := a.c.storeTrouble.trouble()
	if err == nil || a.c.storeWorks() {
		err = a.c.store.Writable()
	}
	if err != nil {
		if store.Hopeless(err) {
			a.c.storeFailed(err)
		}
		http.Error(w, "store cannot be written: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (a *adminServer) status(w http.ResponseWriter, _ *http.Request) {
	s, err := a.c.Status()
	a.answer(w, s, err)
}

func (a *adminServer) publications(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit := 100
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			http.Error(w, "limit: a number from 1", http.StatusBadRequest)
			return
		}
		limit = min(n, 1000)
	}
	state := q.Get("state")
	if state != "" && !slices.Contains(States, State(state)) {
		http.Error(w, fmt.Sprintf("state: one of %v", States), http.StatusBadRequest)
		return
	}
	list, err := Publications(a.c.store, state, q.Get("after"), limit)
	if err != nil && strings.HasPrefix(err.Error(), "after:") {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.answer(w, list, err)
}

func (a *adminServer) explain(w http.ResponseWriter, r *http.Request) {
	e, err := Explain(a.c.store, a.c.rules, r.PathValue("id"))
	a.answer(w, e, err)
}

func (a *adminServer) retry(w http.ResponseWriter, r *http.Request) {
	err := Retry(a.c.store, r.PathValue("id"), r.URL.Query().Get("reset") == "true")
	a.shopAsked()
	a.done(w, err)
}

func (a *adminServer) approve(w http.ResponseWriter, r *http.Request) {
	err := Approve(a.c.store, r.PathValue("id"))
	a.c.bell.ring()
	a.done(w, err)
}

func (a *adminServer) retryFailed(w http.ResponseWriter, _ *http.Request) {
	n, err := RetryFailed(a.c.store)
	a.shopAsked()
	a.answer(w, map[string]int{"count": n}, err)
}

func (a *adminServer) approveAll(w http.ResponseWriter, _ *http.Request) {
	n, err := ApproveAll(a.c.store)
	a.c.bell.ring()
	a.answer(w, map[string]int{"count": n}, err)
}

func (a *adminServer) rebuild(w http.ResponseWriter, r *http.Request) {
	lister, ok := a.c.shop.(shopadapter.Lister)
	if !ok {
		http.Error(w, "the adapter cannot list what it made", http.StatusConflict)
		return
	}
	n, err := Rebuild(r.Context(), a.c.store, lister)
	if errors.Is(err, ErrNotEmpty) {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	a.c.bell.ring()
	a.answer(w, map[string]int{"count": n}, err)
}

// backup sends a copy of the store. It is made in a file first, so that a slow reader of the answer does not keep the store's old pages from being used
// again.
func (a *adminServer) backup(w http.ResponseWriter, r *http.Request) {
	tmp, err := os.CreateTemp(filepath.Dir(a.c.store.Path()), ".backup-*")
	if err != nil {
		a.answer(w, nil, err)
		return
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // a leftover is only a leftover
	defer tmp.Close()           //nolint:errcheck // it was read
	if err := a.c.store.Backup(tmp); err != nil {
		a.answer(w, nil, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) //nolint:errcheck // a listener without deadlines needs none lifted
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, tmp)
}

// shopAsked has a shop that refused everything tried again: a person says that it is mended.
func (a *adminServer) shopAsked() {
	a.c.shopGate.release()
	a.c.bell.ring()
}

func (a *adminServer) done(w http.ResponseWriter, err error) {
	if err != nil {
		a.answer(w, nil, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *adminServer) answer(w http.ResponseWriter, value any, err error) {
	switch {
	case errors.Is(err, ErrUnknown):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(true)
		_ = enc.Encode(value) //nolint:errcheck // the client has gone
	}
}

// A SweepRequest is the body of POST /api/v1/sweep.
type SweepRequest struct {
	Full     bool              `json:"full"`
	Wait     bool              `json:"wait"`
	Store    string            `json:"store,omitempty"`    // 409 when the worker's is another
	DryRun   bool              `json:"dryRun,omitempty"`   // with wait: a plan instead of a run
	Patience string            `json:"patience,omitempty"` // a span such as 2m
	Settings map[string]string `json:"settings,omitempty"` // variable -> digest of the caller's value
}

// SettingsHeader names the variables whose values differ between a caller and the worker.
const SettingsHeader = "Pubsync-Settings-Differ"

// StoreHeader names the store whose worker a request is for: a worker with another answers 409.
const StoreHeader = "Pubsync-Store"

// DefaultPatience is for how long a run retries transient errors.
const DefaultPatience = 2 * time.Minute

func (a *adminServer) sweep(w http.ResponseWriter, r *http.Request) {
	var req SweepRequest
	body := http.MaxBytesReader(w, r.Body, 64<<10)
	if err := json.NewDecoder(body).Decode(&req); err != nil && r.ContentLength != 0 {
		http.Error(w, "body: not the JSON that this address takes", http.StatusBadRequest)
		return
	}
	stay(r)
	patience := DefaultPatience
	if req.Patience != "" {
		d, err := time.ParseDuration(req.Patience)
		if err != nil || d < 0 {
			http.Error(w, "patience: a span such as 2m", http.StatusBadRequest)
			return
		}
		patience = d
	}
	if own := a.c.store.Path(); req.Store != "" && store.CanonicalPath(req.Store) != own {
		http.Error(w, "this worker has another store", http.StatusConflict)
		return
	}
	if differ := a.differing(req.Settings); len(differ) > 0 {
		w.Header().Set(SettingsHeader, strings.Join(differ, ","))
	}
	if !req.Wait {
		a.c.askRun(req.Full)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) //nolint:errcheck // a listener without deadlines needs none lifted
	_ = rc.SetReadDeadline(time.Time{})  //nolint:errcheck // as above
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	stop := context.AfterFunc(a.c.runCtx(), cancel)
	defer stop()
	if req.DryRun {
		plan, _ := a.c.Planner(patience).Plan(ctx, req.Full) //nolint:errcheck // the plan carries it
		a.answer(w, plan, nil)
		return
	}
	summary, err := a.c.RunOnce(ctx, OnceOptions{Full: req.Full, Patience: patience})
	if err != nil && a.c.runCtx().Err() != nil { // the worker that holds the store does not do it
		summary.Exit, summary.Error = ExitStore, "the worker is stopping"
	}
	a.answer(w, summary, nil)
}

// differing is the variables that caller and worker set differently.
func (a *adminServer) differing(theirs map[string]string) []string {
	if theirs == nil {
		return nil
	}
	var names []string
	for name, digest := range a.c.admin.Settings {
		if theirs[name] != digest {
			names = append(names, name)
		}
	}
	for name := range theirs {
		if _, ok := a.c.admin.Settings[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// askRun queues a sweep that a person asks for: everything pending is due at once, and every pause ends that the other side did not set.
func (c *Connector) askRun(full bool) {
	c.shopGate.release()
	c.marketGate.release()
	if err := c.wake(time.Now()); err != nil {
		c.storeFailed(err)
	}
	c.requestSweep(full)
}
