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
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/store"
)

// A Client asks the desk of a process. An *Error carries the exit code of the command that asks; where the
// process with the store does not answer that is ExitStore.
type Client struct {
	Base     string            // of the admin listener, such as http://127.0.0.1:9464
	Token    string            // of the admin listener; empty: none
	Store    string            // the canonical path of the store that is meant; empty: whichever that process holds
	Holder   string            // names that process in errors
	Settings map[string]string // variable -> digest of the caller's value, for a run
	Rules    *PlannedRules     // the caller's rules of prices and stock, for a plan; nil: the worker's
	HTTP     *http.Client
	Logger   *slog.Logger // warned of settings that differ from the worker's

	local *Local // the desk, where it is one of this process
}

func Open(l *Local) *Client {
	return &Client{
		Base: "http://here", HTTP: &http.Client{Transport: here{l.Handler()}}, Logger: slog.New(slog.DiscardHandler),
		local: l,
	}
}

// here carries requests to a handler of this process.
type here struct{ http.Handler }

// A recorder is the answer of a handler of this process.
type recorder struct {
	head   http.Header
	status int
	body   bytes.Buffer
	err    error // why there is none
}

func (w *recorder) Header() http.Header         { return w.head }
func (w *recorder) WriteHeader(status int)      { w.status = cmp.Or(w.status, status) }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }

func (h here) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorder{head: http.Header{}}
	h.ServeHTTP(w, r)
	if w.err != nil {
		return nil, w.err
	}
	status := cmp.Or(w.status, http.StatusOK)
	return &http.Response{StatusCode: status, Header: w.head, Body: io.NopCloser(&w.body), Request: r}, nil
}

func (c *Client) Status(ctx context.Context) (Status, error) {
	return ask[Status](ctx, c, http.MethodGet, statusPath, nil)
}

func (c *Client) Publications(ctx context.Context, q Query) (List, error) {
	form := url.Values{
		"state": {string(q.State)}, "after": {q.After}, "limit": {strconv.Itoa(q.Limit)}, "find": {q.Find},
	}
	return ask[List](ctx, c, http.MethodGet, publicationsPath+"?"+form.Encode(), nil)
}

// Explain returns ErrUnknown for an id that the store does not have.
func (c *Client) Explain(ctx context.Context, id string) (Explanation, error) {
	segment := url.PathEscape(id)
	if strings.Trim(segment, ".") == "" { // else a step to another folder
		segment = strings.ReplaceAll(segment, ".", "%2E")
	}
	return ask[Explanation](ctx, c, http.MethodGet, publicationsPath+"/"+segment, nil)
}

func (c *Client) Held(ctx context.Context, q HeldQuery) (Held, error) {
	form := url.Values{"group": {q.Group}}
	if q.Limit > 0 {
		form.Set("limit", strconv.Itoa(q.Limit))
	}
	return ask[Held](ctx, c, http.MethodGet, heldPath+"?"+form.Encode(), nil)
}

func (c *Client) Installation(ctx context.Context) (install.Installation, error) {
	return ask[install.Installation](ctx, c, http.MethodGet, installationPath, nil)
}

// Figures are the settings of prices and stock that are set, by variable.
func (c *Client) Figures(ctx context.Context) (map[string]string, error) {
	set, err := ask[figures](ctx, c, http.MethodGet, rulesPath, nil)
	return set.Values, err
}

// Try tries settings of prices in the place of those that count, on the list as it is.
func (c *Client) Try(ctx context.Context, set map[string]string) (Trial, error) {
	return ask[Trial](ctx, c, http.MethodPost, rulesPath, trialRequest{Set: set})
}

// Ready returns why the store cannot be written. Where this process has it open, its file is checked too.
func (c *Client) Ready(ctx context.Context) error {
	if c.local == nil {
		res, err := c.do(ctx, http.MethodGet, "/readyz", nil)
		if err != nil {
			return err
		}
		return res.Body.Close()
	}
	if f, ok := c.local.Store.KV.(store.File); ok {
		if err := f.Check(ctx); err != nil {
			return err
		}
	}
	return c.local.Worker.Ready(ctx)
}

func (c *Client) Retry(ctx context.Context, r Retry) (Asked, error) {
	return ask[Asked](ctx, c, http.MethodPost, retryPath, r)
}

func (c *Client) Answer(ctx context.Context, a Answer) (Asked, error) {
	a.All = true
	return ask[Asked](ctx, c, http.MethodPost, heldPath, a)
}

