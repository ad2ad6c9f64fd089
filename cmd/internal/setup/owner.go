package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

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

func ownerPath(path string) string { return store.CanonicalPath(path) + ".owner" }

// announce tells that this process holds the store: in a file beside it, which the function that it
// returns removes, or in the note of the lease, which goes with that.
func (c *Setup) announce(o owner, s store.Store, log *slog.Logger) (remove func()) {
	o, remove = o.here(), func() {}
	var err error
	if c.engine.file {
		file := ownerPath(c.engine.place)
		remove = func() { _ = os.Remove(file) } //nolint:errcheck // a stale note is recognised by the lock
		err = o.write(file)
	} else {
		err = note(s, o.text())
	}
	if err != nil {
		remove() // an old one too
		log.Warn("who holds the store cannot be told beside it", "error", err)
	}
	return remove
}

// write makes the file whole, or leaves it as it is.
func (o owner) write(file string) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(o.text())
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) //nolint:errcheck // the first error says it all
	}
	return err
}

func (o owner) here() owner {
	o.PID, o.Since, o.Host = os.Getpid(), time.Now(), hostname()
	return o
}

func hostname() string {
	name, _ := os.Hostname() //nolint:errcheck // it is only told
	return name
}

// text is the owner as its file, or the note of a lease, has it.
func (o owner) text() string {
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

const longestNote = 64 << 10

// errUntrusted says that somebody who may not write the store may have written the file beside it.
var errUntrusted = errors.New("file beside the store cannot be trusted")

// ownerOf reads the file; without one it returns the zero owner. Commands send the admin token to
// its address, so a file that another user may have written is errUntrusted: a link, no regular file,
// another user's, or one that others may write who may not write the store.
func ownerOf(path string) (o owner, err error) {
	file := ownerPath(path)
	info, err := os.Lstat(file)
	if err != nil {
		return owner{}, nil //nolint:nilerr // it is only told
	}
	const othersWrite fs.FileMode = 0o022
	of, err := os.Stat(path)
	if err != nil {
		of = nil
	}
	switch {
	case !info.Mode().IsRegular():
		return o, fmt.Errorf("%w: %s is a link, a folder or a device", errUntrusted, file)
	case !ours(info, of):
		return o, fmt.Errorf("%w: %s belongs to another user", errUntrusted, file)
	// On a file system without permissions every file looks so, the store too.
	case info.Mode()&othersWrite != 0 && (of == nil || of.Mode()&othersWrite != info.Mode()&othersWrite):
		return o, fmt.Errorf("%w: others may write %s", errUntrusted, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return owner{}, nil //nolint:nilerr // it is only told
	}
	defer f.Close() //nolint:errcheck // only read
	if opened, err := f.Stat(); err != nil || !os.SameFile(opened, info) {
		return owner{}, nil //nolint:nilerr // another process has taken its place
	}
	data, _ := io.ReadAll(io.LimitReader(f, longestNote)) //nolint:errcheck // it is only told
	return ownerIn(string(data)), nil
}

func (o owner) String() string {
	s := fmt.Sprintf("process %d on %s (pubsync %s, since %s", o.PID, say.Plain(o.Host), say.Plain(o.Command),
		o.Since.Local().Format(time.DateTime))
	if o.Admin != "" {
		s += ", dashboard on " + say.Plain(o.Admin)
	}
	return s + ")"
}

// elsewhere reports whether the process that has the store runs on another machine, where its admin
// address may be one of loopback.
func (c *Setup) elsewhere(o owner) bool {
	return !c.engine.file && o.Host != "" && o.Host != hostname()
}

// adminOf is the address at which this process can ask the one that has a store, "" for none. Of
// several replicas the one of this machine serves every account; one worker on another machine is asked
// where the settings name an address of it.
func (c *Setup) adminOf(o owner) string {
	if !c.elsewhere(o) {
		return o.Admin
	}
	at, err := netip.ParseAddrPort(string(c.AdminListen))
	named := err == nil && !at.Addr().IsLoopback() && !at.Addr().IsUnspecified()
	if o.Accounts || named {
		return string(c.AdminListen)
	}
	return ""
}

// HeldBy returns a sentence that names the process which holds the store.
func (c *Setup) HeldBy() string {
	who := "another process"
	if o, err := c.engine.owner(); err == nil && o.PID != 0 {
		who = o.String()
	}
	return fmt.Sprintf("store %s is held by %s", c.StorePath, who)
}

// locked is the error of a command whose store another process holds.
func (c *Setup) locked(why error) error {
	return &desk.Error{Exit: desk.ExitStore, Err: fmt.Errorf("%s: %w", c.HeldBy(), why)}
}

// StoreError gives an error of opening the store its exit code, and says what to do.
func (c *Setup) StoreError(err error) error {
	switch info, missing := os.Stat(c.StorePath); {
	case errors.Is(err, store.ErrLocked):
		return c.locked(errors.New("stop it, or use another store"))
	case errors.Is(err, store.ErrFenced):
		err = fmt.Errorf("%w: this process was not able to renew it in time; start it again, it waits until the "+
			"account is free", err)
	case !c.engine.file:
	case missing == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("store %s is a folder or a device: PUBSYNC_STORE_PATH is to name a file", c.StorePath)
	case errors.Is(err, store.ErrReplaced):
		err = fmt.Errorf("%w: stop the worker before you move its file, and start it again now", err)
	case errors.Is(err, errUntrusted):
		err = fmt.Errorf("%w: take it away if it is not pubsync's, else give it to the user that pubsync runs as, "+
			"writable by nobody else", err)
	case errors.Is(err, store.ErrCorrupt):
		err = fmt.Errorf("%w: put a backup in its place, or move it away: pubsync run makes a new one and takes over "+
			"what the shop holds where the adapter can list it", err)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: make the folder, or use another PUBSYNC_STORE_PATH", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("%w: pubsync must be able to write there, or use another PUBSYNC_STORE_PATH", err)
	}
	return &desk.Error{Exit: desk.ExitStore, Err: err}
}
