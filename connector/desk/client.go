package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// A Client is the desk of the process that holds the store. It asks that process over its admin
// listener. Its own failures are an *Error with ExitStore.
type Client struct {
	Base     string            // of the admin listener, such as http://127.0.0.1:9464
	Token    string            // of the admin listener; empty: none
	Store    string            // the canonical path of the store that is meant; empty: whichever that process holds
	Holder   string            // names that process in errors
	Settings map[string]string // variable -> digest of the caller's value, for a run
	Rules    *PlannedRules     // the caller's rules of prices and stock, for a plan; nil: the worker's
	Figures  []string          // the variables of these rules
	HTTP     *http.Client
	Logger   *slog.Logger // warned of what an answer tells beside its body
}

// StoreHeader names the store that a request is for: a process with another store answers 409.
const StoreHeader = "Pubsync-Store"

func (c *Client) Status(ctx context.Context) (s Status, err error) {
	err = c.ask(ctx, http.MethodGet, "/api/v1/status", nil, &s)
	return s, err
}

func (c *Client) Publications(ctx context.Context, q Query) (l List, err error) {
	form := url.Values{
		"state": {string(q.State)}, "after": {q.After}, "limit": {strconv.Itoa(q.Limit)},
		"find": {q.Find}, "cause": {q.Cause},
	}
	err = c.ask(ctx, http.MethodGet, "/api/v1/publications?"+form.Encode(), nil, &l)
	return l, err
}

func (c *Client) Failures(ctx context.Context) (f Failures, err error) {
	err = c.ask(ctx, http.MethodGet, "/api/v1/failures", nil, &f)
	return f, err
}

func (c *Client) Explain(ctx context.Context, id string) (e Explanation, err error) {
	err = c.ask(ctx, http.MethodGet, publicationPath(id), nil, &e)
	return e, err
}

func (c *Client) Retry(ctx context.Context, r Retry) (Asked, error) { return c.tell(ctx, retryPath, r) }

func (c *Client) Held(ctx context.Context, q HeldQuery) (h Held, err error) {
	form := url.Values{
		"group": {q.Group}, "search": {q.Search}, "after": {q.After}, "limit": {strconv.Itoa(q.Limit)},
	}
	err = c.ask(ctx, http.MethodGet, heldPath+"?"+form.Encode(), nil, &h)
	return h, err
}

func (c *Client) Answer(ctx context.Context, a Answer) (Asked, error) {
	return c.tell(ctx, heldPath, answerRequest{Answer: a, All: true})
}

func (c *Client) Sweep(ctx context.Context, full bool) (Asked, error) {
	return c.tell(ctx, "/api/v1/sweep", SweepRequest{Full: full, Store: c.Store})
}

func (c *Client) Run(ctx context.Context, o RunOptions) (s Summary, err error) {
	if o.Progress != nil {
		watching, end := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() { c.watch(watching, o.Progress) })
		defer watch.Wait()
		defer end()
	}
	err = c.ask(ctx, http.MethodPost, "/api/v1/sweep", c.waits(o, false), &s)
	return s, err
}

// watch tells every second how far the worker is, until ctx ends. A status that cannot be had is left
// out: the answer to the run says what is wrong.
func (c *Client) watch(ctx context.Context, progress func(Progress)) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s, err := c.Status(ctx)
		if err != nil {
			continue
		}
		p := Progress{Elsewhere: true, Due: s.Due}
		if s.Pace != nil {
			p.PerMinute, p.Left = s.Pace.PerMinute, time.Duration(s.Pace.LeftSeconds*float64(time.Second))
		}
		progress(p)
	}
}

func (c *Client) Plan(ctx context.Context, o RunOptions) (p Plan, err error) {
	err = c.ask(ctx, http.MethodPost, "/api/v1/sweep", c.waits(o, true), &p)
	return p, err
}

func (c *Client) waits(o RunOptions, dry bool) SweepRequest {
	c.Logger.Info("a worker holds the store, asking it", "address", c.Base)
	req := SweepRequest{
		Full:     o.Full,
		Wait:     true,
		DryRun:   dry,
		Patience: o.Patience.String(),
		Store:    c.Store,
		Settings: c.Settings,
	}
	if dry {
		req.Rules = c.Rules
	}
	return req
}

// tellDiffering logs a warning with the variables that caller and worker set differently. A plan
// uses the caller's rules of prices and stock.
func (c *Client) tellDiffering(names []string, planned bool) {
	var mine, theirs []string
	for _, name := range names {
		if planned && slices.Contains(c.Figures, name) {
			mine = append(mine, name)
		} else {
			theirs = append(theirs, name)
		}
	}
	if len(mine) > 0 {
		c.Logger.Warn("planned with your rules of prices and stock, which differ from the worker's", "variables",
			strings.Join(mine, ","))
	}
	if len(theirs) > 0 {
		c.Logger.Warn("the worker's settings count, and differ from yours", "variables", strings.Join(theirs, ","))
	}
}

