package desk

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// The headers of a request and of an answer that tell more than its body.
const (
	// StoreHeader names the store that a request is for: a process with another store answers 409.
	StoreHeader = "Pubsync-Store"
	// StartingHeader is in an answer of 503 to a request for an account that is not yet worked on, and
	// soon will be. Nothing has been done for the request.
	StartingHeader = "Pubsync-Starting"
	// exitHeader is the exit code of the command whose request is refused. An error without it is
	// the fault of the process that holds the store: exit 5.
	exitHeader = "Pubsync-Exit"
	// settingsHeader names the variables that the caller and the worker set differently.
	settingsHeader = "Pubsync-Settings-Differ"
	// waitsHeader tells why the request waits: the shop cannot be used yet.
	waitsHeader = "Pubsync-Waits"
)

// The paths that a Client asks.
const (
	statusPath       = "/api/v1/status"
	publicationsPath = "/api/v1/publications"
	heldPath         = "/api/v1/held"
	retryPath        = "/api/v1/retry"
	sweepPath        = "/api/v1/sweep"
	backupPath       = "/api/v1/backup"
	installationPath = "/api/v1/installation"
)

// Handler is the API. What it asks of the desk is answered as JSON, or with a status alone.
func (l *Local) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, ask func(w http.ResponseWriter, r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			value, err := ask(w, signed(r))
			status, bare := value.(int)
			switch {
			case err != nil:
				refuse(w, err)
			case bare:
				w.WriteHeader(status)
			case value != nil: // else it is answered
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(value) //nolint:errcheck // the client has gone
			}
		})
	}
	get := func(path string, tell func(r *http.Request) (any, error)) {
		handle("GET "+path, func(_ http.ResponseWriter, r *http.Request) (any, error) { return tell(r) })
	}
	get(statusPath, func(r *http.Request) (any, error) { return l.Status(r.Context()) })
	get(installationPath, func(r *http.Request) (any, error) { return l.Installation(r.Context()) })
	get(publicationsPath, l.list)
	get(publicationsPath+"/{id}", func(r *http.Request) (any, error) { return l.Explain(r.Context(), r.PathValue("id")) })
	get(heldPath, l.listHeld)
	get("/api/v1/rules", func(*http.Request) (any, error) {
		return map[string]map[string]string{"values": maps.Collect(maps.All(l.Figures))}, nil
	})
	handle("GET "+backupPath, l.sendBackup)
	handle("POST "+publicationsPath+"/{id}/{verb}", l.one)
	handle("POST "+retryPath, l.retry)
	handle("POST "+heldPath, l.answer)
	handle("POST "+sweepPath, l.sweep)
	handle("POST /api/v1/rules", l.try)
	return mux
}

func (l *Local) list(r *http.Request) (any, error) {
	form := r.URL.Query()
	limit, err := limitOf(form)
	q := Query{
		State: store.State(form.Get("state")), After: form.Get("after"), Limit: limit, Find: form.Get("find"),
	}
	switch {
	case err != nil:
		return nil, err
	case q.State != "" && !slices.Contains(store.States(), q.State):
		return nil, BadRequest(fmt.Sprintf("state: one of %v", store.States()))
	}
	return l.Publications(r.Context(), q)
}

func (l *Local) listHeld(r *http.Request) (any, error) {
	form := r.URL.Query()
	limit, err := limitOf(form)
	if err != nil {
		return nil, err
	}
	filter := HeldFilter{Group: form.Get("group"), Search: form.Get("search")}
	return l.Held(r.Context(), HeldQuery{HeldFilter: filter, After: form.Get("after"), Limit: limit})
}

const (
	listDefault = 100
	listMost    = 1000 // entries of a page
)

func limitOf(form url.Values) (int, error) {
	n, err := strconv.Atoi(cmp.Or(form.Get("limit"), strconv.Itoa(listDefault)))
	if err != nil || n < 1 {
		return 0, BadRequest("limit: a number from 1")
	}
	return min(n, listMost), nil
}

// one does to the publication of the path what the path ends in: retry, approve or decline.
func (l *Local) one(w http.ResponseWriter, r *http.Request) (any, error) {
	var shown struct {
		Holds []string `json:"holds"`
	}
	if err := read(w, r, &shown); err != nil {
		return nil, err
	}
	var a Asked
	var err error
	ids := []string{r.PathValue("id")}
	switch verb := r.PathValue("verb"); verb {
	case "retry":
		a, err = l.Retry(r.Context(), Retry{IDs: ids, Reset: r.URL.Query().Get("reset") == "true"})
	case "approve", "decline":
		a, err = l.Answer(r.Context(), Answer{IDs: ids, Holds: shown.Holds, Decline: verb == "decline"})
	default:
		return http.StatusNotFound, nil
	}
	if err == nil && len(a.Unknown) > 0 {
		err = ErrUnknown
	}
	tellWaits(w, a)
	return http.StatusNoContent, err
}

