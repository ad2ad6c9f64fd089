package setup

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httputil"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
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
	peers  *httputil.ReverseProxy // hands requests on to the processes that have other accounts

	rows rows
	own  *engine.Metrics // counts the webhooks of no account

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
}

// WorkAccounts runs a worker for each account of the folder that the configuration names, until ctx
// ends. logOf makes the log of an account.
func WorkAccounts(ctx context.Context, c *Setup, log *slog.Logger, logOf func(*Setup) *slog.Logger) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	h := &house{Setup: c, env: *c.source, log: log, logOf: logOf, tenants: map[string]*tenant{}, own: engine.NewMetrics()}
	h.Share(Slots())
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
	h.owner = h.ownerAt(ctx, log, listeners) // the commands beside this process read it
	h.owner.Accounts = true
	h.peers = h.newForwarder()
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
	watch.Go(func() { h.folder.Watch(watching, h.apply, h.complain) })
	watch.Go(func() {
		supervised{Ready: h.ready, Alive: func(context.Context) {}, Log: log}.notify(watching)
	})
	watch.Go(func() { db.Accepted(watching, h.wake) })
	log.Info("accounts are worked on", "folder", c.AccountsDir, "version", c.version)
	h.fleet.Run(ctx)
	unwatch()
	watch.Wait()
	servers.Shutdown(drain)
	return nil
}

// collectAt is by how many percent the memory may grow before it is collected. Many accounts that
// are idle hold much and allocate little: to collect more often than by default costs next to
// nothing.
const collectAt = 30

const drain = 5 * time.Second

func (h *house) apply(accounts []fleet.Account) {
	h.log.Info("accounts", "known", len(accounts))
	h.fleet.Set(accounts)
	h.doors.forget()
}

func (h *house) complain(err error) { h.log.Error("folder of accounts", "error", err) }

func (h *house) work(ctx context.Context, a fleet.Account, l *store.Lease) error {
	c, err := h.configOf(a.Name)
	if err != nil {
		return err
	}
	if err := h.workOn(ctx, c, l); err != nil {
		return errors.New(c.Redact(err.Error()))
	}
	return nil
}

func (h *house) workOn(ctx context.Context, c *Setup, l *store.Lease) error {
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
	worker, err := c.connector(ctx, parts, log, nil)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	moveOut := h.moveIn(c, parts.store, worker)
	defer moveOut()
	watched, unwatch := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { c.alerter(worker.Desk(), parts.store, log).Run(watched) })
	err = worker.Run(ctx, connector.Listeners{})
	unwatch()
	watch.Wait()
	moveOut() // before the store is closed
	return errors.Join(c.WorkError(err), parts.Close())
}

// moveIn has the listeners serve an account, until the function that it returns is called.
func (h *house) moveIn(c *Setup, s store.Store, w *connector.Connector) (moveOut func()) {
	t := &tenant{Setup: c, store: s, worker: w, public: w.WebhookHandler(), admin: w.AccountHandler()}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tenants[c.Account] = t
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.tenants, c.Account)
	}
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
	if name == "" {
		for _, t := range h.all() {
			t.worker.Wake()
		}
		return
	}
	switch t := h.at(name); {
	case t == nil:
	case hinted:
		t.worker.Hinted()
	default:
		t.worker.Wake()
	}
}

func (h *house) ready(context.Context) error { return h.fleet.Ready() }
