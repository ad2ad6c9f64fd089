package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

// A remote is the worker that holds the store, asked over its admin address.
type remote struct {
	base   string
	token  string
	store  string // whose worker is meant; empty: whoever answers
	client *http.Client
	log    *slog.Logger
}

// errNoAdmin says that nobody can be asked.
var errNoAdmin = errors.New("it has no admin address to ask; wait for it to end, or stop it")

// holder is the worker that holds the store: where its note or the configuration says that it listens.
func holder(c *config, log *slog.Logger) (*remote, error) {
	o := ownerOf(c.StorePath)
	address := o.Admin
	if address == "" && o.PID == 0 && c.AdminListen != "off" {
		address = c.AdminListen
	}
	if address == "" {
		return nil, locked(c.StorePath, errNoAdmin)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, locked(c.StorePath, errNoAdmin)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return &remote{
		base: "http://" + net.JoinHostPort(host, port), token: c.AdminToken, store: store.CanonicalPath(c.StorePath), log: log,
		client: &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext}},
	}, nil
}

// ask makes one request of the API and decodes the answer into out, which may be nil.
func (r *remote) ask(ctx context.Context, method, path string, body, out any) error {
	res, err := r.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 64<<20)).Decode(out); err != nil {
		return fmt.Errorf("read the worker's answer: %w", err)
	}
	return nil
}

// do makes one request and returns an answer that says yes.
func (r *remote) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, reader)
	if err != nil {
		return nil, err
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if r.store != "" {
		req.Header.Set(connector.StoreHeader, r.store)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the worker that holds the store at %s: %w", r.base, errors.Unwrap(err))
	}
	if differ := res.Header.Get(connector.SettingsHeader); differ != "" {
		r.log.Warn("the worker's settings count, and differ from yours", "variables", differ)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if res.StatusCode == http.StatusNotFound {
		return nil, connector.ErrUnknown
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, 300)) //nolint:errcheck // the status says enough
	return nil, fmt.Errorf("the worker that holds the store answered %s: %s", res.Status, strings.TrimSpace(string(text)))
}

// publicationPath is the address of one publication, whatever its id: dots alone would be a step through folders.
func publicationPath(id, action string) string {
	segment := url.PathEscape(id)
	if strings.Trim(segment, ".") == "" {
		segment = strings.ReplaceAll(segment, ".", "%2E")
	}
	return "/api/v1/publications/" + segment + action
}

// with opens the store for f, for writing or only for reading; where a worker holds it, the worker is asked by g instead.
func (c *config) with(log *slog.Logger, write bool, f func(*store.Store) error, g func(*remote) error) error {
	open := store.OpenView
	if write {
		open = store.Open
	}
	s, err := open(c.StorePath)
	if errors.Is(err, store.ErrLocked) {
		r, err := holder(c, log)
		if err != nil {
			return err
		}
		if err := g(r); err != nil {
			if errors.Is(err, connector.ErrUnknown) {
				return err
			}
			return locked(c.StorePath, err)
		}
		return nil
	}
	if err != nil {
		return storeError(c.StorePath, err)
	}
	return errors.Join(f(s), s.Close())
}
