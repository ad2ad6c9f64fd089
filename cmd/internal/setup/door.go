package setup

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

// doorLasts is how long what is known of an account that is not worked on here is used.
const doorLasts = 30 * time.Second

// doors are the ways in for webhooks of accounts that other processes work on, or none at the
// moment. What they accept is durable in the database, and the owner is woken.
type doors struct {
	mu    sync.Mutex
	known map[string]door
	other door              // for accounts without a configuration
	ids   map[string]string // the marketplace's id of an account -> its name
	read  time.Time         // when ids was made
}

// forget has all that is known of accounts be found out anew, since they have changed.
func (d *doors) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read, d.other = time.Time{}, door{}
}

// A door accepts the webhooks of one account.
type door struct {
	http.Handler
	until    time.Time
	refusals *listener.Refusals
}

// public serves /{account}/webhooks and what else an account's public listener serves, and
// /webhooks where one app serves several accounts.
func (h *house) public() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/webhooks":
			h.byID(r).ServeHTTP(w, r)
			return
		case install.Path:
			h.install(w, r)
			return
		case install.CallbackPath:
			h.installed(w, r)
			return
		}
		name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if "/"+rest == install.Path && h.knows(name) {
			h.remember(w, r, name)
			if h.at(name) == nil && h.forwardInstall(w, r, name, install.Path) {
				return
			}
		}
		http.StripPrefix("/"+name, h.doorOf(r.Context(), name)).ServeHTTP(w, r)
	})
}

// doorOf serves the public listener of an account.
func (h *house) doorOf(ctx context.Context, name string) http.Handler {
	if t := h.at(name); t != nil {
		return t.public
	}
	switch known := h.knows(name); {
	case !known && !h.folder.Settled():
		return http.HandlerFunc(unavailable)
	case !known:
		return http.NotFoundHandler()
	}
	h.doors.mu.Lock()
	d, ok := h.doors.known[name]
	h.doors.mu.Unlock()
	if ok && time.Now().Before(d.until) {
		return d
	}
	if d.refusals == nil {
		d.refusals = listener.NewRefusals(h.log.With("account", name))
	}
	hooks, err := h.openDoor(ctx, name, d.refusals)
	if err != nil {
		h.log.Error("webhook cannot be stored", "account", name, "error", err)
		return http.HandlerFunc(unavailable)
	}
	h.doors.mu.Lock()
	defer h.doors.mu.Unlock()
	if h.doors.known == nil {
		h.doors.known = map[string]door{}
	}
	h.doors.known[name] = door{hooks, time.Now().Add(doorLasts), d.refusals}
	return hooks
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "the account cannot be written at the moment", http.StatusServiceUnavailable)
}

func (h *house) knows(name string) bool {
	_, known := h.fleet.Standing(name)
	return known
}

// configOf is the configuration of an account that is not worked on here.
func (h *house) configOf(name string) (*Setup, error) {
	env, err := EnvironmentOf(h.env, name)
	if err != nil {
		return nil, err
	}
	c, faults := New(env, config.ToRun, h.version)
	c.slots = h.slots
	return c, errors.Join(faults...)
}

// openDoor makes what accepts the webhooks of an account without its lease. What it refuses counts
// for this process: the log tells of it.
func (h *house) openDoor(ctx context.Context, name string, refusals *listener.Refusals) (http.Handler, error) {
	c, err := h.configOf(name)
	if err != nil {
		return nil, err
	}
	inbox, err := h.db.Store(ctx, name)
	if err != nil {
		return nil, err
	}
	log := h.logOf(c).With("account", name)
	return listener.NewWebhooks(listener.Options{
		Prefix:  string(c.WebhookHeaderPrefix),
		Secrets: func() ([]string, string) { return listOf(c.WebhookSecret), c.WebhookPathToken },
		Inbox:   inbox, Marked: func() {},
		Refusals: refusals, AskSweep: h.hint(name), Count: h.own.Webhook,
		InboxFailed: func(err error) { log.Error("webhook cannot be stored", "error", err) }, Log: log,
	}), nil
}

