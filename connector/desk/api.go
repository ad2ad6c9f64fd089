package desk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	// StoreHeader names the store that is meant; a process with another one answers 409.
	StoreHeader    = "Pubsync-Store"
	exitHeader     = "Pubsync-Exit" // absent: the error is the process's own
	settingsHeader = "Pubsync-Settings-Differ"
)

// An ask returns a document, a bare status, or nil if it has written the answer.
type ask func(http.ResponseWriter, *http.Request) (any, error)

// Handler serves the API.
func (l *Local) Handler() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, f ask) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if asked := r.Header.Get(StoreHeader); asked != "" && asked != l.Store.Path() {
				refuse(w, errStore)
				return
			}
			answer, err := f(w, r)
			switch status, bare := answer.(int); {
			case err != nil:
				refuse(w, err)
			case bare:
				w.WriteHeader(status)
			case answer != nil:
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(answer) //nolint:errcheck // the client has gone
			}
		})
	}
	on("GET /api/v1/status", answer(l.Status))
	on("GET /api/v1/publications", l.list)
	on("GET /api/v1/publications/{id}", func(_ http.ResponseWriter, r *http.Request) (any, error) {
		return l.Explain(r.Context(), r.PathValue("id"))
	})
	for _, verb := range []string{"approve", "decline", "retry"} {
		on("POST /api/v1/publications/{id}/"+verb, l.asked)
	}
	on("POST /api/v1/held", l.asked)
	on("POST /api/v1/retry", l.asked)
	on("GET /api/v1/held", func(_ http.ResponseWriter, r *http.Request) (any, error) {
		return l.Held(r.Context(), r.FormValue("kind"))
	})
	on("POST /api/v1/sweep", l.sweep)
	on("GET /api/v1/backup", l.sendBackup)
	on("GET /api/v1/installation", answer(l.Installation))
	return mux
}

func answer[Answer any](of func(context.Context) (Answer, error)) ask {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) { return of(r.Context()) }
}

// read leaves the document as it is for an empty body. Its error names an unknown member.
func read(r *http.Request, document any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(document)
	if err == nil || errors.Is(err, io.EOF) && r.ContentLength <= 0 {
		return nil
	}
	return usage("body: %w", err)
}

func (l *Local) list(w http.ResponseWriter, r *http.Request) (any, error) {
	q := Query{State: store.State(r.FormValue("state")), After: r.FormValue("after"), Find: r.FormValue("find")}
	limit, err := strconv.Atoi(cmp.Or(r.FormValue("limit"), "100"))
	switch q.Limit = limit; {
	case err != nil || limit < 1:
		return nil, usage("limit: a number from 1")
	case q.State != "" && !slices.Contains(store.States(), q.State):
		return nil, usage("state: one of %v", store.States())
	}
	lift(w)
	return l.Publications(r.Context(), q)
}

// asked carries out a verb, for one publication or for those of the body.
func (l *Local) asked(_ http.ResponseWriter, r *http.Request) (any, error) {
	id, verb := r.PathValue("id"), path.Base(r.URL.Path)
	var body Request
	if err := read(r, &body); err != nil {
		return nil, err
	}
	body.Retry, body.By = verb == "retry", cmp.Or(body.By, "the API")
	if id == "" {
		return l.Ask(r.Context(), body)
	}
	body.IDs, body.Decline = []string{id}, verb == "decline"
	done, err := l.Ask(r.Context(), body)
	if err == nil && len(done.Unknown) > 0 {
		err = ErrUnknown
	}
	return http.StatusNoContent, err
}

