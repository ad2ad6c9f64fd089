package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
)

// public serves /{account}/webhooks and what else an account's public listener serves, and
// /webhooks and the installation where one app serves several accounts.
func (h *house) public() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		h.byID(r.Context(), strings.TrimSpace(r.Header.Get(string(h.WebhookHeaderPrefix)+"-Account-Id"))).ServeHTTP(w, r)
	})
	mux.HandleFunc(install.Path, h.install)
	mux.HandleFunc(install.CallbackPath, h.installed)
	mux.HandleFunc("/{account}"+install.Path, func(w http.ResponseWriter, r *http.Request) {
		h.remember(w, r, r.PathValue("account"))
		h.door(r.PathValue("account")).ServeHTTP(w, r)
	})
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
			elsewhere(w)
			return
		}
		t.public.ServeHTTP(w, r)
	}))
}

// elsewhere answers an installation for an account that another process works on. The browser tries again, and may
// come to that process.
func elsewhere(w http.ResponseWriter) {
	w.Header().Set("Refresh", "2")
	install.Refuse(w, http.StatusServiceUnavailable, "The account cannot be written here. This page tries again.")
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "the account cannot be written at the moment", http.StatusServiceUnavailable)
}

// An index is what the files and the stores of all accounts tell of their webhooks. An id that it knows is
// found without a wait, also while it is made anew.
type index struct {
	making sync.Mutex
	last   atomic.Pointer[indexed]
}

type indexed struct {
	names   map[string]string // the marketplace's id of an account -> its name
	partial bool              // some account could not be read: an id that is not known may be its
	strange http.Handler      // of signed webhooks of accounts that have no file
	made    time.Time
}

// known is the index for an id: made anew where it does not know the id and is not of the last seconds.
func (h *house) known(ctx context.Context, id string) *indexed {
	if last := h.index.last.Load(); last != nil && last.names[id] != "" {
		return last
	}
	return h.reindex(ctx, indexLast)
}

// reindex reads the files and stores of all accounts unless that was done within the time that fresh says.
// An account that cannot be read keeps the id that it had.
func (h *house) reindex(ctx context.Context, fresh time.Duration) *indexed {
	h.index.making.Lock()
	defer h.index.making.Unlock()
	last := h.index.last.Load()
	if last == nil {
		last = &indexed{}
	} else if time.Since(last.made) < fresh {
		return last
	}
	// others use what is made, also where who asked first has gone
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), indexWait)
	defer cancel()
	had := map[string]string{}
	for id, name := range last.names {
		had[name] = id
	}
	next, secrets := &indexed{names: map[string]string{}}, []string{}
	files, failed := h.accountFiles()
	for name, file := range files {
		id, secret, err := h.idOf(ctx, name, file)
		if err != nil {
			failed = fmt.Errorf("account %s: %w", name, err)
		} else {
			delete(had, name)
		}
		if id != "" {
			next.names[id] = name
		}
		if secret != "" && !slices.Contains(secrets, secret) {
			secrets = append(secrets, secret)
		}
	}
	for name, id := range had {
		if _, there := files[name]; there && next.names[id] == "" {
			next.names[id] = name
		}
	}
	if next.partial = failed != nil; next.partial {
		h.log.Warn("not all accounts can be told by their ids", "error", h.Redact(failed.Error()))
	}
	next.strange = h.webhooks(listener.Options{
		Secrets: func() ([]string, string) { return secrets, "" }, AskSweep: func() {}, Log: h.log,
	})
	next.made = time.Now()
	h.index.last.Store(next)
	return next
}

// accountFiles is the file of every account that has one. "" stands for one that was there when the folder was last
// still: a file that is being replaced may be gone for a moment. The error is that of a folder that cannot be read.
func (h *house) accountFiles() (files map[string]string, err error) {
	found, err := config.Accounts(h.AccountsDir)
	if found != nil {
		err = nil // the folder's own log tells of files with other names
	}
	files = map[string]string{}
	for name := range h.fleet.Faults() {
		files[name] = ""
	}
	maps.Copy(files, found)
	return files, err
}

// idOf is the id of an account at the marketplace, and the secret of its webhooks: the id in its file, else the
// one that its installation told, "" where there is none yet.
func (h *house) idOf(ctx context.Context, name, file string) (id, secret string, err error) {
	if file == "" {
		return "", "", errNoAccount
	}
	env, err := h.env.Account(name, file)
	if err != nil {
		return "", "", err
	}
	c, err := h.configIn(env)
	if err != nil {
		return "", "", err
	}
	if c.AccountID != "" {
		return c.AccountID, c.WebhookSecret, nil
	}
	i, _, err := install.Of(ctx, h.db.Store(name))
	return i.Account, c.WebhookSecret, err
}

// byID serves a webhook of the account that the marketplace names in its header. Its signature is
// judged by the secret of that account. A webhook of an account without a configuration is
// acknowledged, where it is signed with the secret of another: refused deliveries count against the
// registration. It is refused while some account cannot be read, whose webhook it may be.
func (h *house) byID(ctx context.Context, id string) http.Handler {
	all := h.known(ctx, id)
	name := all.names[id]
	switch {
	case name == "" && all.partial:
		return http.HandlerFunc(unavailable)
	case name == "":
		return all.strange
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path = "/" + name + r.URL.Path
		h.door(name).ServeHTTP(w, r)
	})
}

const (
	// accountCookie tells for which account a browser began an installation. It is believed only of
	// accounts that no other id is known of, for which anybody can begin one.
	accountCookie = "pubsync-account"
	cookieLasts   = 15 * 60 // as long as a person may read the consent page, in seconds
)

// remember has the browser say later for which account it begins an installation.
func (h *house) remember(w http.ResponseWriter, r *http.Request, name string) {
	t, err := h.at(name)
	if err != nil {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // a public listener without TLS could not set a secure one
		Name: accountCookie, Value: name, Path: "/oauth/", MaxAge: cookieLasts, HttpOnly: true,
		Secure:   strings.HasPrefix(t.WebhookURL.Origin(), "https:"),
		SameSite: http.SameSiteLaxMode, // the redirect comes from another site, as a navigation
	})
}

// install begins an installation of which the marketplace tells later whose it is.
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

// installed ends an installation. Whose it is the marketplace's id of the account tells, or where
// that is not known yet the account for which the browser began it.
func (h *house) installed(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("account_id")
	name := h.known(r.Context(), id).names[id]
	if c, err := r.Cookie(accountCookie); err == nil && name == "" {
		if t, err := h.at(c.Value); err == nil && t.AccountID == "" {
			name = c.Value
		}
	}
	switch t := h.all()[name]; {
	case t != nil:
		t.public.ServeHTTP(w, r)
	case name != "":
		h.own.Installation("refused_elsewhere")
		elsewhere(w)
	default:
		h.own.Installation("refused_account")
		install.Refuse(w, http.StatusForbidden, "This pubsync has no such account of the marketplace.")
	}
}
