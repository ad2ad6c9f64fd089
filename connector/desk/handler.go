package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/store"
)

// The headers of an answer that tell more than its body.
const (
	// ExitHeader is the exit code of the command whose request is refused. An error without it is
	// the fault of the process that holds the store: exit 5.
	ExitHeader = "Pubsync-Exit"
	// SettingsHeader names the variables that the caller and the worker set differently.
	SettingsHeader = "Pubsync-Settings-Differ"
	// WaitsHeader tells why the request waits: the shop cannot be used yet.
	WaitsHeader = "Pubsync-Waits"
)

// HandlerOptions is what a Handler needs beside its desk.
type HandlerOptions struct {
	Store    func() string     // the path of the store: a copy is made beside it, and a sweep may name it
	Settings map[string]string // variable -> digest of its value

	Figures map[string]string // the settings of prices and stock that are set
	// Try tries settings of prices in the place of some of these; nil: none can be tried
	Try func(ctx context.Context, set map[string]string) (Trial, error)
}

// A Handler answers the API with a desk.
type Handler struct {
	desk Desk
	HandlerOptions
	mux     *http.ServeMux
	waiting chan struct{} // a token for each sweep that a caller waits for
	copying chan struct{} // a token for the one backup
	trying  chan struct{} // a token for the one trial
}

func NewHandler(d Desk, o HandlerOptions) *Handler {
	h := &Handler{
		desk:           d,
		HandlerOptions: o,
		mux:            http.NewServeMux(),
		waiting:        make(chan struct{}, mostWaiting),
		copying:        make(chan struct{}, 1),
		trying:         make(chan struct{}, 1),
	}
	h.mux.HandleFunc("GET /api/v1/status", h.status)
	h.mux.HandleFunc("GET /api/v1/publications", h.publications)
	h.mux.HandleFunc("GET /api/v1/publications/{id}", h.explain)
	h.mux.HandleFunc("POST /api/v1/publications/{id}/retry", h.one(retries(d)))
	h.mux.HandleFunc("POST /api/v1/publications/{id}/approve", h.one(answers(d, false)))
	h.mux.HandleFunc("POST /api/v1/publications/{id}/decline", h.one(answers(d, true)))
	h.mux.HandleFunc("GET /api/v1/failures", h.failures)
	h.mux.HandleFunc("POST "+retryPath, h.retry)
	h.mux.HandleFunc("GET "+heldPath, h.held)
	h.mux.HandleFunc("POST "+heldPath, h.answer)
	h.mux.HandleFunc("GET /api/v1/rules", h.rules)
	h.mux.HandleFunc("POST /api/v1/rules/try", h.try)
	h.mux.HandleFunc("POST /api/v1/sweep", h.sweep)
	h.mux.HandleFunc("GET /api/v1/backup", h.backup)
	h.mux.HandleFunc("GET "+installationPath, h.installation)
	return h
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, signed(r)) }

func (h *Handler) status(w http.ResponseWriter, r *http.Request) {
	s, err := h.desk.Status(r.Context())
	answer(w, s, err)
}

const (
	listDefault = 100
	listMost    = 1000 // entries of a page
)

func (h *Handler) publications(w http.ResponseWriter, r *http.Request) {
	form := r.URL.Query()
	limit, ok := limitOf(w, form)
	if !ok {
		return
	}
	q := Query{
		State: store.State(form.Get("state")),
		After: form.Get("after"),
		Limit: limit,
		Find:  form.Get("find"),
		Cause: form.Get("cause"),
	}
	if q.State != "" && !slices.Contains(store.States(), q.State) {
		http.Error(w, fmt.Sprintf("state: one of %v", store.States()), http.StatusBadRequest)
		return
	}
	list, err := h.desk.Publications(r.Context(), q)
	answer(w, list, err)
}

// limitOf is how many entries of a list are asked for. Where that cannot be read it answers the
// request, and ok is false.
func limitOf(w http.ResponseWriter, form url.Values) (limit int, ok bool) {
	v := form.Get("limit")
	if v == "" {
		return listDefault, true
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		http.Error(w, "limit: a number from 1", http.StatusBadRequest)
		return 0, false
	}
	return min(n, listMost), true
}

func (h *Handler) explain(w http.ResponseWriter, r *http.Request) {
	e, err := h.desk.Explain(r.Context(), r.PathValue("id"))
	answer(w, e, err)
}