func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	res, err := c.do(ctx, http.MethodGet, "/api/v1/backup", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, err = io.Copy(w, res.Body)
	return err
}

// Ready is why the store cannot be written; nil: it can.
func (c *Client) Ready(ctx context.Context) error {
	return c.ask(ctx, http.MethodGet, "/readyz", nil, nil)
}

// Close closes the connections that wait for another request.
func (c *Client) Close() error {
	c.HTTP.CloseIdleConnections()
	return nil
}

// tell makes a request whose answer is at most a count.
func (c *Client) tell(ctx context.Context, path string, body any) (Asked, error) {
	res, err := c.do(ctx, http.MethodPost, path, body)
	if err != nil {
		return Asked{}, err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	a := Asked{Waits: res.Header.Get(WaitsHeader)}
	if res.StatusCode != http.StatusOK {
		return a, nil
	}
	var n count
	err = c.read(res, &n)
	a.Count, a.Unknown = n.Count, n.Unknown
	return a, err
}

// ask makes a request and decodes its answer into out, which may be nil.
func (c *Client) ask(ctx context.Context, method, path string, body, out any) error {
	res, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if out == nil {
		return nil
	}
	return c.read(res, out)
}

// longestAnswer bounds an answer that is decoded, in bytes.
const longestAnswer = 64 << 20

func (c *Client) read(res *http.Response, out any) error {
	if err := json.NewDecoder(io.LimitReader(res.Body, longestAnswer)).Decode(out); err != nil {
		return c.unanswered(fmt.Errorf("read its answer: %w", err))
	}
	return nil
}

// StartingHeader is in an answer of 503 to a request for an account that is not yet worked on, and
// soon will be. Nothing has been done for the request.
const StartingHeader = "Pubsync-Starting"

const (
	startWait = 10 * time.Second       // for so long a request waits for an account that is starting
	startLook = 200 * time.Millisecond // between two requests for it
)

// do makes a request and returns its answer where that is a success. It waits for an account that
// is starting.
func (c *Client) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	begun := time.Now()
	res, err := c.send(ctx, method, path, data)
	for err == nil && res.Header.Get(StartingHeader) != "" && time.Since(begun) < startWait && ctx.Err() == nil {
		_ = res.Body.Close() //nolint:errcheck // the request is made again
		breaker.Sleep(ctx, startLook)
		res, err = c.send(ctx, method, path, data)
	}
	if err != nil {
		return nil, err
	}
	if differ := res.Header.Get(SettingsHeader); differ != "" {
		req, ok := body.(SweepRequest)
		c.tellDiffering(strings.Split(differ, ","), ok && req.Rules != nil)
	}
	if waits := res.Header.Get(WaitsHeader); waits != "" {
		c.Logger.Warn("it is done once the shop can be used", "reason", waits)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close() //nolint:errcheck // only read
	return nil, c.refused(res)
}

// send makes a request and returns its answer. data may be nil.
func (c *Client) send(ctx context.Context, method, path string, data []byte) (*http.Response, error) {
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
	sign(req)
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, c.unanswered(
			fmt.Errorf("ask the worker that holds the store at %s: %w", c.Base, errors.Unwrap(err)),
		)
	}
	return res, nil
}

// refused returns the error that an answer stands for.
func (c *Client) refused(res *http.Response) error {
	switch {
	case res.StatusCode == http.StatusNotFound && strings.Contains(res.Request.URL.Path, publicationsPath):
		return ErrUnknown
	case res.StatusCode == http.StatusUnauthorized && c.Token == "":
		return c.unanswered(errors.New("its admin address asks for a token: " +
			"set PUBSYNC_ADMIN_TOKEN to the one that it runs with"))
	case res.StatusCode == http.StatusUnauthorized:
		return c.unanswered(errors.New("it refuses the token of PUBSYNC_ADMIN_TOKEN: set the one that it runs with"))
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, 300)) //nolint:errcheck // the status says enough
	text := strings.TrimSpace(string(body))
	if code, err := strconv.Atoi(res.Header.Get(ExitHeader)); err == nil {
		return &Error{Exit: code, Err: errors.New(text)}
	}
	return c.unanswered(fmt.Errorf("the worker that holds the store answered %s: %s", res.Status, text))
}

// unanswered returns the error of a request that got no answer. It names the process with the
// store.
func (c *Client) unanswered(why error) error {
	if c.Holder != "" {
		why = fmt.Errorf("%s: %w", c.Holder, why)
	}
	return &Error{Exit: ExitStore, Err: why}
}

const publicationsPath = "/api/v1/publications/"

// publicationPath returns the path of a publication. An id of dots alone is written so that it is
// no step to another folder.
func publicationPath(id string) string {
	segment := url.PathEscape(id)
	if strings.Trim(segment, ".") == "" {
		segment = strings.ReplaceAll(segment, ".", "%2E")
	}
	return publicationsPath + segment
}
