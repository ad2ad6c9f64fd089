package setup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A storeEngine opens the store of an account, which lies at a place: a path, or the address of a
// database. What the store can do besides is found by type assertion, see [store.File].
type storeEngine struct {
	place   string                                       // it may hold a password
	name    string                                       // of the place, what a person is shown
	id      string                                       // what tells the store from others, see store.PathOf
	file    bool                                         // it is a file, of this machine's processes
	open    func() (store.Store, error)                  // for writing; a store that is not there is made
	view    func() (store.Store, error)                  // for reading, beside other readers
	held    func() bool                                  // whether another process has it open
	missing func() bool                                  // whether there is none yet
	owner   func() (owner, error)                        // who has it open, as far as that is told
	tell    func(o owner, s store.Store) (func(), error) // tells who has it open, and how to take that back
}

// fileEngine keeps a store in a file.
func fileEngine(path string) storeEngine {
	path = config.Absolute(path)
	return storeEngine{
		place: path, name: path, id: store.CanonicalPath(path), file: true,
		open:    func() (store.Store, error) { return bolt.Open(path) },
		view:    func() (store.Store, error) { return bolt.OpenView(path) },
		held:    func() bool { return bolt.Held(path) },
		missing: func() bool { return noFile(path) },
		owner:   func() (owner, error) { return ownerOf(path) },
		tell:    func(o owner, _ store.Store) (func(), error) { return o.announce(path) },
	}
}

// engineOf returns the engine for the address of an account's store, which the variable of a name
// holds. The error does not repeat the address, which may hold a password.
func engineOf(variable, address, account string) (storeEngine, error) {
	switch scheme, rest := config.SplitStore(address); scheme {
	case "", "bolt":
		return fileEngine(rest), nil
	case "postgres", "postgresql":
		return postgresEngine("postgres://"+rest, cmp.Or(account, config.DefaultAccount)), nil
	}
	none := storeEngine{missing: func() bool { return true }}
	return none, &shopadapter.Fault{
		Variable: config.Prefix + variable,
		Text:     "is an address that no store has: name a file, or begin it with bolt:// or postgres://",
	}
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

func noFile(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