func (c *Client) Sweep(ctx context.Context, full bool) error {
	_, err := ask[any](ctx, c, http.MethodPost, sweepPath, SweepRequest{Full: full, Store: c.Store})
	return err
}

func (c *Client) Run(ctx context.Context, o RunOptions) (Summary, error) {
	if c.local != nil {
		return c.local.Worker.Run(ctx, o)
	}
	if o.Progress != nil {
		watching, end := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() { c.watch(watching, o.Progress) })
		defer watch.Wait()
		defer end()
	}
	return ask[Summary](ctx, c, http.MethodPost, sweepPath, c.waits(o))
}

// waits waits for a span, and reports whether ctx goes on.
func waits(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// watch tells every second how far the worker is. The answer to the run says what is wrong with it.
func (c *Client) watch(ctx context.Context, progress func(Progress)) {
	for waits(ctx, time.Second) {
		s, err := c.Status(ctx)
		if err != nil {
			continue
		}
		progress(Progress{Elsewhere: true, Due: s.Due})
	}
}

func (c *Client) Plan(ctx context.Context, o RunOptions) (Plan, error) {
	if c.local != nil {
		return c.local.Worker.Plan(ctx, o)
	}
	req := c.waits(o)
	req.DryRun, req.Rules = true, c.Rules
	return ask[Plan](ctx, c, http.MethodPost, sweepPath, req)
}

func (c *Client) waits(o RunOptions) SweepRequest {
	c.Logger.Info("a worker holds the store, asking it", "address", c.Base)
	return SweepRequest{
		Full: o.Full, Wait: true, Patience: o.Patience.String(), Store: c.Store, Settings: c.Settings,
	}
}

func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	if c.local != nil {
		return c.local.Backup(ctx, w)
	}
	res, err := c.do(ctx, http.MethodGet, backupPath, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, err = io.Copy(w, res.Body)
	return err
}

// Close closes the store of this process, or the connections that wait for another request.
func (c *Client) Close() error {
	if c.local != nil {
		return c.local.Store.Close()
	}
	c.HTTP.CloseIdleConnections()
	return nil
}

// longestAnswer bounds an answer that is decoded, in bytes.
const longestAnswer = 256 << 20

// ask makes a request and decodes its answer; one that is a status alone is the zero T.
func ask[T any](ctx context.Context, c *Client, method, path string, body any) (answer T, err error) {
	res, err := c.do(ctx, method, path, body)
	if err != nil {
		return answer, err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if res.StatusCode != http.StatusOK {
		return answer, nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, longestAnswer)).Decode(&answer); err != nil {
		return answer, c.unanswered(fmt.Errorf("read its answer: %w", err))
	}
	return answer, nil
}

// do makes a request and returns its answer where that is a success.
func (c *Client) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Store != "" {
		req.Header.Set(StoreHeader, c.Store)
	}
	if name := ActorOf(ctx); name != "" {
		req.Header.Set(ActorHeader, url.PathEscape(name))
	}
	res, err := c.HTTP.Do(req)
	switch {
	case err != nil && c.local != nil:
		return nil, errors.Unwrap(err)
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

const notThere = "where it is a run --once wait for its end, else set PUBSYNC_ADMIN_LISTEN to the worker's address"

func (c *Client) refused(res *http.Response) error {
	switch {
	case res.StatusCode == http.StatusUnauthorized && c.Token == "":
		return c.unanswered(errors.New("its admin address asks for a token: " +
			"set PUBSYNC_ADMIN_TOKEN to the one that it runs with"))
	case res.StatusCode == http.StatusUnauthorized:
		return c.unanswered(errors.New("it refuses the token of PUBSYNC_ADMIN_TOKEN: set the one that it runs with"))
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, 300)) //nolint:errcheck // the status says enough
	text := strings.TrimSpace(string(body))
	if res.StatusCode == http.StatusNotFound && text == ErrUnknown.Error() { // another program says something else
		return ErrUnknown
	}
	if res.StatusCode == http.StatusConflict && text == errStore.Error() {
		return c.unanswered(fmt.Errorf("the worker at %s has another store: %s", c.Base, notThere))
	}
	if code, err := strconv.Atoi(res.Header.Get(exitHeader)); err == nil {
		return &Error{Exit: code, Err: errors.New(text)}
	}
	return c.unanswered(fmt.Errorf("the worker that holds the store answered %s: %s", res.Status, text))
}

func (c *Client) unanswered(why error) error {
	if c.Holder != "" {
		why = fmt.Errorf("%s: %w", c.Holder, why)
	}
	return &Error{Exit: ExitStore, Err: why}
}