// hintEvery is the least time between two hints of this process at the list of an account.
const hintEvery = 5 * time.Second

// hint asks the owner of an account to read its list soon.
func (h *house) hint(name string) func() {
	var last atomic.Int64
	return func() {
		now, before := time.Now().UnixNano(), last.Load()
		if now-before < int64(hintEvery) || !last.CompareAndSwap(before, now) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), hintEvery)
		defer cancel()
		_ = h.db.Hint(ctx, name) //nolint:errcheck // the next sweep finds what the webhook was about
	}
}

// listOf is a list of one text, empty for "".
func listOf(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// byID serves a webhook of the account that the marketplace names in its header. Its signature is
// judged by the secret of that account. A webhook of an account without a configuration is
// acknowledged, where it is signed with the secret of another.
func (h *house) byID(r *http.Request) http.Handler {
	id := strings.TrimSpace(r.Header.Get(string(h.WebhookHeaderPrefix) + "-Account-Id"))
	if name := h.nameOf(r.Context(), id); name != "" {
		return h.doorOf(r.Context(), name)
	}
	if !h.folder.Settled() { // it may be that of an account which is not known yet
		return http.HandlerFunc(unavailable)
	}
	h.doors.mu.Lock()
	other := h.doors.other
	h.doors.mu.Unlock()
	if time.Now().Before(other.until) {
		return other
	}
	other = door{Handler: h.openOther(), until: time.Now().Add(idsLast)}
	h.doors.mu.Lock()
	defer h.doors.mu.Unlock()
	h.doors.other = other
	return other
}

// openOther makes what acknowledges, counts and logs the signed webhooks of accounts that have no
// configuration. It reads the file of every account: a stranger must not have that done for each
// request.
func (h *house) openOther() http.Handler {
	var secrets []string
	for _, s := range h.fleet.Standings() {
		c, err := h.configOf(s.Name)
		if err == nil && c.WebhookSecret != "" && !slices.Contains(secrets, c.WebhookSecret) {
			secrets = append(secrets, c.WebhookSecret)
		}
	}
	return listener.NewWebhooks(listener.Options{
		Prefix: string(h.WebhookHeaderPrefix), Strange: true,
		Secrets: func() ([]string, string) { return secrets, "" },
		Marked:  func() {}, Refusals: listener.NewRefusals(h.log),
		AskSweep: func() {}, Count: h.own.Webhook, InboxFailed: func(error) {}, Log: h.log,
	})
}

// nameOf is the account that has an id at the marketplace, "" for none.
func (h *house) nameOf(ctx context.Context, id string) string {
	h.doors.mu.Lock()
	name, read := h.doors.ids[id], h.doors.read
	h.doors.mu.Unlock()
	if id == "" || name != "" || time.Since(read) < idsLast {
		return name
	}
	ids := map[string]string{}
	for _, s := range h.fleet.Standings() {
		if id := h.idOf(ctx, s.Name); id != "" {
			ids[id] = s.Name
		}
	}
	h.doors.mu.Lock()
	defer h.doors.mu.Unlock()
	h.doors.ids, h.doors.read = ids, time.Now()
	return ids[id]
}

// idsLast is the least time between two readings of all accounts' ids and secrets.
const idsLast = 5 * time.Second

// idOf is the id of an account at the marketplace: the one in its file, else the one that its
// installation told, "" for none.
func (h *house) idOf(ctx context.Context, name string) string {
	var facts store.Store
	var c *Setup
	if t := h.at(name); t != nil {
		c, facts = t.Setup, t.store
	} else {
		var err error
		if c, err = h.configOf(name); err != nil {
			return ""
		}
		if s, err := h.db.Store(ctx, name); err == nil {
			facts = s
		}
	}
	if c.AccountID != "" || facts.KV == nil {
		return c.AccountID
	}
	i, _, err := store.InstallationOf(ctx, facts)
	if err != nil {
		return ""
	}
	return i.Account
}
