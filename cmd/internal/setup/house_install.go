package setup

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/install"
)

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
		if c, err := r.Cookie(accountCookie); err == nil && h.knows(c.Value) && !h.hasID(c.Value) {
			name = c.Value
		}
	}
	t := h.at(name)
	switch {
	case t != nil:
		t.public.ServeHTTP(w, r)
	case name != "" && h.forwardInstall(w, r, name, install.CallbackPath):
	case name != "":
		h.own.Installation("refused_elsewhere")
		install.ShowElsewhere(w)
	default:
		h.own.Installation("refused_account")
		install.ShowUnknown(w)
	}
}

// forwardInstall hands a request of an installation on to the process that has the account, and
// reports whether there is one that can be asked.
func (h *house) forwardInstall(w http.ResponseWriter, r *http.Request, name, path string) bool {
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = accountPath(name)+path, ""
	r.Header.Del("Authorization")
	return h.forward(w, r, h.holderOf(r.Context(), name))
}

// hasID reports whether the file of an account says which one it is at the marketplace.
func (h *house) hasID(name string) bool {
	c, err := h.configOf(name)
	return err != nil || c.AccountID != ""
}
