package setup

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

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

// A house is a process for several accounts, beside its replicas. Each serves every account: the database keeps
// what a webhook or a person says, and wakes the process that works on the account. The folder is listed only at
// the start.
type house struct {
	*Setup
	log   *slog.Logger
	logOf func(*Setup) *slog.Logger // without the account's secrets
	names []string                  // of all accounts
	db    database
	fleet *fleet.Fleet
	own   *engine.Metrics // of accounts not worked on here
	ids   ids

	strange http.Handler // of webhooks of unknown accounts

	mu     sync.Mutex
	served map[string]*account
}

// An account serves one, whichever process works on it.
type account struct {
	*Setup
	desk   *desk.Local
	worker *connector.Connector // nil: not worked on here
	public http.Handler
	opened time.Time     // when its file was read
	orders chan struct{} // holds one while orders may be waiting
}

const (
	accountPath  = "/accounts/"
	accountsPath = "/api/v1/accounts"

	// collectAt is a GOGC: idle accounts hold much and allocate little.
	collectAt = 30
	drain     = 5 * time.Second
	mostCalls = 256              // of all shops of a process at a time
	otherLast = 30 * time.Second // how long an account that is not worked on here is served as it was opened
	hintEvery = 5 * time.Second  // between two hints at an account's list
	rowsWait  = 5 * time.Second  // then the stores of the others cannot be read
)

// WorkAccounts runs a worker for each account, or for the only one, until ctx ends.
func WorkAccounts(ctx context.Context, c *Setup, only string, logOf func(*Setup) *slog.Logger) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	names, err := Accounts(c.Environment)
	if len(names) == 0 {
		return err
	}
	if only != "" {
		names = []string{only}
	}
	h := newHouse(c, names, logOf)
	if err != nil { // other files are good
		h.log.Error("folder of accounts", "error", err)
	}
	if h.db, err = connect(ctx, c.StoreURL); err != nil && ctx.Err() == nil {
		return c.StoreError(err)
	} else if err != nil {
		return nil //nolint:nilerr // it was stopped before it began
	}
	defer h.db.Close()
	l, err := c.listen(ctx)
	if err != nil {
		return err
	}
	h.fleet = fleet.New(fleet.Options{
		Accounts: names, Leases: h.db, Owner: me(c.AdminListen), Work: h.work, Log: h.log,
	})
	l.Serve(h.log, h.public(), h.admin)
	beside, end := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	tasks.Go(func() { notify(beside, h.log, h.fleet.Ready) })
	tasks.Go(func() { h.db.Accepted(beside, h.wake) })
	h.log.Info("accounts are worked on", "folder", c.AccountsDir, "accounts", len(names), "version", c.version)
	h.fleet.Run(ctx)
	end()
	tasks.Wait()
	l.Shutdown(drain)
	return nil
}

func newHouse(c *Setup, names []string, logOf func(*Setup) *slog.Logger) *house {
	c.slots = semaphore.NewWeighted(mostCalls)
	h := &house{
		Setup: c, names: names, log: logOf(c), logOf: logOf, own: engine.NewMetrics(),
		ids: ids{known: map[string]bool{}, secrets: map[string]bool{}}, served: map[string]*account{},
	}
	h.strange = h.strangers()
	return h
}

// configOf reads an account's file, which may have changed since the start.
func (h *house) configOf(name string) (*Setup, error) {
	env, err := h.Of(name)
	if err != nil {
		return nil, err
	}
	c, faults := New(env, config.ToRun, h.version)
	c.slots = h.slots
	return c, errors.Join(faults...)
}

func (h *house) work(ctx context.Context, name string, l *store.Lease) (err error) {
	c, err := h.configOf(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.New(c.Redact(err.Error()))
		}
	}()
	log := h.logOf(c).With("account", c.Account)
	c.WarnOnce(log)
	s, err := whole(h.db.StoreOf(l), nil)
	if err != nil {
		return c.StoreError(err)
	}
	return c.work(ctx, s, log, &connector.Listeners{}, func(ctx context.Context, now *Setup, worker *connector.Connector) {
		t := &account{
			Setup: now, desk: worker.Desk(), worker: worker, public: worker.WebhookHandler(),
			orders: make(chan struct{}, 1),
		}
		h.mu.Lock()
		h.served[c.Account] = t
		h.mu.Unlock()
		t.desk.ServeOthers(ctx, t.orders, log)
		h.mu.Lock()
		delete(h.served, c.Account)
		h.mu.Unlock()
	})
}

// worked returns the accounts that this process works on.
func (h *house) worked() map[string]*account {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := maps.Clone(h.served)
	maps.DeleteFunc(all, func(_ string, t *account) bool { return t.worker == nil })
	return all
}

// wake has an account, or all for "", look at what others wrote, or at its list if hinted.
func (h *house) wake(name string, hinted bool) {
	for _, t := range h.worked() {
		switch {
		case name != "" && name != t.Account:
		case hinted:
			t.worker.Hinted()
		default:
			t.worker.Wake()
			select {
			case t.orders <- struct{}{}:
			default: // they will be looked for
			}
		}
	}
}

