package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/store"
)

// The headers of a request and of an answer that tell more than its body.
const (
	// StoreHeader names the store that a request is for: a process with another store answers 409.
	StoreHeader = "Pubsync-Store"
	// exitHeader is the command's exit code. Without it an error is the process's own: exit 5.
	exitHeader = "Pubsync-Exit"
	// settingsHeader names the variables that the caller and the worker set differently.
	settingsHeader = "Pubsync-Settings-Differ"
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
	rulesPath        = "/api/v1/rules"
)

// An answer is a JSON document, a status alone, or nil where the answer was written.
type answer func(w http.ResponseWriter, r *http.Request) (any, error)

// posted reads the body first.
func posted[Body any](ask func(http.ResponseWriter, *http.Request, Body) (any, error)) answer {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		var body Body
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestBody)).Decode(&body)
		if err != nil && (!errors.Is(err, io.EOF) || r.ContentLength > 0) {
			return nil, BadRequest("body: " + err.Error())
		}
		return ask(w, r, body)
	}
}

// largestBody bounds the body of a request, in bytes: it may name many publications.
const largestBody = 8 << 20

func (l *Local) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, ask := range map[string]answer{
		"GET " + statusPath:       func(_ http.ResponseWriter, r *http.Request) (any, error) { return l.Status(r.Context()) },
		"GET " + publicationsPath: l.list,
		"GET " + publicationsPath + "/{id}": func(_ http.ResponseWriter, r *http.Request) (any, error) {
			return l.Explain(r.Context(), r.PathValue("id"))
		},
		"POST " + publicationsPath + "/{id}/{verb}": posted(l.one),
		"GET " + heldPath:  l.listHeld,
		"POST " + heldPath: posted(l.answer),
		"POST " + retryPath: posted(func(_ http.ResponseWriter, r *http.Request, asked Retry) (any, error) {
			return l.Retry(r.Context(), asked)
		}),
		"POST " + sweepPath: posted(l.sweep),
		"GET " + backupPath: l.sendBackup,
		"GET " + installationPath: func(_ http.ResponseWriter, r *http.Request) (any, error) {
			i, _, err := install.Of(r.Context(), l.Store) // its token is encrypted with the app's secret
			return i, err
		},
		"GET " + rulesPath: func(http.ResponseWriter, *http.Request) (any, error) {
			return figures{maps.Collect(maps.All(l.Figures))}, nil // never null
		},
		"POST " + rulesPath: posted(l.try),
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if asked := r.Header.Get(StoreHeader); asked != "" && asked != l.Store.Path() {
				refuse(w, errStore)
				return
			}
			value, err := ask(w, signed(r))
			status, bare := value.(int)
			switch {
			case err != nil:
				refuse(w, err)
			case bare:
				w.WriteHeader(status)
			case value != nil:
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(value) //nolint:errcheck // the client has gone
			}
		})
	}
	return mux
}

func (l *Local) list(_ http.ResponseWriter, r *http.Request) (any, error) {
	form := r.URL.Query()
	limit, err := limitOf(form, listDefault)
	q := Query{State: store.State(form.Get("state")), After: form.Get("after"), Limit: limit, Find: form.Get("find")}
	if q.State != "" && !slices.Contains(store.States(), q.State) {
		err = BadRequest(fmt.Sprintf("state: one of %v", store.States()))
	}
	if err != nil {
		return nil, err
	}
	return l.Publications(r.Context(), q)
}

func (l *Local) listHeld(_ http.ResponseWriter, r *http.Request) (any, error) {
	form := r.URL.Query()
	limit, err := limitOf(form, 0)
	if err != nil {
		return nil, err
	}
	return l.Held(r.Context(), HeldQuery{Group: form.Get("group"), Limit: limit})
}

const (
	listDefault = 100
	listMost    = 1000 // entries of a page
)

// limitOf is the limit of a query; none is that of one that names none.
func limitOf(form url.Values, none int) (int, error) {
	if !form.Has("limit") || form.Get("limit") == "" {
		return none, nil
	}
	n, err := strconv.Atoi(form.Get("limit"))
	if err != nil || n < 1 {
		return 0, BadRequest("limit: a number from 1")
	}
	return min(n, listMost), nil
}

func (l *Local) one(_ http.ResponseWriter, r *http.Request, shown Answer) (any, error) {
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
	return http.StatusNoContent, err
}

// answer approves or declines what the body says. A body that chooses nothing is refused: it is more
// likely a mistake than an answer to everything, which is {"all":true}.
func (l *Local) answer(_ http.ResponseWriter, r *http.Request, asked Answer) (any, error) {
	if !asked.All && len(asked.IDs) == 0 && asked.Group == "" {
		return nil, BadRequest("body: ids, group or all")
	}
	return l.Answer(r.Context(), asked)
}

// figures are the settings of prices and stock that are set.
type figures struct {
	Values map[string]string `json:"values"`
}

type trialRequest struct {
	Set map[string]string `json:"set"`
}