// one does something with the publication of the path: 204, or 404 where the store knows none.
func (h *Handler) one(do func(r *http.Request, id string, body Answer) (Asked, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body Answer
		if r.ContentLength != 0 && !read(w, r, &body) {
			return
		}
		a, err := do(r, r.PathValue("id"), body)
		if err == nil && len(a.Unknown) > 0 {
			err = ErrUnknown
		}
		if err != nil {
			refuse(w, err)
			return
		}
		tellWait(w, a)
		w.WriteHeader(http.StatusNoContent)
	}
}

// retries makes one publication due now.
func retries(d Desk) func(*http.Request, string, Answer) (Asked, error) {
	return func(r *http.Request, id string, _ Answer) (Asked, error) {
		return d.Retry(r.Context(), Retry{IDs: []string{id}, Reset: r.URL.Query().Get("reset") == "true"})
	}
}

// answers approves or declines what is held of one publication, or what of it was shown.
func answers(d Desk, decline bool) func(*http.Request, string, Answer) (Asked, error) {
	return func(r *http.Request, id string, body Answer) (Asked, error) {
		return d.Answer(r.Context(), Answer{Decline: decline, IDs: []string{id}, Holds: body.Holds})
	}
}

// largestBody bounds the body of a request that names publications, in bytes.
const largestBody = 8 << 20

// read decodes the body of a request. Where that cannot be read it answers the request.
func read(w http.ResponseWriter, r *http.Request, body any) bool {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestBody)).Decode(body)
	if err != nil && (!errors.Is(err, io.EOF) || r.ContentLength > 0) {
		http.Error(w, "body: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func (h *Handler) failures(w http.ResponseWriter, r *http.Request) {
	f, err := h.desk.Failures(r.Context())
	answer(w, f, err)
}

const retryPath = "/api/v1/retry"

func (h *Handler) retry(w http.ResponseWriter, r *http.Request) {
	var asked Retry
	if read(w, r, &asked) {
		a, err := h.desk.Retry(r.Context(), asked)
		counted(w, a, err)
	}
}

const heldPath = "/api/v1/held"

func (h *Handler) held(w http.ResponseWriter, r *http.Request) {
	form := r.URL.Query()
	limit, ok := limitOf(w, form)
	if !ok {
		return
	}
	held, err := h.desk.Held(r.Context(), HeldQuery{
		HeldFilter: HeldFilter{
			Group:  form.Get("group"),
			Search: form.Get("search"),
		}, After: form.Get("after"), Limit: limit,
	})
	answer(w, held, err)
}

// An answerRequest is an Answer that says in words that it is for all.
type answerRequest struct {
	Answer

	All bool `json:"all,omitempty"`
}

// answer approves or declines what the body says. A body that chooses nothing is refused: it is
// more likely a mistake than an answer to everything, which is {"all":true}.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) {
	var asked answerRequest
	if !read(w, r, &asked) {
		return
	}
	if !asked.All && len(asked.IDs) == 0 && asked.HeldFilter == (HeldFilter{}) {
		http.Error(w, "body: ids, group, search or all", http.StatusBadRequest)
		return
	}
	a, err := h.desk.Answer(r.Context(), asked.Answer)
	counted(w, a, err)
}

// A count is the answer to a request for many publications.
type count struct {
	Count   int      `json:"count"`
	Unknown []string `json:"unknown,omitempty"`
}

func counted(w http.ResponseWriter, a Asked, err error) {
	tellWait(w, a)
	answer(w, count{a.Count, a.Unknown}, err)
}

func tellWait(w http.ResponseWriter, a Asked) {
	if a.Waits != "" {
		w.Header().Set(WaitsHeader, a.Waits)
	}
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true)
	_ = enc.Encode(value) //nolint:errcheck // the client has gone
}

// refuse answers a request with its error, and the exit code where that has one.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	var e *Error
	switch {
	case errors.Is(err, ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, ErrHold):
		status = http.StatusConflict
	case errors.Is(err, ErrKind), errors.Is(err, ErrCursor), errors.Is(err, errRetry):
		status = http.StatusBadRequest
	case errors.As(err, &e):
		w.Header().Set(ExitHeader, strconv.Itoa(e.Exit))
		status = map[int]int{
			ExitUsage: http.StatusConflict, ExitShop: http.StatusBadGateway,
			ExitMarketplace: http.StatusBadGateway,
		}[e.Exit]
		if status == 0 {
			status = http.StatusServiceUnavailable
		}
	}
	http.Error(w, err.Error(), status)
}
