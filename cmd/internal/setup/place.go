package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
)

func setupAt(address, account string) *Setup {
	c := &Setup{Config: &config.Config{Environment: config.Environment{Account: account}}}
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		c.StoreURL = address
	} else {
		c.StorePath = config.Absolute(address)
	}
	return c
}

// StoreIsFile reports whether the store is a file at StorePath. Else it is in the database of StoreURL.
func (c *Setup) StoreIsFile() bool { return c.StoreURL == "" }

// StoreName is the store's path, or the address of its database and its account, without secrets.
func (c *Setup) StoreName() string {
	if c.StoreIsFile() {
		return c.StorePath
	}
	return postgres.Name(c.StoreURL, c.storeAccount())
}

func (c *Setup) storeAccount() string { return cmp.Or(c.Account, config.DefaultAccount) }

func (c *Setup) open(ctx context.Context) (store.Store, error) {
	if c.StoreIsFile() {
		return whole(bolt.Open(c.StorePath))
	}
	return whole(postgres.Open(ctx, c.StoreURL, c.storeAccount(), me("")))
}

// openWait bounds a question to a database, but not the wait for a lease.
const openWait = 20 * time.Second

func (c *Setup) view() (store.Store, error) {
	if c.StoreIsFile() {
		return whole(bolt.OpenView(c.StorePath))
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	return whole(postgres.OpenView(ctx, c.StoreURL, c.storeAccount()))
}

// whole closes and refuses a store that is half a copy.
func whole(s store.Store, err error) (store.Store, error) {
	if err != nil {
		return s, err
	}
	if err = s.Whole(context.Background()); err != nil {
		err = errors.Join(err, s.Close())
	}
	return s, err
}

// holder returns nil if the database has no such account, and an empty one if it does not answer.
func (c *Setup) holder() *postgres.Holder {
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	h, err := postgres.HolderOf(ctx, c.StoreURL, c.storeAccount())
	if err != nil {
		return &postgres.Holder{}
	}
	return h
}

func (c *Setup) storeHeld() bool {
	if c.StoreIsFile() {
		return bolt.Held(c.StorePath)
	}
	h := c.holder()
	return h != nil && h.Held
}

// StoreMissing reports whether the configured store does not exist yet.
func (c *Setup) StoreMissing() bool {
	if c.StoreIsFile() {
		return noFile(c.StorePath)
	}
	return c.holder() == nil
}

func noFile(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// finishCopy checks the file of a copy, marks it as one, and counts its publications.
func finishCopy(ctx context.Context, path string) (n int, err error) {
	s, err := bolt.Open(path)
	if err != nil {
		return 0, err
	}
	err = s.KV.(store.File).Check(ctx)
	counts, uncounted := s.Counts(ctx)
	for _, count := range counts {
		n += count
	}
	copied := time.Now().UTC().Format(time.RFC3339)
	if err = errors.Join(err, uncounted, s.SetMeta(ctx, engine.MetaCopied, copied), s.Close()); err != nil {
		err = fmt.Errorf("check the copy: %w", err)
	}
	return n, err
}

type database = *postgres.Database

var connect = postgres.Connect

// me names this process in a lease. The time makes it unique: containers share process numbers, and may share a
// host's name.
func me(admin string) string {
	host, _ := os.Hostname() //nolint:errcheck // it is only told
	name := fmt.Sprintf(
		"process %d on %s (since %s", os.Getpid(), host, time.Now().Format(time.DateTime+".000000000"))
	if admin != "" {
		name += ", dashboard on " + admin
	}
	return name + ")"
}

func (c *Setup) heldBy() string {
	who := ""
	if !c.StoreIsFile() {
		if h := c.holder(); h != nil && h.Held {
			who = say.Harmless(h.Owner)
		}
	}
	return fmt.Sprintf("store %s is held by %s", c.StoreName(), cmp.Or(who, "another process"))
}

func (c *Setup) locked(why string) error {
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("%s: %s", c.heldBy(), why)}
}

func (c *Setup) noStore() error {
	return c.StoreError(fmt.Errorf("no store at %s: %w", c.StoreName(), fs.ErrNotExist))
}

// StoreError gives an error of opening the store an exit code and advice, unless it has a code.
func (c *Setup) StoreError(err error) error {
	advice := ""
	switch info, missing := os.Stat(c.StorePath); {
	case errors.As(err, new(*desk.Error)):
		return err
	case errors.Is(err, store.ErrLocked):
		return c.locked("stop it, or use another store; processes that share a database are started with " +
			"PUBSYNC_ACCOUNTS_DIR")
	case errors.Is(err, store.ErrFenced):
		advice = "this process was not able to renew it in time; start it again, it waits until the account is free"
	case errors.Is(err, fs.ErrNotExist) && !(c.StoreIsFile() && noFile(filepath.Dir(c.StorePath))):
		advice = "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH or PUBSYNC_STORE_URL"
	case !c.StoreIsFile():
	case missing == nil && !info.Mode().IsRegular():
		advice = "PUBSYNC_STORE_PATH is to name a file, and not a folder or a device"
	case errors.Is(err, store.ErrReplaced):
		advice = "stop the worker before you move its file, and start it again now"
	case errors.Is(err, store.ErrCorrupt):
		advice = "put a backup in its place, or move it away: pubsync run makes a new one and takes over what the shop " +
			"holds where the adapter can list it"
	case errors.Is(err, fs.ErrNotExist):
		advice = "make the folder, or use another PUBSYNC_STORE_PATH"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "pubsync must be able to write there, or use another PUBSYNC_STORE_PATH"
	}
	if advice != "" {
		err = fmt.Errorf("%w: %s", err, advice)
	}
	return &desk.Error{Exit: desk.ExitStore, Err: err}
}

// WorkError is StoreError for an open store. Other errors stay as they are.
func (c *Setup) WorkError(err error) error {
	if store.Hopeless(err) {
		return c.StoreError(fmt.Errorf("store %s: %w", c.StoreName(), err))
	}
	return err
}