// try tries rules of prices on the list. One trial is made at a time: the others wait.
func (l *Local) try(_ http.ResponseWriter, r *http.Request, asked trialRequest) (any, error) {
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

type SweepRequest struct {
	Full     bool              `json:"full"`
	Wait     bool              `json:"wait"`
	Store    string            `json:"store,omitempty"`    // 409 when the worker's is another
	DryRun   bool              `json:"dryRun,omitempty"`   // with wait: a plan instead of a run
	Patience string            `json:"patience,omitempty"` // a span such as 2m
	Rules    *PlannedRules     `json:"rules,omitempty"`    // with dryRun: to plan with in place of the worker's
	Settings map[string]string `json:"settings"`           // variable -> digest of the caller's value
}

func (l *Local) sweep(w http.ResponseWriter, r *http.Request, req SweepRequest) (any, error) {
	patience, err := time.ParseDuration(cmp.Or(req.Patience, DefaultPatience.String()))
	if err != nil || patience < 0 {
		return nil, BadRequest("patience: a span such as 2m")
	}
	if at := l.Store.Path(); req.Store != "" && req.Store != at && store.CanonicalPath(req.Store) != at {
		return nil, errStore
	}
	o := RunOptions{Full: req.Full, Patience: patience}
	if req.Rules != nil && req.DryRun {
		if err := req.Rules.Price.Check(); err != nil {
			return nil, BadRequest("rules: " + err.Error())
		}
		o.Rules = req.Rules
	}
	if differ := l.differing(req.Settings, o.Rules); len(differ) > 0 {
		w.Header().Set(settingsHeader, strings.Join(differ, ","))
	}
	if !req.Wait {
		err := l.Worker.Sweep(r.Context(), req.Full)
		l.tryShop(r.Context())
		return http.StatusAccepted, err
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) //nolint:errcheck // a listener without deadlines needs none lifted
	_ = rc.SetReadDeadline(time.Time{})  //nolint:errcheck // as above
	if req.DryRun {
		return l.Worker.Plan(r.Context(), o)
	}
	return l.Worker.Run(r.Context(), o)
}

// differing is the variables that caller and worker set differently, none where the caller tells of none. Those of
// rules that the caller plans with do not count.
func (l *Local) differing(theirs map[string]string, rules *PlannedRules) (names []string) {
	if theirs == nil {
		return nil
	}
	all := maps.Clone(theirs)
	maps.Copy(all, l.Settings)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return l.Settings[name] == theirs[name] || rules != nil && (rules.Set[name] != "" || l.Figures[name] != "")
	})
	return slices.Sorted(maps.Keys(all))
}

// backupMost bounds how long the client of a backup may take to read it.
const backupMost = time.Hour

// sendBackup sends a copy of the store, one at a time. The copy is made in a file first, since a slow
// reader would keep the store from using old pages again. The file loses its name as soon as it is
// open, so that a worker that is killed leaves nothing of it where the system can do that.
func (l *Local) sendBackup(w http.ResponseWriter, r *http.Request) (any, error) {
	if !l.copying.TryLock() {
		w.Header().Set("Retry-After", "60")
		return nil, errBackup
	}
	defer l.copying.Unlock()
	path := l.Store.Path()
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); err != nil {
		folder = "" // the store is no file: that of the system for temporary ones
	}
	tmp, err := os.CreateTemp(folder, "."+filepath.Base(path)+".backup-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(tmp.Name()) != nil { // a system that knows no files without a name
		defer os.Remove(tmp.Name()) //nolint:errcheck // a leftover is only a leftover
	}
	defer tmp.Close() //nolint:errcheck // it was read
	if err := l.Backup(r.Context(), tmp); err != nil {
		return nil, err
	}
	//nolint:errcheck // a listener without deadlines needs none
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(backupMost))
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, tmp)
	return nil, nil //nolint:nilnil // it is answered
}

// refuse answers with an error. A client of this process is handed the error itself.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	var bad BadRequest
	var e *Error
	here, _ := w.(*recorder)
	switch {
	case here != nil:
		here.err = err
		return
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

// ActorHeader names the actor of a request of a command, percent-encoded.
const ActorHeader = "Pubsync-Actor"

const longestName = 64

type actorKey struct{}

// WithActor is a context whose requests to a desk are of somebody's command; "": history calls it so.
func WithActor(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, actorKey{}, cleaned(name))
}

// ActorOf is how history names the actor of a context, "" where it has none.
func ActorOf(ctx context.Context) string {
	name, _ := ctx.Value(actorKey{}).(string)
	return name
}

// cleaned is a name that history can keep: one line of bounded length.
func cleaned(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	runes := []rune(name)
	return cmp.Or(strings.TrimSpace(string(runes[:min(len(runes), longestName)])), "a command")
}

// signed is the request with its actor in the context. Commands and the dashboard name one, other programs do not.
func signed(r *http.Request) *http.Request {
	name := "the API"
	if _, named := r.Header[ActorHeader]; named {
		name, _ = url.PathUnescape(r.Header.Get(ActorHeader)) //nolint:errcheck // then it has none
	}
	return r.WithContext(WithActor(r.Context(), name))
}