func (l *Local) sweep(w http.ResponseWriter, r *http.Request) (any, error) {
	req := RunOptions{Patience: DefaultPatience}
	if err := read(r, &req); err != nil {
		return nil, err
	}
	at := l.Store.Path()
	switch {
	case req.Patience < 0:
		return nil, usage("patience: below zero")
	case req.Store != "" && req.Store != at && store.CanonicalPath(req.Store) != at:
		return nil, errStore
	}
	if differ := l.differing(req); len(differ) > 0 {
		w.Header().Set(settingsHeader, strings.Join(differ, ","))
	}
	lift(w)
	if req.DryRun {
		return l.Plan(r.Context(), req)
	}
	summary, err := l.Run(r.Context(), req)
	if !req.Wait {
		return http.StatusAccepted, err
	}
	return summary, err
}

// lift removes the deadlines of a slow answer.
func lift(w http.ResponseWriter) {
	rc, never := http.NewResponseController(w), time.Time{}
	_ = errors.Join(rc.SetReadDeadline(never), rc.SetWriteDeadline(never)) //nolint:errcheck // a listener may have none
}

// differing returns the variables that caller and worker set differently, except those to plan with.
func (l *Local) differing(req RunOptions) (names []string) {
	if req.Settings == nil {
		return nil
	}
	all := maps.Clone(req.Settings)
	maps.Copy(all, l.Settings)
	maps.DeleteFunc(all, func(name, _ string) bool {
		planned := req.Rules != nil && (req.Set[name] != "" || l.Figures[name] != "")
		return planned || l.Settings[name] == req.Settings[name]
	})
	return slices.Sorted(maps.Keys(all))
}

// sendBackup copies to a file first: a slow reader would keep the store from growing. The file loses its
// name at once, if the system allows it, so that a killed worker leaves nothing.
func (l *Local) sendBackup(w http.ResponseWriter, r *http.Request) (any, error) {
	f, err := l.file()
	if err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(l.Store.Path()), ".pubsync.backup-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(tmp.Name()) != nil { // this system knows no files without a name
		defer os.Remove(tmp.Name()) //nolint:errcheck // a leftover is only a leftover
	}
	defer tmp.Close() //nolint:errcheck // it was read
	if err := f.Backup(r.Context(), tmp); err != nil {
		return nil, err
	}
	lift(w)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, tmp)
	return nil, nil //nolint:nilnil // it is answered
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	if e, ok := errors.AsType[*Error](err); ok {
		w.Header().Set(exitHeader, strconv.Itoa(e.Exit))
		status = cmp.Or(e.status, status)
	}
	http.Error(w, err.Error(), status)
}

// A Client is the Desk of another process. Its *Error has ExitStore if that process does not answer.
type Client struct {
	Base     string // such as http://127.0.0.1:9464
	Token    string
	Store    string             // canonical path; empty: any
	Holder   string             // names the other process in errors
	Settings map[string]string  // variable -> digest
	Rules    *publication.Rules // the caller's, for a plan; nil: the worker's
	Set      map[string]string  // that make them
	HTTP     *http.Client
	Logger   *slog.Logger
}

func (c *Client) Status(ctx context.Context) (Status, error) {
	return get[Status](ctx, c, "status", nil)
}

func (c *Client) Publications(ctx context.Context, q Query) (List, error) {
	form := url.Values{
		"state": {string(q.State)}, "after": {q.After}, "limit": {strconv.Itoa(q.Limit)}, "find": {q.Find},
	}
	return get[List](ctx, c, "publications?"+form.Encode(), nil)
}

func (c *Client) Explain(ctx context.Context, id string) (Explanation, error) {
	return get[Explanation](ctx, c, "publications/"+url.PathEscape(id), nil)
}

func (c *Client) Held(ctx context.Context, kind string) (Held, error) {
	return get[Held](ctx, c, "held?kind="+url.QueryEscape(kind), nil)
}

func (c *Client) Installation(ctx context.Context) (install.Installation, error) {
	return get[install.Installation](ctx, c, "installation", nil)
}

func (c *Client) Ask(ctx context.Context, r Request) (Asked, error) {
	path := "held"
	if r.Retry {
		path = "retry"
	}
	return get[Asked](ctx, c, path, r)
}

