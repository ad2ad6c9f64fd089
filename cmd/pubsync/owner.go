package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

// An owner is who holds a store, written beside it for whoever finds it locked. It says nothing that is secret, and nothing that must be believed:
// the lock alone decides.
type owner struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host,omitempty"`
	Command string    `json:"command"`
	Admin   string    `json:"admin,omitempty"` // address of the admin listener
	Since   time.Time `json:"since"`
}

func ownerPath(store string) string { return store + ".owner" }

// announce writes it; the function it returns takes it away. Where it cannot be written, on a full disk say, there is none, and no old one either.
func (o owner) announce(path string, log *slog.Logger) (remove func()) {
	o.PID, o.Since = os.Getpid(), time.Now()
	o.Host, _ = os.Hostname() //nolint:errcheck // it is only told
	file := ownerPath(store.CanonicalPath(path))
	remove = func() { _ = os.Remove(file) } //nolint:errcheck // a stale note is recognised by the lock
	if err := o.write(file); err != nil {
		log.Warn("who holds the store cannot be noted beside it", "error", err)
		remove()
	}
	return remove
}

// write puts it in place as a whole.
func (o owner) write(file string) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) //nolint:errcheck // the first error says it all
	}
	return err
}

// ownerOf reads it; the zero owner where there is none.
func ownerOf(path string) (o owner) {
	data, err := os.ReadFile(ownerPath(store.CanonicalPath(path)))
	if err == nil && json.Unmarshal(data, &o) != nil {
		return owner{}
	}
	return o
}

func (o owner) String() string {
	s := fmt.Sprintf("process %d on %s (pubsync %s, since %s", o.PID, plain(o.Host), plain(o.Command), o.Since.Local().Format(time.DateTime))
	if o.Admin != "" {
		s += ", dashboard on " + plain(o.Admin)
	}
	return s + ")"
}

// locked says who holds the store and what may be done.
func locked(path string, why error) error {
	o := ownerOf(path)
	who := "another process"
	if o.PID != 0 {
		who = o.String()
	}
	return &exitError{code: connector.ExitStore, err: fmt.Errorf("store %s is held by %s: %w", path, who, why)}
}

// storeError is the exit for a store that cannot be opened.
func storeError(path string, err error) error {
	if errors.Is(err, store.ErrLocked) {
		return locked(path, errors.New("stop it, or use another PUBSYNC_STORE_PATH"))
	}
	info, missing := os.Stat(path)
	switch {
	case missing == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("store %s is a folder or a device: PUBSYNC_STORE_PATH is to name a file", path)
	case errors.Is(err, store.ErrReplaced):
		err = fmt.Errorf("%w: stop the worker before you move its file, and start it again now", err)
	case errors.Is(err, store.ErrJournal):
		err = fmt.Errorf("%w: move that file alone away; pubsync run --once --full looks at everything, and so at what it named", err)
	case errors.Is(err, store.ErrCorrupt):
		err = fmt.Errorf("%w: put a backup in its place, or move it away and run pubsync rebuild, which takes over what the shop holds where the adapter can list it", err)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: make the folder, or use another PUBSYNC_STORE_PATH", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("%w: pubsync must be able to write there, or use another PUBSYNC_STORE_PATH", err)
	}
	return &exitError{code: connector.ExitStore, err: err}
}
