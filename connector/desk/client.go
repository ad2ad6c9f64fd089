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

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/publication"
)

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

func (c *Client) Held(ctx context.Context, kind string, limit int) (Held, error) {
	return get[Held](ctx, c, fmt.Sprintf("held?kind=%s&limit=%d", url.QueryEscape(kind), limit), nil)
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
	o.DryRun = true
	return sweep[Plan](ctx, c, o)
}

func sweep[T any](ctx context.Context, c *Client, o RunOptions) (T, error) {
	c.Logger.Info("a worker holds the store, asking it", "address", c.Base)
	o.Settings, o.Rules, o.Set = c.Settings, c.Rules, c.Set
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