func (c *Client) Run(ctx context.Context, o RunOptions) (Summary, error) {
	return sweep[Summary](ctx, c, o)
}

func (c *Client) Plan(ctx context.Context, o RunOptions) (Plan, error) {
	o.DryRun, o.Rules, o.Set = true, c.Rules, c.Set
	return sweep[Plan](ctx, c, o)
}

func sweep[T any](ctx context.Context, c *Client, o RunOptions) (T, error) {
	c.Logger.Info("a worker holds the store, asking it", "address", c.Base)
	o.Settings = c.Settings
	return get[T](ctx, c, "sweep", o)
}

func (c *Client) Ready(ctx context.Context) error { return c.copy(ctx, "/readyz", io.Discard) }

func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	return c.copy(ctx, "/api/v1/backup", w)
}

func (c *Client) copy(ctx context.Context, path string, w io.Writer) error {
	res, err := c.do(ctx, path, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, err = io.Copy(w, res.Body)
	return err
}

// Close closes idle connections.
func (c *Client) Close() error {
	c.HTTP.CloseIdleConnections()
	return nil
}

// get returns the zero T for an answer without a document, such as a 204.
func get[T any](ctx context.Context, c *Client, path string, body any) (answer T, err error) {
	res, err := c.do(ctx, "/api/v1/"+path, body)
	if err != nil {
		return answer, err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if res.StatusCode != http.StatusOK {
		return answer, nil
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return answer, c.unanswered(fmt.Errorf("read its answer: %w", err))
	}
	return answer, nil
}

func (c *Client) do(ctx context.Context, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	method := http.MethodPost
	if body == nil {
		method, data = http.MethodGet, nil
	}
	req, failed := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(data))
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	req.Header.Set(StoreHeader, c.Store)
	res, err := c.HTTP.Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, &Error{Exit: ExitStanding, Err: errInterrupted}
	case err != nil:
		return nil, c.unanswered(fmt.Errorf("ask the worker that holds the store at %s: %w: %s", c.Base,
			errors.Unwrap(err), notThere))
	}
	if differ := res.Header.Get(settingsHeader); differ != "" {
		c.Logger.Warn("the worker's settings count, and differ from yours", "variables", differ)
	}
	if res.StatusCode < http.StatusMultipleChoices {
		return res, nil
	}
	defer res.Body.Close() //nolint:errcheck // only read
	return nil, c.refused(res)
}

var errInterrupted = errors.New("interrupted: the worker that holds the store goes on with what it was asked for")

const notThere = "where it is a run --once, or is stopping, wait for its end; else set PUBSYNC_ADMIN_LISTEN to the " +
	"worker's address"

func (c *Client) refused(res *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 300)) //nolint:errcheck // the status says enough
	text := strings.TrimSpace(string(body))
	exit, err := strconv.Atoi(res.Header.Get(exitHeader)) // another program's answer has none
	switch {
	case res.StatusCode == http.StatusUnauthorized && c.Token == "":
		text = "its admin address asks for a token: set PUBSYNC_ADMIN_TOKEN to the one that it runs with"
	case res.StatusCode == http.StatusUnauthorized:
		text = "it refuses the token of PUBSYNC_ADMIN_TOKEN: set the one that it runs with"
	case err == nil && text == errStore.Error():
		text = fmt.Sprintf("the worker at %s has another store: %s", c.Base, notThere)
	case err == nil && text == ErrUnknown.Error():
		return ErrUnknown
	case err == nil && text == ErrHold.Error():
		return ErrHold
	case err == nil:
		return &Error{Exit: exit, Err: errors.New(text)}
	default:
		text = fmt.Sprintf("the worker that holds the store answered %s: %s", res.Status, text)
	}
	return c.unanswered(errors.New(text))
}

func (c *Client) unanswered(why error) error {
	return &Error{Exit: ExitStore, Err: fmt.Errorf("%s: %w", c.Holder, why)}
}
