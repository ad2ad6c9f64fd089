package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A SweepRequest is the body of POST /api/v1/sweep.
type SweepRequest struct {
	Full     bool              `json:"full"`
	Wait     bool              `json:"wait"`
	Store    string            `json:"store,omitempty"`    // 409 when the worker's is another
	DryRun   bool              `json:"dryRun,omitempty"`   // with wait: a plan instead of a run
	Patience string            `json:"patience,omitempty"` // a span such as 2m
	Rules    *PlannedRules     `json:"rules,omitempty"`    // with dryRun: to plan with in place of the worker's
	Settings map[string]string `json:"settings"`           // variable -> digest of the caller's value
}

// Sweeps that callers wait for have a limit of their own, so that they never take the connections
// of other requests.
const (
	mostWaiting  = 16
	longestSweep = 24 * time.Hour
)

func (h *Handler) sweep(w http.ResponseWriter, r *http.Request) {
	var req SweepRequest
	body := http.MaxBytesReader(w, r.Body, 64<<10)
	if err := json.NewDecoder(body).Decode(&req); err != nil && r.ContentLength != 0 {
		http.Error(w, "body: not the JSON that this address accepts", http.StatusBadRequest)
		return
	}
	o := RunOptions{Full: req.Full, Patience: DefaultPatience}
	if req.Patience != "" {
		d, err := time.ParseDuration(req.Patience)
		if err != nil || d < 0 {
			http.Error(w, "patience: a span such as 2m", http.StatusBadRequest)
			return
		}
		o.Patience = d
	}
	if at := h.Store(); req.Store != "" && req.Store != at && store.CanonicalPath(req.Store) != at {
		http.Error(w, "this worker has another store", http.StatusConflict)
		return
	}
	if req.Rules != nil && req.DryRun {
		if err := req.Rules.Price.Check(); err != nil {
			http.Error(w, "rules: "+err.Error(), http.StatusBadRequest)
			return
		}
		o.Rules = req.Rules
	}
	if differ := h.differing(req.Settings); len(differ) > 0 {
		w.Header().Set(SettingsHeader, strings.Join(differ, ","))
	}
	if req.Wait {
		h.await(w, r, o, req.DryRun)
		return
	}
	a, err := h.desk.Sweep(r.Context(), req.Full)
	if err != nil {
		refuse(w, err)
		return
	}
	tellWait(w, a)
	w.WriteHeader(http.StatusAccepted)
}

// await makes the run, or the plan, that the caller waits for.
func (h *Handler) await(w http.ResponseWriter, r *http.Request, o RunOptions, dry bool) {
	select {
	case h.waiting <- struct{}{}:
		defer func() { <-h.waiting }()
	default:
		w.Header().Set("Retry-After", "60")
		http.Error(w, fmt.Sprintf("%d callers wait for a sweep already: ask without waiting, or later", mostWaiting),
			http.StatusServiceUnavailable)
		return
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) //nolint:errcheck // a listener without deadlines needs none lifted
	_ = rc.SetReadDeadline(time.Time{})  //nolint:errcheck // as above
	ctx, cancel := context.WithTimeout(r.Context(), longestSweep)
	defer cancel()
	if dry {
		plan, err := h.desk.Plan(ctx, o)
		answer(w, plan, err)
		return
	}
	summary, err := h.desk.Run(ctx, o)
	answer(w, summary, err)
}

// differing is the variables that caller and worker set differently.
func (h *Handler) differing(theirs map[string]string) (names []string) {
	if theirs == nil {
		return nil
	}
	for name, digest := range h.Settings {
		if theirs[name] != digest {
			names = append(names, name)
		}
	}
	for name := range theirs {
		if _, ok := h.Settings[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
