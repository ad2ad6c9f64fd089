package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

// A house is a process that works on several accounts.
type house struct {
	*Setup
	env   config.Environment
	log   *slog.Logger
	logOf func(*Setup) *slog.Logger // the log of an account, without its secrets
	owner owner
	db    database

	fleet  *fleet.Fleet
	folder *fleet.Folder
	doors  doors
	rows   desk.Memo[struct{}, []row] // the accounts as they stood a moment ago
	own    *engine.Metrics            // counts the webhooks of no account

	mu      sync.Mutex
	tenants map[string]*tenant // the accounts that are worked on
}

// A tenant is an account that is worked on, as the listeners know it.
type tenant struct {
	*Setup
	store  store.Store
	worker *connector.Connector
	public http.Handler
	admin  http.Handler
	orders chan struct{} // of other processes: one is looked for
}

// carryOut has the orders of other processes looked for.
func (t *tenant) carryOut() {
	select {
	case t.orders <- struct{}{}:
	default: // it will be
	}
}

// serve carries out the orders of other processes, and tells them what only the worker knows, until ctx ends.
func (t *tenant) serve(ctx context.Context, log *slog.Logger) {
	d, told, live := t.worker.Desk(), desk.Status{}, time.NewTicker(desk.LiveEvery)
	defer live.Stop()
	for t.carryOut(); ctx.Err() == nil; {
		var err error
		select {
		case <-ctx.Done():
		case <-t.orders:
			err = d.CarryOut(ctx)
		case <-live.C:
			told, err = d.TellLive(ctx, told)
		}
		if err != nil && ctx.Err() == nil {
			log.Error("other processes are not served", "error", t.Redact(err.Error()))
		}
	}
}

const (
	// collectAt is by how many percent the memory may grow before it is collected: many accounts that are
	// idle hold much and allocate little.
	collectAt = 30
	drain     = 5 * time.Second
	mostCalls = 256 // of the shops of all accounts of a process at a time
)

// WorkAccounts runs a worker for each account of the folder that the configuration names, until ctx
// ends. logOf makes the log of an account.
func WorkAccounts(ctx context.Context, c *Setup, log *slog.Logger, logOf func(*Setup) *slog.Logger) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	h := &house{Setup: c, env: *c.source, log: log, logOf: logOf, tenants: map[string]*tenant{}, own: engine.NewMetrics()}
	h.slots = semaphore.NewWeighted(mostCalls)
	list := func() (map[string]string, error) { return config.Accounts(c.AccountsDir) }
	if files, err := list(); files == nil {
		return configured(err)
	}
	db, err := openDatabase(ctx, h.engine.place)
	if err != nil {
		return OpenError(c, err)
	}
	h.db = db
	defer db.Close()
	listeners, err := c.listen(ctx)
	if err != nil {
		return err
	}
	h.owner = ownerAt(log, listeners) // the commands beside this process read it
	h.owner.Accounts = true
	h.folder = &fleet.Folder{List: list}
	h.fleet = fleet.New(fleet.Options{Leases: db, Owner: h.owner.text(), Work: h.work, Log: log})
	servers := &listener.Servers{}
	if l := listeners.Webhook; l != nil {
		servers.Public(log, l, h.public())
	}
	if l := listeners.Admin; l != nil {
		servers.Admin(log, l, h.admin(listener.IsLoopback(l.Addr())))
	}
	watching, unwatch := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		h.folder.Watch(watching, h.apply, func(err error) { log.Error("folder of accounts", "error", err) })
	})
	watch.Go(func() { notify(watching, log, h.ready, func(context.Context) {}) })
	watch.Go(func() { db.Accepted(watching, h.wake) })
	log.Info("accounts are worked on", "folder", c.AccountsDir, "version", c.version)
	h.fleet.Run(ctx)
	unwatch()
	watch.Wait()
	servers.Shutdown(drain)
	return nil
}

func (h *house) ready(context.Context) error { return h.fleet.Ready() }

func (h *house) apply(accounts []fleet.Account) {
	h.log.Info("accounts", "known", len(accounts))
	h.fleet.Set(accounts)
	h.doors.forget()
}

// work works on an account for as long as this process has its lease.
func (h *house) work(ctx context.Context, a fleet.Account, l *store.Lease) (err error) {
	c, err := h.configOf(a.Name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.New(c.Redact(err.Error()))
		}
	}()
	log := h.logOf(c).With("account", c.Account)
	for _, w := range c.Warnings {
		log.Warn("configuration", "warning", w)
	}
	s := h.db.StoreOf(l)
	if err := whole(s); err != nil {
		return OpenError(c, err)
	}
	parts, err := c.assembleOn(ctx, s, log)
	if err != nil {
		return OpenError(c, errors.Join(err, s.Close()))
	}
	none := connector.Listeners{}
	return c.run(ctx, log, parts, none, nil, func(ctx context.Context, worker *connector.Connector) func() {
		t := &tenant{c, s, worker, worker.WebhookHandler(), worker.AccountHandler(), make(chan struct{}, 1)}
		var serves sync.WaitGroup
		serves.Go(func() { t.serve(ctx, log) })
		h.mu.Lock()
		defer h.mu.Unlock()
		h.tenants[c.Account] = t
		return func() {
			serves.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.tenants, c.Account)
		}
	})
}

// configOf is the configuration of an account.
func (h *house) configOf(name string) (*Setup, error) {
	env, err := EnvironmentOf(h.env, name)
	if err != nil {
		return nil, err
	}
	c, faults := New(env, config.ToRun, h.version)
	c.slots = h.slots
	return c, errors.Join(faults...)
}

// at is the account of a name where it is worked on here, else nil.
func (h *house) at(name string) *tenant {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tenants[name]
}

