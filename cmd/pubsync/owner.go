package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

// An owner is who holds a store, written beside it for whoever finds it locked. It says nothing that is secret, and nothing that must be believed:
// the lock alone decides.
type owner struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Admin   string    `json:"admin,omitempty"` // address of the admin listener
	Since   time.Time `json:"since"`
}

func ownerPath(store string) string { return store + ".owner" }

// announce writes it; the function it returns takes it away.
func (o owner) announce(path string) (remove func(), err error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	file := ownerPath(store.CanonicalPath(path))
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return nil, fmt.Errorf("note who holds the store: %w", err)
	}
	_, werr := tmp.Write(data)
	if err := errors.Join(werr, tmp.Close(), os.Rename(tmp.Name(), file)); err != nil {
		return nil, errors.Join(fmt.Errorf("note who holds the store: %w", err), os.Remove(tmp.Name()))
	}
	return func() { _ = os.Remove(file) }, nil //nolint:errcheck // a stale note is recognised by the lock
}

// ownerOf reads it; the zero owner where there is none.
func ownerOf(path string) (o owner) {
	data, err := os.ReadFile(ownerPath(store.CanonicalPath(path)))
	if err == nil && json.Unmarshal(data, &o) != nil {
		return owner{}
	}
	return o
}

// locked says who holds the store and what may be done.
func locked(path string, why error) error {
	o := ownerOf(path)
	who := "another process"
	if o.PID != 0 {
		who = fmt.Sprintf("process %d (pubsync %s, since %s)", o.PID, o.Command, o.Since.Local().Format(time.DateTime))
	}
	return &exitError{code: connector.ExitStore, err: fmt.Errorf("store %s is held by %s: %w", path, who, why)}
}

// storeError is the exit for a store that cannot be opened.
func storeError(path string, err error) error {
	if errors.Is(err, store.ErrLocked) {
		return locked(path, errors.New("stop it, or use another PUBSYNC_STORE_PATH"))
	}
	if errors.Is(err, store.ErrCorrupt) {
		err = fmt.Errorf("%w: put a backup in its place, or move it away and start anew, which takes the shop's listings over where the adapter can list them", err)
	}
	return &exitError{code: connector.ExitStore, err: err}
}
