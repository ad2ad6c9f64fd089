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

// public serves the accounts below /{account}/, and /webhooks and the installation for an app of several.
func (h *house) public() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimSpace(r.Header.Get(h.WebhookHeaderPrefix + "-Account-Id"))
		h.byID(r.Context(), id).ServeHTTP(w, r)
	})
	mux.HandleFunc(install.Path, h.install)
	mux.HandleFunc(install.CallbackPath, h.installed)
	mux.HandleFunc("/{account}/", func(w http.ResponseWriter, r *http.Request) {
		h.door(r.PathValue("account")).ServeHTTP(w, r)
	})
	return mux
}

func (h *house) door(name string) http.Handler {
	t, err := h.at(name)
	switch {
	case errors.Is(err, errNoAccount):
		return http.NotFoundHandler()
	case err != nil:
		h.log.Error("webhook cannot be stored", "account", name, "error", err)
		return http.HandlerFunc(unavailable)
	}
	return http.StripPrefix("/"+name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if t.worker == nil && install.Serves(r.URL.Path) {
			install.Elsewhere(w)
			return
		}
		t.public.ServeHTTP(w, r)
	}))
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "the account cannot be written at the moment", http.StatusServiceUnavailable)
}

const (
	idsLast = 5 * time.Second // between two readings for an unknown id
	idsWait = 5 * time.Second // of one reading
)

// ids are the marketplace's ids of accounts. A known id is found without a wait and stays known: a store belongs
// to one account.
type ids struct {
	names sync.Map // id -> account

	mu      sync.Mutex // held while files and stores are read
	known   map[string]bool
	secrets []string // of all webhooks
	partial bool     // an unknown id may be of an unread account
	read    time.Time
}

// named reads the accounts whose id is unknown, unless that was done seconds ago.
func (h *house) named(ctx context.Context, id string) string {
	i := &h.ids
	if name, ok := i.names.Load(id); ok {
		return name.(string) //nolint:forcetypeassert // it has nothing else
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if time.Since(i.read) >= idsLast {
		// others use what is read, even if this caller has gone
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), idsWait)
		defer cancel()
		i.partial = false
		for name := range h.files {
			if i.known[name] {
				continue
			}
			if err := h.identify(ctx, name); err != nil {
				h.log.Warn("an account cannot be told by its id", "account", name, "error", h.Redact(err.Error()))
				i.partial = true
			}
		}
		i.read = time.Now()
	}
	name, _ := i.names.Load(id)
	text, _ := name.(string)
	return text
}

func (h *house) identify(ctx context.Context, name string) error {
	c, err := h.configOf(name)
	if err != nil {
		return err
	}
	if secret := c.WebhookSecret; secret != "" && !slices.Contains(h.ids.secrets, secret) {
		h.ids.secrets = append(h.ids.secrets, secret)
	}
	id := c.AccountID
	if id == "" {
		installed, _, err := install.Of(ctx, h.db.Store(name))
		if id = installed.Account; err != nil || id == "" {
			return err
		}
	}
	h.ids.names.Store(id, name)
	h.ids.known[name] = true
	return nil
}

// byID serves a webhook by the secret of the account in its header. It acknowledges one of an unknown account that
// another's secret signed: refused deliveries count against the registration. It refuses while some account cannot
// be read, since the webhook may be its.
func (h *house) byID(ctx context.Context, id string) http.Handler {
	if name := h.named(ctx, id); name != "" {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = r.Clone(r.Context())
			r.URL.Path = "/" + name + r.URL.Path
			h.door(name).ServeHTTP(w, r)
		})
	}
	h.ids.mu.Lock()
	defer h.ids.mu.Unlock()
	if h.ids.partial {
		return http.HandlerFunc(unavailable)
	}
	secrets := slices.Clone(h.ids.secrets)
	return h.webhooks(listener.Options{
		Secrets: func() ([]string, string) { return secrets, "" }, AskSweep: func() {}, Log: h.log,
	})
}

// install begins an installation; the marketplace tells later whose it is.
func (h *house) install(w http.ResponseWriter, r *http.Request) {
	all := h.all()
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
	name := h.named(r.Context(), query.Get("account_id"))
	if begun, _, _ := strings.Cut(query.Get("state"), "."); name == "" {
		if t, err := h.at(begun); err == nil && t.AccountID == "" {
			name = begun
		}
	}
	switch t := h.all()[name]; {
	case t != nil:
		t.public.ServeHTTP(w, r)
	case name != "":
		h.own.Installation("refused_elsewhere")
		install.Elsewhere(w)
	default:
		h.own.Installation("refused_account")
		install.Refuse(w, http.StatusForbidden, "This pubsync has no such account of the marketplace.")
	}
}
