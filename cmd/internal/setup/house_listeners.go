package setup

import (
	"cmp"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

// accountPath is where the admin listener of a process with several accounts has one of them.
func accountPath(account string) string {
	return "/accounts/" + cmp.Or(account, "default")
}

// admin serves the admin listener: the page and the list of accounts, and each account's own
// dashboard and API below /accounts/{name}/.
func (h *house) admin(loopback bool) http.Handler {
	return admin.New(admin.Options{
		Loopback: loopback, Token: func() string { return h.AdminToken }, Known: listener.Keep,
		Store: func() string { return "" }, Logger: h.log, Ready: h.ready,
		API: http.HandlerFunc(h.api), Metrics: h.metrics(), Dashboard: http.HandlerFunc(h.page),
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
	case !known && !h.folder.Waits(name):
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

// A row is an account in the list of accounts.
type row struct {
	fleet.Standing
	Owner        string              `json:"owner,omitempty"` // the process that has it
	Publications map[store.State]int `json:"publications,omitempty"`
	Due          int                 `json:"due"`
	Outbox       int                 `json:"outbox"`
	Paused       []string            `json:"paused,omitempty"` // why the shop or the marketplace is paused
}

// NeedsAPerson reports whether something of the account waits for a person.
func (r row) NeedsAPerson() bool {
	n := r.Publications
	return r.State == fleet.Faulty || n[store.StateBlocked]+n[store.StateHeld]+n[store.StateRejected] > 0 ||
		len(r.Paused) > 0
}

// OnSale is how many publications are on sale.
func (r row) OnSale() int {
	return r.Publications[store.StateLive] + r.Publications[store.StatePartial]
}

// rows is every account as it stands.
func (h *house) rows(r *http.Request) (rows []row) {
	for _, s := range h.fleet.Standings() {
		t := h.at(s.Name)
		row := row{Standing: asSeen(s, t != nil)}
		if t != nil {
			row.Owner = h.owner.Host
			if status, err := t.worker.Desk().Status(r.Context()); err == nil {
				row.Publications, row.Due, row.Outbox = status.Publications, status.Due, status.Outbox
				for _, side := range []string{status.Shop.Reason, status.Marketplace.Reason} {
					if side != "" {
						row.Paused = append(row.Paused, side)
					}
				}
			} else {
				row.Error = t.Redact(err.Error())
			}
		} else if s.State == fleet.Elsewhere {
			row.Owner = h.holderOf(r.Context(), s.Name).Host
		}
		rows = append(rows, row)
	}
	return rows
}

// api serves the list of accounts. What there is of one account is below its path.
func (h *house) api(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/v1/accounts" || r.Method != http.MethodGet {
		http.Error(
			w,
			"there are several accounts: ask below /accounts/{name}/api/v1/, of which /api/v1/accounts has the "+
				"names",
			http.StatusNotFound,
		)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	rows := append([]row{}, h.rows(r)...)
	_ = json.NewEncoder(w).Encode(map[string]any{"accounts": rows}) //nolint:errcheck // the client has gone
}

var accountsPage = template.Must(template.New("accounts").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="10"><title>pubsync: accounts</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;margin:2em auto;max-width:60em;padding:0 1em}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4em .8em .4em 0;vertical-align:top}
tr{border-bottom:1px solid #8884}.need{font-weight:bold}small{color:GrayText}</style>
<h1>Accounts</h1>
<table><tr><th>Account<th>State<th>On sale<th>Due<th>Reports owed<th>Needs a person<th>Process</tr>
{{range .}}<tr{{if .NeedsAPerson}} class="need"{{end}}><td>
{{- if .Publications}}<a href="accounts/{{.Name}}/">{{.Name}}</a>{{else}}{{.Name}}{{end}}<td>{{.State}}
{{- if .Error}}<br><small>{{.Error}}</small>{{end}}{{range .Paused}}<br><small>paused: {{.}}</small>{{end}}
<td>{{.OnSale}}<td>{{.Due}}<td>{{.Outbox}}<td>{{if .NeedsAPerson}}yes{{end}}<td>{{.Owner}}</tr>
{{else}}<tr><td colspan="7">There is no account: put a file NAME.env into the folder.</tr>{{end}}</table></html>`))

// page is the page of accounts.
func (h *house) page(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	_ = accountsPage.Execute(w, h.rows(r)) //nolint:errcheck // the browser has gone
}
