package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
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

const (
	ToRead  Access = iota // reads an existing one
	ToWrite               // writes an existing one
	ToMake                // writes an existing one, or a new one
	ToDraft               // reads an existing one, or an empty one in memory
)

// OpenDesk opens the desk of the configured store. If a worker holds the store, the desk asks that
// worker; the command sees no difference.
func (c *Setup) OpenDesk(log *slog.Logger, how Access) (desk.Desk, error) {
	if (how == ToRead || how == ToWrite) && c.StoreMissing() {
		return nil, c.noStore()
	}
	var s store.Store
	var err error
	switch how {
	case ToMake:
		s, err = c.makeStore(log)
	case ToWrite:
		s, err = c.openStore(c.engine.open)
	default:
		s, err = c.openStore(c.engine.view)
	}
	switch {
	case errors.Is(err, store.ErrLocked):
		o, err := c.engine.owner()
		if err != nil {
			return nil, c.StoreError(err)
		}
		return c.deskOf(o, log)
	case err != nil:
		return nil, c.StoreError(err)
	}
	d := connector.NewDesk(s, c.Rules, &alone{Setup: c, log: log, store: s})
	d.BackUp = c.backUp
	return d, nil
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
	if admin := c.adminOf(o); admin != "" && c.engine.held() {
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

// Why the process with the store is not asked.
var (
	errNoAdmin   = errors.New("it has no admin address to ask; wait for it to end, or stop it")
	errElsewhere = errors.New("it runs on another machine: run the command there")
)

// deskOf returns the desk of the worker that holds the store. Its address is told beside the store,
// or else in the configuration.
func (c *Setup) deskOf(o owner, log *slog.Logger) (*desk.Client, error) {
	address := c.adminOf(o)
	if c.elsewhere(o) && address == "" {
		return nil, c.locked(errElsewhere)
	}
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
		Base: base, Token: c.AdminToken, Store: c.engine.id, Holder: c.HeldBy(), Logger: log,
		Settings: c.Digests, Rules: &desk.PlannedRules{Rules: c.Rules, Set: c.RuleSet}, Figures: config.Figures(),
		HTTP: &http.Client{
			Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext},
		},
	}, nil
}

// StoreMissing reports whether there is no store yet where the configuration says.
func (c *Setup) StoreMissing() bool { return c.engine.missing() }

func (c *Setup) StoreIsFile() bool { return c.engine.file }

// noStore is the error of a command that makes no store and finds none.
func (c *Setup) noStore() error {
	advice := "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH or PUBSYNC_STORE_URL"
	if c.engine.file && noFile(filepath.Dir(c.StorePath)) {
		advice = "make the folder, or use another PUBSYNC_STORE_PATH"
	}
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("no store at %s: %s", c.StorePath, advice)}
}

// at is the setup of the store of an account at an address, a path or the URL of a database, and of
// nothing else.
func at(address, account string) (*Setup, error) {
	c := &Setup{Config: &config.Config{}}
	var err error
	if c.engine, err = engineOf("", address, account); err != nil { // it may hold a password
		return nil, exit.Usage("there is a store in a file, or at an address that begins with postgres://, and no other")
	}
	c.StorePath = c.engine.name
	return c, nil
}

// CopyStore carries all that the store of an account holds to another, each named by a path or the
// URL of a database, and returns how many publications it knows. The other must hold nothing. A store that a
// worker has open is not copied: what the worker does afterwards would be lost.
func CopyStore(ctx context.Context, from, to, account string) (publications int, err error) {
	source, err := at(from, account)
	if err != nil {
		return 0, err
	}
	target, err := at(to, account)
	if err != nil {
		return 0, err
	}
	switch {
	case source.StoreMissing():
		return 0, &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("no store at %s", source.StorePath)}
	case source.engine.held():
		return 0, source.locked(errors.New("stop it first"))
	case target.engine.file && !target.StoreMissing():
		return 0, exit.Usage("%s is there already", target.StorePath)
	}
	s, err := source.engine.view()
	if err != nil {
		return 0, source.StoreError(err)
	}
	publications, err = target.engine.copyFrom(ctx, s)
	if errors.Is(err, store.ErrNotEmpty) {
		err = exit.Usage("%s holds something already", target.StorePath)
	} else if err != nil {
		err = target.StoreError(err)
	}
	return publications, errors.Join(err, s.Close())
}

// copyFrom copies a store into that of the engine. Of a copy that fails no file is left.
func (e storeEngine) copyFrom(ctx context.Context, from store.Store) (publications int, err error) {
	to, err := e.open()
	if err != nil {
		return 0, err
	}
	publications, err = store.Copy(ctx, from, to)
	if err = errors.Join(err, to.Close()); err != nil && e.file {
		err = errors.Join(err, os.Remove(e.place))
	}
	return publications, err
}

// backUp writes a copy of the configured store, which is in a database, to w, also while a worker
// writes to it.
func (c *Setup) backUp(ctx context.Context, w io.Writer) error {
	if c.StoreMissing() {
		return c.noStore()
	}
	folder, err := os.MkdirTemp("", "pubsync-backup-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() //nolint:errcheck // a leftover is only a leftover
	s, err := c.engine.view()
	if err != nil {
		return c.StoreError(err)
	}
	copied := fileEngine(filepath.Join(folder, "pubsync.db"))
	if _, err = copied.copyFrom(ctx, s); err != nil {
		return errors.Join(err, s.Close())
	}
	f, err := os.Open(copied.place)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close(), s.Close())
}