func (h *house) all() map[string]*tenant {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.tenants)
}

// wake has an account look at what other processes wrote, or with hinted at its list; "" has all look.
func (h *house) wake(name string, hinted bool) {
	for _, t := range h.all() {
		switch {
		case name != "" && name != t.Account:
		case hinted:
			t.worker.Hinted()
		default:
			t.worker.Wake()
			t.carryOut()
		}
	}
}

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
		API: http.HandlerFunc(h.api), Dashboard: dashboard.Accounts(), Accounts: http.HandlerFunc(h.account),
		Metrics: engine.MetricsOfAccounts(func() map[string]*engine.Metrics {
			out := map[string]*engine.Metrics{"": h.own}
			for name, t := range h.all() {
				out[name] = t.worker.Metrics
			}
			return out
		}),
	})
}

// account serves one account below its path.
func (h *house) account(w http.ResponseWriter, r *http.Request) {
	name, rest, whole := strings.Cut(strings.TrimPrefix(r.URL.Path, "/accounts/"), "/")
	t, to := h.at(name), ways{}
	s, _ := h.fleet.Standing(name)
	if t != nil {
		to.admin = t.admin
	} else if s.State == fleet.Elsewhere {
		var err error
		if to, err = h.door(r.Context(), name); err != nil {
			h.log.Error("account cannot be shown", "account", name, "error", err)
		}
	}
	switch {
	case to.admin == nil:
		h.absent(w, name)
	case !whole: // the page's addresses are relative
		http.Redirect(w, r, s.Name+"/", http.StatusPermanentRedirect)
	case rest == "readyz" && t != nil:
		if err := t.worker.Desk().Ready(r.Context()); err != nil {
			http.Error(w, "store cannot be written: "+err.Error(), http.StatusServiceUnavailable)
		}
	default:
		http.StripPrefix(accountPath(name), to.admin).ServeHTTP(w, r)
	}
}

// absent answers a request for an account that nobody works on.
func (h *house) absent(w http.ResponseWriter, name string) {
	s, known := h.fleet.Standing(name)
	switch s = asSeen(s, false); {
	case !known && h.folder.Settled():
		http.Error(w, "no such account", http.StatusNotFound)
	case !known || s.State == starting || s.State == fleet.Elsewhere:
		w.Header().Set(desk.StartingHeader, "true")
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the account is starting: ask again in some seconds", http.StatusServiceUnavailable)
	default:
		text := "the account is " + s.State
		if s.Error != "" {
			text += ": " + s.Error
		}
		http.Error(w, text, http.StatusServiceUnavailable)
	}
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
	Owner        string              `json:"owner,omitempty"` // the machine of the process that has it
	Publications map[store.State]int `json:"publications,omitempty"`
	Due          int                 `json:"due"`
	Outbox       int                 `json:"outbox"`
	Paused       []string            `json:"paused,omitempty"`  // why the shop or the marketplace is paused
	Refused      []string            `json:"refused,omitempty"` // the sides that refuse credentials or an address
}

const (
	rowsLast     = 2 * time.Second
	rowsWait     = 5 * time.Second // what the stores have told by then is shown
	accountsPath = "/api/v1/accounts"
)

// api serves the list of accounts. What there is of one account is below its path.
func (h *house) api(w http.ResponseWriter, r *http.Request) {
	if strings.TrimSuffix(r.URL.Path, "/") != accountsPath || r.Method != http.MethodGet {
		http.Error(w, "there are several accounts: ask below /accounts/{name}/api/v1/, of which "+accountsPath+
			" has the names", http.StatusNotFound)
		return
	}
	rows := h.ours(context.WithoutCancel(r.Context())) // others wait for the same rows
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"accounts": rows}) //nolint:errcheck // the client has gone
}

// ours is how every account stands, and what this process and the stores know of it.
func (h *house) ours(ctx context.Context) []row {
	rows, _ := h.rows.Of(struct{}{}, rowsLast, func() ([]row, error) { //nolint:errcheck // it returns none
		ctx, cancel := context.WithTimeout(ctx, rowsWait)
		defer cancel()
		all := []row{}
		for _, s := range h.fleet.Standings() {
			t := h.at(s.Name)
			r := row{Standing: asSeen(s, t != nil), Owner: h.owner.Host}
			switch {
			case t != nil:
				r.count(ctx, t.store)
				r.pauses(t)
			case s.State == fleet.Elsewhere:
				r.Owner = ""
				h.fill(ctx, &r)
			}
			all = append(all, r)
		}
		return all, nil
	})
	return rows
}

// fill adds what the database tells of an account that is not worked on here.
func (h *house) fill(ctx context.Context, r *row) {
	held, err := h.db.HolderOf(ctx, r.Name)
	if err != nil || !held.Held {
		return
	}
	r.State, r.Owner = fleet.Working, ownerIn(held.Owner).Host
	r.count(ctx, h.db.Store(r.Name))
}

// count adds what a store tells.
func (r *row) count(ctx context.Context, s store.Store) {
	counts, err := s.Counts(ctx)
	if err == nil {
		var b store.Backlog
		b, err = s.Backlog(ctx, store.At(time.Now()))
		r.Publications, r.Due, r.Outbox = counts, b.Due, b.Owed
	}
	if err != nil {
		r.Error = "the store cannot be read"
	}
}

// pauses adds what the worker of an account tells.
func (r *row) pauses(t *tenant) {
	for name, p := range t.worker.Pauses() {
		r.Paused = append(r.Paused, name+": "+t.Redact(p.Reason))
		if p.Refused {
			r.Refused = append(r.Refused, name+" refuses")
		}
	}
	slices.Sort(r.Paused)
	slices.Sort(r.Refused)
}
