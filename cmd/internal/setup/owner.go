package setup

import (
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

	"github.com/pubsync/pubsync/cmd/internal/beside"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// An owner is a file beside a store that tells which process holds it. Other processes read it when
// they find the store locked. It holds no secret. Only the lock decides who holds the store.
type owner struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host,omitempty"`
	Command string    `json:"command"`
	Admin   string    `json:"admin,omitempty"` // address of the admin listener
	Reach   string    `json:"reach,omitempty"` // its address for other machines
	Since   time.Time `json:"since"`
	// Accounts says that the process works on several accounts: the admin listener has each below
	// the path of its name.
	Accounts bool `json:"accounts,omitempty"`
}

func ownerPath(store string) string { return store + ".owner" }

// announce writes the file and returns a function that removes it. If it cannot be written, as on a
// full disk, it removes an old one too.
func (o owner) announce(path string) (remove func(), err error) {
	file := ownerPath(store.CanonicalPath(path))
	remove = func() { _ = os.Remove(file) } //nolint:errcheck // a stale note is recognised by the lock
	if err := o.write(file); err != nil {
		remove()
		return func() {}, err
	}
	return remove, nil
}

// announce tells beside the store that this process holds it. It returns a function that takes that
// back.
func (c *Setup) announce(o owner, s store.Store, log *slog.Logger) (remove func()) {
	remove, err := c.engine.tell(o.here(), s)
	if err != nil {
		log.Warn("who holds the store cannot be told beside it", "error", err)
	}
	return remove
}

// here is the owner as this process.
func (o owner) here() owner {
	o.PID, o.Since, o.Host = os.Getpid(), time.Now(), hostname()
	return o
}

func hostname() string {
	name, _ := os.Hostname() //nolint:errcheck // it is only told
	return name
}

// write replaces the file in one step.
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

// text is the owner as its file, or the note of a lease, has it.
func (o owner) text() string {
	data, _ := json.Marshal(o) //nolint:errcheck // it is numbers and texts
	return string(data)
}

// ownerIn is the owner that the note of a lease tells of.
func ownerIn(note string) (o owner) {
	_ = json.Unmarshal([]byte(note), &o) //nolint:errcheck // it is only told
	return o
}

// ownerOf reads the file; without one it returns the zero owner. Commands send the admin token to
// its address, so a file that another user may have written is beside.ErrUntrusted.
func ownerOf(path string) (o owner, err error) {
	f, err := beside.Open(ownerPath(store.CanonicalPath(path)), path, os.O_RDONLY)
	switch {
	case errors.Is(err, beside.ErrUntrusted):
		return owner{}, err
	case err != nil:
		return owner{}, nil //nolint:nilerr // it is only told
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil || json.Unmarshal(data, &o) != nil {
		return owner{}, nil
	}
	return o, nil
}

func (o owner) String() string {
	s := fmt.Sprintf("process %d on %s (pubsync %s, since %s", o.PID, say.Plain(o.Host), say.Plain(o.Command),
		o.Since.Local().Format(time.DateTime))
	if o.Admin != "" {
		s += ", dashboard on " + say.Plain(o.Admin)
	}
	return s + ")"
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
	return &exit.Error{Code: desk.ExitStore, Err: fmt.Errorf("%s: %w", c.HeldBy(), why)}
}

// StoreError gives an error of opening the store its exit code, and says what to do.
func (c *Setup) StoreError(err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return c.locked(errors.New("stop it, or use another store"))
	case c.engine.file:
		err = fileError(c.StorePath, err)
	case errors.Is(err, store.ErrFenced):
		err = fmt.Errorf("%w: this process was not able to renew it in time; start it again, it waits until the "+
			"account is free", err)
	}
	return &exit.Error{Code: desk.ExitStore, Err: err}
}

// fileError says what to do about an error of a store that is a file.
func fileError(path string, err error) error {
	info, missing := os.Stat(path)
	switch {
	case missing == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("store %s is a folder or a device: PUBSYNC_STORE_PATH is to name a file", path)
	case errors.Is(err, store.ErrReplaced):
		err = fmt.Errorf("%w: stop the worker before you move its file, and start it again now", err)
	case errors.Is(err, beside.ErrUntrusted):
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
	return err
}
