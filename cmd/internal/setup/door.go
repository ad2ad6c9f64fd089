package setup

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

const (
	doorLasts = 30 * time.Second // for which what is known of an account that is not worked on here is used
	idsLast   = 5 * time.Second  // the least time between two readings of all accounts' ids and secrets
	hintEvery = 5 * time.Second  // the least time between two hints of this process at the list of an account
)

// doors are the ways in, for webhooks and for persons, to accounts that other processes work on, or none at the
// moment. What they accept is durable in the database, and the owner is woken.
type doors struct {
	mu    sync.Mutex
	known map[string]*door
	ids   map[string]string // the marketplace's id of an account -> its name
	read  time.Time         // when ids was made
	other desk.Memo[struct{}, http.Handler]
}

// A door leads to one account. What it refuses counts for this process.
type door struct {
	ways     desk.Memo[struct{}, ways]
	refusals *listener.Refusals
}

type ways struct{ public, admin http.Handler }

// forget has all that is known of accounts be found out anew, since they have changed.
func (d *doors) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read = time.Time{}
	d.other.Forget()
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "the account cannot be written at the moment", http.StatusServiceUnavailable)
}

// public serves /{account}/webhooks and what else an account's public listener serves, and
// /webhooks and the installation where one app serves several accounts.
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
			if h.at(name) == nil {
				install.ShowElsewhere(w)
				return
			}
		}
		http.StripPrefix("/"+name, h.doorOf(r.Context(), name)).ServeHTTP(w, r)
	})
}

func (h *house) knows(name string) bool {
	_, known := h.fleet.Standing(name)
	return known
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
	to, err := h.door(ctx, name)
	if err != nil {
		h.log.Error("webhook cannot be stored", "account", name, "error", err)
		return http.HandlerFunc(unavailable)
	}
	return to.public
}

// door is the way to an account that is not worked on here.
func (h *house) door(ctx context.Context, name string) (ways, error) {
	h.doors.mu.Lock()
	d := h.doors.known[name]
	if d == nil {
		d = &door{refusals: listener.NewRefusals(h.log.With("account", name))}
		if h.doors.known == nil {
			h.doors.known = map[string]*door{}
		}
		h.doors.known[name] = d
	}
	h.doors.mu.Unlock()
	return d.ways.Of(struct{}{}, doorLasts, func() (ways, error) { return h.openDoor(ctx, name, d.refusals) })
}

// openDoor makes what serves an account without its lease.
func (h *house) openDoor(ctx context.Context, name string, refusals *listener.Refusals) (to ways, err error) {
	c, err := h.configOf(name)
	if err != nil {
		return to, err
	}
	s := h.db.Store(name)
	var secrets []string
	if c.WebhookSecret != "" {
		secrets = []string{c.WebhookSecret}
	}
	log := h.logOf(c).With("account", name)
	to.public = listener.NewWebhooks(listener.Options{
		Prefix:  string(c.WebhookHeaderPrefix),
		Secrets: func() ([]string, string) { return secrets, c.WebhookPathToken },
		Inbox:   s, Marked: func() {},
		Refusals: refusals, AskSweep: h.hint(name), Count: h.own.Webhook,
		InboxFailed: func(err error) { log.Error("webhook cannot be stored", "error", err) }, Log: log,
	})
	to.admin = connector.AccountHandler(s, string(c.MarketplaceURL), func() *desk.Local {
		remote := desk.Remote{Store: s, Planned: (&alone{Setup: c, log: log, store: s}).Plan}
		return &desk.Local{
			Store: s, Rules: c.Rules, Worker: remote, Jobs: remote, BackUp: c.backUp,
			Settings: c.Digests, Figures: c.FigureValues(), Read: c.Try,
		}
	})
	return to, nil
}

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
	other, _ := h.doors.other.Of(struct{}{}, idsLast, h.openOther) //nolint:errcheck // it returns none
	return other
}

// openOther makes what acknowledges, counts and logs the signed webhooks of accounts that have no
// configuration. It reads the file of every account.
func (h *house) openOther() (http.Handler, error) {
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
	}), nil
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

// idOf is the id of an account at the marketplace: the one in its file, else the one that its
// installation told, "" for none.
func (h *house) idOf(ctx context.Context, name string) string {
	c, err := h.configOf(name)
	if err != nil {
		return ""
	}
	id := c.AccountID
	if id == "" {
		if i, _, err := store.InstallationOf(ctx, h.db.Store(name)); err == nil {
			id = i.Account
		}
	}
	return id
}

// accountCookie tells for which account a browser began an installation. It is believed only of
// accounts that no other id is known of, for which anybody can begin one.
const accountCookie = "pubsync-account"

// cookieLasts is as long as a person may read the consent page, in seconds.
const cookieLasts = 15 * 60

// remember has the browser say later for which account it begins an installation.
func (h *house) remember(w http.ResponseWriter, r *http.Request, name string) {
	secure := false
	if t := h.at(name); t != nil {
		secure = strings.HasPrefix(t.WebhookURL.Origin(), "https:")
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // a public listener without TLS could not set a secure one
		Name: accountCookie, Value: name, Path: "/oauth/", MaxAge: cookieLasts, HttpOnly: true, Secure: secure,
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
	name := h.nameOf(r.Context(), r.URL.Query().Get("account_id"))
	if name == "" {
		if c, err := r.Cookie(accountCookie); err == nil && h.knows(c.Value) {
			if own, err := h.configOf(c.Value); err == nil && own.AccountID == "" {
				name = c.Value
			}
		}
	}
	switch t := h.at(name); {
	case t != nil:
		t.public.ServeHTTP(w, r)
	case name != "":
		h.own.Installation("refused_elsewhere")
		install.ShowElsewhere(w)
	default:
		h.own.Installation("refused_account")
		install.ShowUnknown(w)
	}
}
