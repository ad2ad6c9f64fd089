package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/install"
)

// public serves /{account}/webhooks and what else an account's public listener serves, and
// /webhooks and the installation where one app serves several accounts.
func (h *house) public() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimSpace(r.Header.Get(string(h.WebhookHeaderPrefix) + "-Account-Id"))
		h.byID(r.Context(), id).ServeHTTP(w, r)
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

// An index is what the files and the stores of all accounts tell of their webhooks. One is never changed: an id
// that it knows is found without a wait, also while the next one is made.
type index struct {
	accounts map[string]identity // by name
	secrets  []string            // of the webhooks of all of them, each once
	partial  bool                // some account could not be read: an id that is not known may be its
	made     time.Time
}

// An identity is the marketplace's id of an account, "" while it is not known, and the secret of its webhooks.
type identity struct{ id, secret string }

// name is the account that has an id, "" for none.
func (i *index) name(id string) string {
	for name, account := range i.accounts {
		if id != "" && account.id == id {
			return name
		}
	}
	return ""
}

// known is the index for an id: made anew where it does not know the id and is not of the last seconds.
func (h *house) known(ctx context.Context, id string) *index {
	if last := h.index.Load(); last != nil && last.name(id) != "" {
		return last
	}
	return h.reindex(ctx, indexLast)
}

// reindex reads the files and stores of all accounts unless that was done within the time that fresh says.
// An account that cannot be read keeps the id that it had; so does one whose file is being replaced, and gone for a
// moment.
func (h *house) reindex(ctx context.Context, fresh time.Duration) *index {
	h.indexing.Lock()
	defer h.indexing.Unlock()
	last := h.index.Load()
	if last == nil {
		last = &index{}
	} else if time.Since(last.made) < fresh {
		return last
	}
	// others use what is made, also where who asked first has gone
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), indexWait)
	defer cancel()
	next, files := &index{accounts: map[string]identity{}}, map[string]string{}
	for name := range h.fleet.Faults() {
		files[name] = ""
	}
	found, failed := config.Accounts(h.AccountsDir)
	if found != nil {
		failed = nil // the folder's own log tells of files with other names
	}
	maps.Copy(files, found)
	var unread []string
	for name, file := range files {
		account, err := h.identify(ctx, name, file)
		if err != nil {
			failed, unread = fmt.Errorf("account %s: %w", name, err), append(unread, name)
		}
		next.accounts[name] = account
		if account.secret != "" && !slices.Contains(next.secrets, account.secret) {
			next.secrets = append(next.secrets, account.secret)
		}
	}
	for _, name := range unread { // unless another account has it by now
		if had := last.accounts[name].id; next.name(had) == "" {
			account := next.accounts[name]
			account.id = had
			next.accounts[name] = account
		}
	}
	if next.partial = failed != nil; next.partial {
		h.log.Warn("not all accounts can be told by their ids", "error", h.Redact(failed.Error()))
	}
	next.made = time.Now()
	h.index.Store(next)
	return next
}

// identify reads the id of an account from its file, else from its installation, which may not have been made yet.
func (h *house) identify(ctx context.Context, name, file string) (i identity, err error) {
	if file == "" {
		return i, errNoAccount
	}
	env, err := h.env.Account(name, file)
	if err != nil {
		return i, err
	}
	c, err := h.configIn(env)
	if err != nil {
		return i, err
	}
	i = identity{c.AccountID, c.WebhookSecret}
	if i.id == "" {
		var installed install.Installation
		installed, _, err = install.Of(ctx, h.db.Store(name))
		i.id = installed.Account
	}
	return i, err
}

// byID serves a webhook of the account that the marketplace names in its header. Its signature is
// judged by the secret of that account. A webhook of an account without a configuration is
// acknowledged, where it is signed with the secret of another: refused deliveries count against the
// registration. It is refused while some account cannot be read, whose webhook it may be.
func (h *house) byID(ctx context.Context, id string) http.Handler {
	all := h.known(ctx, id)
	name := all.name(id)
	switch {
	case name == "" && all.partial:
		return http.HandlerFunc(unavailable)
	case name == "":
		return h.strangers
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
	name := h.known(r.Context(), id).name(id)
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
