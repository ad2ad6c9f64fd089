package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// A place is where the store of an account lies: in a file, or in a database.
type place struct {
	at      string // a path, or the address of a database, which may hold a password
	name    string // what a person is shown
	id      string // tells the store from others, see store.KV
	file    bool   // it is a file, of this machine's processes
	account string // of a database
}

var ofDatabase = regexp.MustCompile(`^postgres(ql)?://`)

// placeOf is the place that an address names: a database's, else the path of a file.
func placeOf(address, account string) place {
	if !ofDatabase.MatchString(address) {
		path := config.Absolute(address)
		return place{at: path, name: path, id: store.CanonicalPath(path), file: true}
	}
	account = cmp.Or(account, config.DefaultAccount)
	name := postgres.Name(address, account)
	return place{at: address, name: name, id: name, account: account}
}

// open opens the store for writing; one that is not there is made.
func (p place) open() (store.Store, error) {
	if p.file {
		return bolt.Open(p.at)
	}
	return postgres.Open(context.Background(), p.at, p.account, me(""))
}

// openWait bounds a question to a database, but for the wait for a lease.
const openWait = 20 * time.Second

// view opens the store for reading. A store that is half a copy is refused.
func (p place) view() (s store.Store, err error) {
	if p.file {
		s, err = bolt.OpenView(p.at)
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), openWait)
		defer cancel()
		s, err = postgres.OpenView(ctx, p.at, p.account)
	}
	if err != nil {
		return s, err
	}
	return s, whole(s)
}

// whole closes and refuses a store that is half a copy.
func whole(s store.Store) error {
	if err := s.Whole(context.Background()); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// holder returns which process has the lease of the account, where the store is a database.
func (p place) holder() (*postgres.Holder, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	return postgres.HolderOf(ctx, p.at, p.account)
}

// held reports whether another process has the store open.
func (p place) held() bool {
	if p.file {
		return bolt.Held(p.at)
	}
	h, err := p.holder()
	return err == nil && h != nil && h.Held
}

// missing reports whether there is no store yet.
func (p place) missing() bool {
	if p.file {
		return noFile(p.at)
	}
	h, err := p.holder()
	return err == nil && h == nil
}

func noFile(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// FinishCopy checks all of a copy of a store, which is a file, marks it as one, and returns how many publications
// it holds.
func FinishCopy(ctx context.Context, path string) (n int, err error) {
	s, err := bolt.Open(path)
	if err != nil {
		return 0, err
	}
	if f, ok := s.KV.(store.File); ok {
		err = f.Check(ctx)
	}
	counts, uncounted := s.Counts(ctx)
	for _, count := range counts {
		n += count
	}
	copied := time.Now().UTC().Format(time.RFC3339)
	return n, errors.Join(err, uncounted, s.SetMeta(ctx, engine.MetaCopied, copied), s.Close())
}

type database = *postgres.Database

func openDatabase(ctx context.Context, address string) (database, error) {
	return postgres.Connect(ctx, address)
}

// me is the name of this process in a lease, for whoever finds that taken. The time tells it from all others:
// containers share a number, and may share a host's name. admin is its listener's address, "" for none.
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
	who := "another process"
	if !c.place.file {
		if h, err := c.place.holder(); err == nil && h != nil && h.Held {
			who = say.Harmless(cmp.Or(h.Owner, who))
		}
	}
	return fmt.Sprintf("store %s is held by %s", c.StorePath, who)
}

func (c *Setup) locked(why string) error {
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("%s: %s", c.heldBy(), why)}
}

// noStore is the error of a command that makes no store and finds none.
func (c *Setup) noStore() error {
	advice := "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH or PUBSYNC_STORE_URL"
	if c.place.file && noFile(filepath.Dir(c.StorePath)) {
		advice = makeFolder
	}
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("no store at %s: %s", c.StorePath, advice)}
}

const makeFolder = "make the folder, or use another PUBSYNC_STORE_PATH"

// ofFiles is what to do about errors of a store that is a file.
var ofFiles = []struct {
	err    error
	advice string
}{
	{store.ErrReplaced, "stop the worker before you move its file, and start it again now"},
	{store.ErrCorrupt, "put a backup in its place, or move it away: pubsync run makes a new one and takes over what the " +
		"shop holds where the adapter can list it"},
	{fs.ErrNotExist, makeFolder},
	{fs.ErrPermission, "pubsync must be able to write there, or use another PUBSYNC_STORE_PATH"},
	{syscall.EROFS, "pubsync must be able to write there, or use another PUBSYNC_STORE_PATH"},
}

// StoreError gives an error of opening the store an exit code, where it has none, and says what to do.
func (c *Setup) StoreError(err error) error {
	var coded *desk.Error
	switch info, missing := os.Stat(c.StorePath); {
	case errors.As(err, &coded):
		return err
	case errors.Is(err, store.ErrLocked) && c.place.file:
		return c.locked("stop it, or use another store")
	case errors.Is(err, store.ErrLocked):
		return c.locked("stop it, or use another store; processes that share one are started with PUBSYNC_ACCOUNTS_DIR")
	case errors.Is(err, store.ErrFenced):
		err = fmt.Errorf("%w: this process was not able to renew it in time; start it again, it waits until the "+
			"account is free", err)
	case !c.place.file:
	case missing == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("store %s is a folder or a device: PUBSYNC_STORE_PATH is to name a file", c.StorePath)
	default:
		for _, known := range ofFiles {
			if errors.Is(err, known.err) {
				err = fmt.Errorf("%w: %s", err, known.advice)
				break
			}
		}
	}
	return &desk.Error{Exit: desk.ExitStore, Err: err}
}

// WorkError is StoreError for a store that is open. It returns other errors as they are.
func (c *Setup) WorkError(err error) error {
	var account *store.AccountError
	if errors.As(err, &account) || store.Hopeless(err) {
		return c.StoreError(fmt.Errorf("store %s: %w", c.StorePath, err))
	}
	return err
}
