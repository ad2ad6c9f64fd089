package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
)

// A place is where the store of an account lies: in a file, or in a database. The zero place is none.
type place struct {
	at      string // a path, or the address of a database, which may hold a password
	name    string // what a person is shown
	id      string // tells the store from others, see store.KV
	file    bool   // it is a file, of this machine's processes
	account string // of a database
}

func fileAt(path string) place {
	path = config.Absolute(path)
	return place{at: path, name: path, id: store.CanonicalPath(path), file: true}
}

// placeOf is the place that an address names. fault does not repeat the address, which may hold a password.
func placeOf(address, account string) (p place, fault string) {
	switch scheme, rest := config.SplitStore(address); scheme {
	case "", "bolt":
		return fileAt(rest), ""
	case "postgres", "postgresql":
		address, account = "postgres://"+rest, cmp.Or(account, config.DefaultAccount)
		name := postgres.Name(address, account)
		return place{at: address, name: name, id: name, account: account}, ""
	}
	return p, "is an address that no store has: name a file, or begin it with bolt:// or postgres://"
}

// open opens the store for writing; one that is not there is made.
func (p place) open() (store.Store, error) {
	if p.file {
		return bolt.Open(p.at)
	}
	return postgres.Open(context.Background(), p.at, p.account)
}

// openWait bounds a question to a database, but for the wait for a lease.
const openWait = 20 * time.Second

// view opens the store for reading, beside other readers.
func (p place) view() (store.Store, error) {
	if p.file {
		return bolt.OpenView(p.at)
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	return postgres.OpenView(ctx, p.at, p.account)
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
	switch {
	case p.at == "":
		return true
	case p.file:
		return noFile(p.at)
	}
	h, err := p.holder()
	return err == nil && h == nil
}

func noFile(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// OpenCopy opens a copy of a store, which is a file, and checks all of it.
func OpenCopy(ctx context.Context, path string) (store.Store, error) {
	s, err := bolt.Open(path)
	if err != nil {
		return s, err
	}
	if f, ok := s.KV.(store.File); ok {
		err = f.Check(ctx)
	}
	if err != nil {
		err = errors.Join(err, s.Close())
	}
	return s, err
}

// A database keeps the stores of all accounts of a process.
type database = *postgres.Database

func openDatabase(ctx context.Context, address string) (database, error) {
	return postgres.Connect(ctx, address)
}

// An owner tells which process holds a store: in a file beside it, or in the note of a lease. Other
// processes read it when they find the store locked. It holds no secret. Only the lock decides who
// holds the store.
type owner struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host,omitempty"`
	Command string    `json:"command"`
	Admin   string    `json:"admin,omitempty"` // address of the admin listener
	Since   time.Time `json:"since"`
	// Accounts says that the process works on several accounts: the admin listener has each below
	// the path of its name.
	Accounts bool `json:"accounts,omitempty"`
}

func hostname() string {
	name, _ := os.Hostname() //nolint:errcheck // it is only told
	return name
}

// me is this process, which runs a command and has an admin listener at an address.
func me(command, admin string) owner {
	return owner{PID: os.Getpid(), Host: hostname(), Command: command, Admin: admin, Since: time.Now()}
}

func (o owner) String() string {
	s := fmt.Sprintf("process %d on %s (pubsync %s, since %s", o.PID, say.Plain(o.Host), say.Plain(o.Command),
		o.Since.Local().Format(time.DateTime))
	if o.Admin != "" {
		s += ", dashboard on " + say.Plain(o.Admin)
	}
	return s + ")"
}

// note is the owner as its file, or the note of a lease, has it.
func (o owner) note() string {
	data, _ := json.Marshal(o) //nolint:errcheck // it is numbers and texts
	return string(data)
}

// ownerIn is the owner that a note tells of, the zero owner where it cannot be read.
func ownerIn(note string) (o owner) {
	if json.Unmarshal([]byte(note), &o) != nil {
		return owner{}
	}
	return o
}

// owner returns which process has the store open. What that process has not told of itself is empty.
func (p place) owner() (owner, error) {
	switch {
	case p.at == "":
		return owner{}, nil
	case p.file:
		return ownerOf(p.at)
	}
	h, err := p.holder()
	if err != nil || h == nil || !h.Held {
		return owner{}, nil //nolint:nilerr // it is only told
	}
	return ownerIn(h.Owner), nil
}

// announce tells that this process holds the store, until the function that it returns is called, or the
// lease ends.
func (p place) announce(o owner, s store.Store, log *slog.Logger) (remove func()) {
	var err error
	remove = func() {}
	if p.file {
		remove = func() { _ = os.Remove(ownerPath(p.at)) } //nolint:errcheck // the lock tells that a note is stale
		remove()                                           // an old one, or somebody's link
		var f *os.File
		if f, err = os.OpenFile(ownerPath(p.at), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_, err = f.WriteString(o.note())
			err = errors.Join(err, f.Close())
		}
	} else {
		err = postgres.Announce(context.Background(), s, o.note())
	}
	if err != nil {
		remove()
		log.Warn("who holds the store cannot be told beside it", "error", err)
	}
	return remove
}

func ownerPath(path string) string { return store.CanonicalPath(path) + ".owner" }

const longestNote = 64 << 10

// errUntrusted says that somebody who may not write the store may have written the file beside it.
var errUntrusted = errors.New("file beside the store cannot be trusted")

// ownerOf reads the file; without one it returns the zero owner. Commands send the admin token to
// its address, so a file that another user may have written is errUntrusted: a link, no regular file,
// another user's, or one that others may write who may not write the store.
func ownerOf(path string) (o owner, err error) {
	file := ownerPath(path)
	info, err := os.Lstat(file)
	of, missing := os.Stat(path)
	if err != nil || missing != nil {
		return o, nil //nolint:nilerr // it is only told
	}
	const othersWrite fs.FileMode = 0o022
	if !info.Mode().IsRegular() || !ours(info, of) || info.Mode()&othersWrite&^of.Mode() != 0 {
		return o, fmt.Errorf("%w: %s is no regular file, another user's, or others may write it", errUntrusted, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return o, nil //nolint:nilerr // it is only told
	}
	defer f.Close() //nolint:errcheck // only read
	if opened, err := f.Stat(); err != nil || !os.SameFile(opened, info) {
		return o, nil //nolint:nilerr // another process has taken its place
	}
	data, _ := io.ReadAll(io.LimitReader(f, longestNote)) //nolint:errcheck // it is only told
	return ownerIn(string(data)), nil
}

// heldBy is a sentence that names the process which holds the store.
func (c *Setup) heldBy() string {
	who := "another process"
	if o, err := c.place.owner(); err == nil && o.PID != 0 {
		who = o.String()
	}
	return fmt.Sprintf("store %s is held by %s", c.StorePath, who)
}

// locked is the error of a command whose store another process holds.
func (c *Setup) locked(why string) error {
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("%s: %s", c.heldBy(), why)}
}

// noStore is the error of a command that makes no store and finds none.
func (c *Setup) noStore() error {
	advice := "pubsync run makes one; if yours is elsewhere, set PUBSYNC_STORE_PATH or PUBSYNC_STORE_URL"
	if c.place.file && noFile(filepath.Dir(c.StorePath)) {
		advice = "make the folder, or use another PUBSYNC_STORE_PATH"
	}
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("no store at %s: %s", c.StorePath, advice)}
}