func tellWaits(w http.ResponseWriter, a Asked) {
	if a.Waits != "" {
		w.Header().Set(waitsHeader, a.Waits)
	}
}

func (l *Local) retry(w http.ResponseWriter, r *http.Request) (any, error) {
	var asked Retry
	if err := read(w, r, &asked); err != nil {
		return nil, err
	}
	a, err := l.Retry(r.Context(), asked)
	tellWaits(w, a)
	return a, err
}

// An answerRequest is an Answer that says in words that it is for all.
type answerRequest struct {
	Answer

	All bool `json:"all,omitempty"`
}

// answer approves or declines what the body says. A body that chooses nothing is refused: it is more
// likely a mistake than an answer to everything, which is {"all":true}.
func (l *Local) answer(w http.ResponseWriter, r *http.Request) (any, error) {
	var asked answerRequest
	if err := read(w, r, &asked); err != nil {
		return nil, err
	}
	if !asked.All && len(asked.IDs) == 0 && asked.HeldFilter == (HeldFilter{}) {
		return nil, BadRequest("body: ids, group, search or all")
	}
	return l.Answer(r.Context(), asked.Answer)
}

// try tries rules of prices on the list. One trial is made at a time: the others wait.
func (l *Local) try(w http.ResponseWriter, r *http.Request) (any, error) {
	var asked struct {
		Set map[string]string `json:"set"`
	}
	if err := read(w, r, &asked); err != nil {
		return nil, err
	}
	if l.Read == nil {
		return http.StatusNotFound, nil
	}
	rules, brake, err := l.Read(asked.Set)
	if err != nil {
		return nil, &Error{Exit: ExitUsage, Err: err}
	}
	l.trying.Lock()
	defer l.trying.Unlock()
	return l.Try(r.Context(), rules, brake)
}

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

func (l *Local) sweep(w http.ResponseWriter, r *http.Request) (any, error) {
	var req SweepRequest
	if err := read(w, r, &req); err != nil {
		return nil, err
	}
	patience, err := time.ParseDuration(cmp.Or(req.Patience, DefaultPatience.String()))
	if err != nil || patience < 0 {
		return nil, BadRequest("patience: a span such as 2m")
	}
	if at := store.PathOf(l.Store); req.Store != "" && req.Store != at && store.CanonicalPath(req.Store) != at {
		return nil, errStore
	}
	o := RunOptions{Full: req.Full, Patience: patience}
	if req.Rules != nil && req.DryRun {
		if err := req.Rules.Price.Check(); err != nil {
			return nil, BadRequest("rules: " + err.Error())
		}
		o.Rules = req.Rules
	}
	if differ := differing(l.Settings, req.Settings); len(differ) > 0 {
		w.Header().Set(settingsHeader, strings.Join(differ, ","))
	}
	if !req.Wait {
		a, err := l.Sweep(r.Context(), req.Full)
		tellWaits(w, a)
		return http.StatusAccepted, err
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) //nolint:errcheck // a listener without deadlines needs none lifted
	_ = rc.SetReadDeadline(time.Time{})  //nolint:errcheck // as above
	if req.DryRun {
		return l.Plan(r.Context(), o)
	}
	return l.Run(r.Context(), o)
}

// differing is the variables that caller and worker set differently, none where the caller tells of none.
func differing(ours, theirs map[string]string) (names []string) {
	if theirs == nil {
		return nil
	}
	all := maps.Clone(theirs)
	maps.Copy(all, ours)
	for name := range all {
		if ours[name] != theirs[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// largestBody bounds the body of a request, in bytes: it may name many publications.
const largestBody = 8 << 20

func read(w http.ResponseWriter, r *http.Request, body any) error {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestBody)).Decode(body)
	if err != nil && (!errors.Is(err, io.EOF) || r.ContentLength > 0) {
		return BadRequest("body: " + err.Error())
	}
	return nil
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	var bad BadRequest
	var e *Error
	switch {
	case errors.Is(err, ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, ErrHold), errors.Is(err, errStore), errors.Is(err, errBackup):
		status = http.StatusConflict
	case errors.As(err, &bad):
		status = http.StatusBadRequest
	case errors.As(err, &e):
		w.Header().Set(exitHeader, strconv.Itoa(e.Exit))
		switch e.Exit {
		case ExitUsage:
			status = http.StatusConflict
		case ExitShop, ExitMarketplace:
			status = http.StatusBadGateway
		}
	}
	http.Error(w, err.Error(), status)
}
