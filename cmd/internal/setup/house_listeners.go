package setup

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/connector/install"
)

// accountPath is where the admin listener of a process with several accounts has one of them.
func accountPath(account string) string {
	return "/accounts/" + cmp.Or(account, "default")
}

// admin serves the admin listener: the page and the list of accounts, and each account's own
// dashboard and API below /accounts/{name}/.
func (h *house) admin(loopback bool) http.Handler {
	return admin.New(admin.Options{
		Loopback: loopback, Token: func() string { return h.AdminToken },
		Store: func() string { return "" }, Logger: h.log, Ready: h.ready,
		API: http.HandlerFunc(h.api), Metrics: h.metrics(), Dashboard: dashboard.Accounts(),
		Accounts: http.HandlerFunc(h.account),
	})
}

// account serves one account below its path.
func (h *house) account(w http.ResponseWriter, r *http.Request) {
	name, rest, whole := strings.Cut(strings.TrimPrefix(r.URL.Path, "/accounts/"), "/")
	t := h.at(name)
	switch {
	case t == nil:
		h.absent(w, r, name)
	case !whole: // the page's addresses are relative
		http.Redirect(w, r, t.Account+"/", http.StatusPermanentRedirect)
	case rest == "readyz":
		if err := t.worker.Desk().Ready(r.Context()); err != nil {
			http.Error(w, "store cannot be written: "+err.Error(), http.StatusServiceUnavailable)
		}
	case "/"+rest == install.Path, "/"+rest == install.CallbackPath: // from the public listener of another process
		http.StripPrefix(accountPath(name), t.public).ServeHTTP(w, r)
	default:
		http.StripPrefix(accountPath(name), t.admin).ServeHTTP(w, r)
	}
}

// absent answers a request for an account that is not worked on here.
func (h *house) absent(w http.ResponseWriter, r *http.Request, name string) {
	s, known := h.fleet.Standing(name)
	text := "no such account"
	switch s = asSeen(s, false); {
	case !known && h.folder.Settled():
		http.Error(w, text, http.StatusNotFound)
		return
	case !known || s.State == starting:
		text = "the account is starting: ask again in some seconds"
		w.Header().Set(desk.StartingHeader, "true")
		w.Header().Set("Retry-After", "1")
	case s.State == fleet.Elsewhere:
		o := h.holderOf(r.Context(), name)
		if h.forward(w, r, o) {
			return
		}
		text = "another process works on the account: " + o.String()
		if o.PID == 0 {
			text = "no process works on the account yet: ask again in some seconds"
			w.Header().Set(desk.StartingHeader, "true")
		}
	default:
		text = "the account is " + s.State
		if s.Error != "" {
			text += ": " + s.Error
		}
	}
	http.Error(w, text, http.StatusServiceUnavailable)
}

// starting is the state of an account that is this process's and cannot be asked yet.
const starting = "starting"

// asSeen is how an account stands for those who ask it: it is starting until the listeners serve
// it.
func asSeen(s fleet.Standing, served bool) fleet.Standing {
	if s.State == fleet.Working && !served {
		s.State = starting
	}
	return s
}

// metrics serves what monitoring reads of all accounts that are worked on here.
func (h *house) metrics() http.Handler {
	return engine.MetricsOfAccounts(func() map[string]*engine.Metrics {
		out := map[string]*engine.Metrics{"": h.own}
		for name, t := range h.all() {
			out[name] = t.worker.Metrics
		}
		return out
	})
}
