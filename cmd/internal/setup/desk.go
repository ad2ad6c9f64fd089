package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// An Access is what a command does with the store.
type Access int

// The accesses.
const (
	ToRead  Access = iota // reads an existing one
	ToWrite               // writes an existing one
	ToMake                // writes an existing one, or a new one
	ToDraft               // reads an existing one, or an empty one in memory
)

// OpenDesk opens the desk of the configured store. If a worker holds the store, the desk asks that
// worker; the command sees no difference.
func (c *Setup) OpenDesk(log *slog.Logger, how Access) (desk.Desk, error) {
	s, err := c.openFor(log, how)
	switch {
	case errors.Is(err, store.ErrLocked):
		return c.deskOfHolder(log)
	case err != nil:
		return nil, err
	}
	return connector.NewDesk(s, c.Rules, &alone{Setup: c, log: log, store: s}), nil
}

// openFor opens the store, or returns store.ErrLocked if another process holds it.
func (c *Setup) openFor(log *slog.Logger, how Access) (s store.Store, err error) {
	switch {
	case how == ToMake:
		s, err = c.makeStore(log)
	case how == ToDraft:
		s, err = c.openStore(c.engine.view)
	case c.StoreMissing():
		return s, c.noStore()
	case how == ToWrite:
		s, err = c.openStore(c.engine.open)
	default:
		s, err = c.openStore(c.engine.view)
	}
	if err != nil && !errors.Is(err, store.ErrLocked) {
		err = c.StoreError(err)
	}
	return s, err
}

// dialWait bounds the attempt to reach the address in an owner's file.
const dialWait = time.Second

// openStore opens the store with open, which is one of an engine's. It returns
// store.ErrLocked at once if a worker holds the store and can be asked. Otherwise open waits a
// second for a process that is about to end.
func (c *Setup) openStore(open func() (store.Store, error)) (s store.Store, err error) {
	o, err := c.engine.owner()
	if err != nil {
		return s, err
	}
	admin := c.adminOf(o)
	if c.elsewhere(o) && c.AdminToken == "" {
		admin = "" // it would not answer; what only reads needs it not
	}
	if admin != "" && c.engine.held() {
		if conn, err := (&net.Dialer{Timeout: dialWait}).DialContext(context.Background(), "tcp", admin); err == nil {
			_ = conn.Close() //nolint:errcheck // it served to see that somebody listens
			return s, store.ErrLocked
		}
	}
	s, err = open()
	if err == nil {
		err = whole(s)
	}
	return s, err
}

// whole closes and refuses a store that is half a copy.
func whole(s store.Store) error {
	if err := s.Whole(context.Background()); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// errNoAdmin is why the process with the store cannot be asked.
var errNoAdmin = errors.New("it has no admin address to ask; wait for it to end, or stop it")

// elsewhere reports whether the process that has the store runs on another machine, where its admin
// address may be one of loopback.
func (c *Setup) elsewhere(o owner) bool {
	return !c.engine.file && o.Host != "" && o.Host != hostname()
}

// deskOfHolder returns the desk of the worker that holds the store. Its address is in the owner's
// file, or else in the configuration.
func (c *Setup) deskOfHolder(log *slog.Logger) (*desk.Client, error) {
	o, err := c.engine.owner()
	switch {
	case err != nil:
		return nil, c.StoreError(err)
	case c.elsewhere(o) && o.Reach == "":
		return nil, c.locked(errElsewhere)
	}
	address := c.adminOf(o)
	if address == "" && o.PID == 0 && c.AdminListen != "" {
		address = string(c.AdminListen)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, c.locked(errNoAdmin)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	base := "http://" + net.JoinHostPort(host, port)
	if o.Accounts {
		base += accountPath(c.Account)
	}
	return &desk.Client{
		Base: base, Token: c.AdminToken, Store: c.engine.id,
		Holder:   c.HeldBy(),
		Settings: c.Digests, Rules: &desk.PlannedRules{Rules: c.Rules, Set: c.RuleSet}, Figures: config.Figures(),
		Logger: log,
		HTTP: &http.Client{
			Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext},
		},
	}, nil
}

// StoreMissing reports whether there is no store yet where the configuration says.
func (c *Setup) StoreMissing() bool { return c.engine.missing() }

// StoreIsFile reports whether the store is a file of this machine.
func (c *Setup) StoreIsFile() bool { return c.engine.file }

// noStore is the error of a command that makes no store and finds none.
func (c *Setup) noStore() error {
	advice := "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH or PUBSYNC_STORE_URL"
	if c.engine.file && noFile(filepath.Dir(c.StorePath)) {
		advice = "make the folder, or use another PUBSYNC_STORE_PATH"
	}
	return &exit.Error{Code: desk.ExitStore, Err: fmt.Errorf("no store at %s: %s", c.StorePath, advice)}
}

// makeStore opens the store for writing, or makes it. It logs the path of a new one, because a relative
// path means another file in another folder.
func (c *Setup) makeStore(log *slog.Logger) (store.Store, error) {
	missing := c.StoreMissing()
	s, err := c.openStore(c.engine.open)
	if err == nil && missing {
		log.Info("made a new store", "store", c.StorePath)
	}
	return s, err
}