// StoreError gives an error of opening the store its exit code, and says what to do. One that has a code
// keeps it.
func (c *Setup) StoreError(err error) error {
	var coded *desk.Error
	if errors.As(err, &coded) {
		return err
	}
	advise := func(advice string) { err = fmt.Errorf("%w: %s", err, advice) }
	switch info, missing := os.Stat(c.StorePath); {
	case errors.Is(err, store.ErrLocked):
		return c.locked("stop it, or use another store")
	case errors.Is(err, store.ErrFenced):
		advise("this process was not able to renew it in time; start it again, it waits until the account is free")
	case !c.place.file:
	case missing == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("store %s is a folder or a device: PUBSYNC_STORE_PATH is to name a file", c.StorePath)
	case errors.Is(err, store.ErrReplaced):
		advise("stop the worker before you move its file, and start it again now")
	case errors.Is(err, errUntrusted):
		advise("take it away if it is not pubsync's, else give it to the user that pubsync runs as, " +
			"writable by nobody else")
	case errors.Is(err, store.ErrCorrupt):
		advise("put a backup in its place, or move it away: pubsync run makes a new one and takes over what the " +
			"shop holds where the adapter can list it")
	case errors.Is(err, fs.ErrNotExist):
		advise("make the folder, or use another PUBSYNC_STORE_PATH")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advise("pubsync must be able to write there, or use another PUBSYNC_STORE_PATH")
	}
	return &desk.Error{Exit: desk.ExitStore, Err: err}
}

// WorkError gives an error of a store that is open the exit code and the advice of one that cannot be
// opened. Other errors are returned as they are.
func (c *Setup) WorkError(err error) error {
	var account *store.AccountError
	if errors.As(err, &account) || store.Hopeless(err) {
		return c.StoreError(fmt.Errorf("store %s: %w", c.StorePath, err))
	}
	return err
}