var errNoAccount = errors.New("no such account")

// at returns errNoAccount for a name without a file.
func (h *house) at(name string) (*account, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.served[name]; t != nil && (t.worker != nil || time.Since(t.opened) < otherLast) {
		return t, nil
	}
	if !slices.Contains(h.names, name) {
		return nil, errNoAccount
	}
	t, err := h.open(name)
	if err == nil {
		h.served[name] = t
	}
	return t, err
}

// open serves an account over its store alone, without its lease.
func (h *house) open(name string) (*account, error) {
	c, err := h.configOf(name)
	if err != nil {
		return nil, err
	}
	s := h.db.Store(name)
	log := h.logOf(c).With("account", name)
	local, beside := c.desk(s), desk.Alone{Store: s}
	local.Worker = desk.Remote{Alone: beside, Planned: (&alone{beside, c, log}).Plan}
	hints := rate.Sometimes{Interval: hintEvery}
	hint := func() { // else the next sweep finds the change
		ctx, cancel := context.WithTimeout(context.Background(), hintEvery)
		defer cancel()
		_ = h.db.Hint(ctx, name) //nolint:errcheck // as above
	}
	return &account{
		Setup: c, desk: local, opened: time.Now(),
		public: h.webhooks(listener.Options{
			Secrets: func() ([]string, string) { return []string{c.WebhookSecret}, c.WebhookPathToken },
			Inbox:   s, Log: log,
			InboxFailed: func(err error) { log.Error("webhook cannot be stored", "error", err) },
			AskSweep:    func() { hints.Do(hint) },
		}),
	}, nil
}

func (h *house) webhooks(o listener.Options) http.Handler {
	o.Prefix, o.Marked, o.Count = h.WebhookHeaderPrefix, func() {}, h.own.Webhook
	// at once, by any process's clock
	o.LookAt = func(string, bool, time.Time) time.Time { return time.UnixMilli(1) }
	return listener.NewWebhooks(o)
}

func (h *house) admin(loopback bool) http.Handler {
	list := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		//nolint:errcheck // the client has gone
		_ = json.NewEncoder(w).Encode(map[string]any{"accounts": h.accounts(r.Context())})
	}
	other := func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "there are several accounts: ask below /accounts/{name}/api/v1/, of which "+accountsPath+
			" has the names", http.StatusNotFound)
	}
	return admin.New(admin.Options{
		Loopback: loopback, Token: h.AdminToken, Logger: h.log, Ready: h.fleet.Ready,
		Pages: map[string]http.Handler{
			"/{$}": dashboard.Accounts(h.accounts), accountPath + "{account}/": http.HandlerFunc(h.account),
			"GET " + accountsPath: http.HandlerFunc(list), "/api/": http.HandlerFunc(other),
			"GET /metrics": engine.MetricsOfAccounts(func() map[string]*engine.Metrics {
				out := map[string]*engine.Metrics{"": h.own}
				for name, t := range h.worked() {
					out[name] = t.worker.Metrics
				}
				return out
			}),
		},
	})
}

func (h *house) account(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("account")
	t, err := h.at(name)
	if fault := h.fleet.Faults()[name]; err == nil && fault != "" {
		err = errors.New(fault) // no process would carry out what is asked
	}
	switch {
	case errors.Is(err, errNoAccount):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the account is faulty: "+h.Redact(err.Error()), http.StatusServiceUnavailable)
	case r.URL.Path == accountPath+name+"/readyz":
		if err := t.desk.Worker.Ready(r.Context()); err != nil {
			http.Error(w, "store cannot be written: "+err.Error(), http.StatusServiceUnavailable)
		}
	default:
		http.StripPrefix(accountPath+name, connector.AccountHandler(t.desk)).ServeHTTP(w, r)
	}
}

func (h *house) accounts(ctx context.Context) []dashboard.Account {
	ctx, cancel := context.WithTimeout(ctx, rowsWait)
	defer cancel()
	all, faults, worked := []dashboard.Account{}, h.fleet.Faults(), h.worked()
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		all = append(all, h.row(ctx, name, faults[name], worked[name]))
	}
	return all
}

func (h *house) row(ctx context.Context, name, fault string, t *account) dashboard.Account {
	if fault != "" {
		return dashboard.Account{Name: name, State: "faulty", Error: fault}
	}
	r, s := dashboard.Account{Name: name, State: "elsewhere"}, h.db.Store(name)
	if t != nil {
		r.State, s = "working", t.desk.Store
	}
	b, err := s.Backlog(ctx, store.At(time.Now()))
	if r.Publications, r.Due, r.Outbox = b.States, b.Due, b.Owed; err != nil {
		r.Error = "the store cannot be read"
	}
	if t == nil {
		return r
	}
	for name, side := range map[string]*engine.Gate{"marketplace": t.worker.MarketSide, "shop": t.worker.ShopSide} {
		now := side.Status(time.Now())
		if now.Paused {
			r.Paused = append(r.Paused, name+": "+t.Redact(now.Reason))
		}
		r.Refuses = r.Refuses || now.Paused && now.Refused
	}
	slices.Sort(r.Paused)
	return r
}
