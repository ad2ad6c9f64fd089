package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

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

// copyFrom copies a store into that of the engine. A new file appears under its name when it is whole.
func (e storeEngine) copyFrom(ctx context.Context, from store.Store) (publications int, err error) {
	part := e
	if e.file {
		folder, err := os.MkdirTemp(filepath.Dir(e.place), "."+filepath.Base(e.place)+".*")
		if err != nil {
			return 0, err
		}
		defer func() { _ = os.RemoveAll(folder) }() //nolint:errcheck // a leftover is only a leftover
		part = fileEngine(filepath.Join(folder, filepath.Base(e.place)))
	}
	to, err := part.open()
	if err != nil {
		return 0, err
	}
	publications, err = store.Copy(ctx, from, to)
	if err = errors.Join(err, to.Close()); err == nil && e.file {
		err = os.Rename(part.place, e.place)
	}
	return publications, err
}

// backUp writes a copy of the configured store, which is in a database, to w.
func (c *Setup) backUp(ctx context.Context, w io.Writer) error {
	folder, err := os.MkdirTemp("", "pubsync-backup-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() //nolint:errcheck // a leftover is only a leftover
	path := filepath.Join(folder, "pubsync.db")
	if err := c.BackUpDatabase(ctx, path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// BackUpDatabase copies the configured store, which is in a database, into a new file, also while a
// worker writes to it.
func (c *Setup) BackUpDatabase(ctx context.Context, path string) error {
	if c.StoreMissing() {
		return c.noStore()
	}
	s, err := c.engine.view()
	if err != nil {
		return c.StoreError(err)
	}
	_, err = fileEngine(path).copyFrom(ctx, s)
	return errors.Join(err, s.Close())
}
