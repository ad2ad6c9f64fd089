package setup

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
)

// public serves the accounts below /{account}/, and /webhooks and the installation for an app of several accounts.
func (h *house) public() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) { h.byID(r, false).ServeHTTP(w, r) })
	mux.HandleFunc(install.Path, h.install)
	mux.HandleFunc(install.CallbackPath, h.installed)
	of := func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("account")
		http.StripPrefix("/"+name, h.door(name)).ServeHTTP(w, r)
	}
	mux.HandleFunc("/{account}", of) // else it would be redirected
	mux.HandleFunc("/{account}/", of)
	return mux
}

// door serves what the public listener has at an account's own address.
func (h *house) door(name string) http.Handler {
	t, err := h.at(name)
	switch {
	case errors.Is(err, errNoAccount):
		return http.NotFoundHandler()
	case err != nil:
		h.log.Error("webhook cannot be stored", "account", name, "error", err)
		return http.HandlerFunc(unavailable)
	case t.worker != nil:
		return t.public
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if install.Serves(r.URL.Path) {
			install.Elsewhere(w)
			return
		}
		t.public.ServeHTTP(w, r)
	})
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "the account cannot be written at the moment", http.StatusServiceUnavailable)
}

const (
	idsLast = 10 * time.Second // from one reading for an unknown id to the next
	idsWait = 5 * time.Second  // of one reading
)

// ids are the marketplace's ids of accounts. A known id is found without a wait and stays known: a store belongs
// to one account.
type ids struct {
	names sync.Map // id -> account

	mu      sync.Mutex      // held while files and stores are read
	known   map[string]bool // accounts
	secrets map[string]bool // of all webhooks
	partial bool            // an unknown id may be of an unread account
	begun   time.Time       // the last reading
}

// named returns the account with an id, or "". It reads accounts of unknown ids at most every idsLast, but for a
// signed webhook if no reading began since it came. If partial, the id may be of an account that could not be read.
func (h *house) named(ctx context.Context, id string, signed bool) (name string, partial bool) {
	i, came := &h.ids, time.Now()
	if name, ok := i.names.Load(id); ok {
		return name.(string), false //nolint:forcetypeassert // it has nothing else
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if time.Since(i.begun) >= idsLast || signed && i.begun.Before(came) {
		// others use what is read, even if this caller has gone
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), idsWait)
		defer cancel()
		i.begun, i.partial = time.Now(), false
		for _, name := range h.names {
			if i.known[name] {
				continue
			}
			if err := h.identify(ctx, name); err != nil {
				h.log.Warn("an account cannot be told by its id", "account", name, "error", err)
				i.partial = true
			}
		}
	}
	known, _ := i.names.Load(id)
	name, _ = known.(string)
	return name, i.partial
}

func (h *house) identify(ctx context.Context, name string) error {
	c, err := h.configOf(name)
	if err != nil {
		return err
	}
	h.ids.secrets[c.WebhookSecret] = true
	id := c.AccountID
	if id == "" {
		installed, err := install.Of(ctx, h.db.Store(name))
		if id = installed.Account; err != nil || id == "" {
			return err
		}
	}
	h.ids.names.Store(id, name)
	h.ids.known[name] = true
	return nil
}

// byID serves a webhook by the secret of the account in its header. While some account cannot be read it refuses
// unknown ids: the webhook may be that account's. It returns nil for a signed webhook of no account.
func (h *house) byID(r *http.Request, signed bool) http.Handler {
	id := strings.TrimSpace(r.Header.Get(h.WebhookHeaderPrefix + "-Account-Id"))
	switch name, partial := h.named(r.Context(), id, signed); {
	case name != "":
		return h.door(name)
	case partial && r.Header.Get(h.WebhookHeaderPrefix+"-Signature") != "":
		return http.HandlerFunc(unavailable)
	case signed:
		return nil
	}
	return h.strange
}

// strangers serves webhooks of unknown accounts. It acknowledges one that a known account's secret signed: refused
// deliveries count against the registration.
func (h *house) strangers() http.Handler {
	return h.webhooks(listener.Options{
		Secrets: func() ([]string, string) {
			h.ids.mu.Lock()
			secrets := maps.Clone(h.ids.secrets)
			h.ids.mu.Unlock()
			for _, t := range h.worked() {
				secrets[t.WebhookSecret] = true // read again since
			}
			return slices.Collect(maps.Keys(secrets)), ""
		},
		Owner: func(r *http.Request) http.Handler { return h.byID(r, true) }, AskSweep: func() {}, Log: h.log,
	})
}

// install begins an installation; the marketplace tells later whose it is.
func (h *house) install(w http.ResponseWriter, r *http.Request) {
	all := h.worked()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if t := all[name]; t.IsApp() {
			t.public.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// installed goes by the marketplace's id of the account, else by the state. The state counts only for accounts
// without an id in their file, for which anybody can begin an installation.
func (h *house) installed(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	name, _ := h.named(r.Context(), query.Get("account_id"), false)
	if begun, _, _ := strings.Cut(query.Get("state"), "."); name == "" {
		if t, err := h.at(begun); err == nil && t.AccountID == "" {
			name = begun
		}
	}
	if name == "" {
		h.own.Installation("refused_account")
		install.Refuse(w, http.StatusForbidden, "This pubsync has no such account of the marketplace.")
		return
	}
	h.door(name).ServeHTTP(w, r)
}
