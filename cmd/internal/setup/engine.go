package setup

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A Store is an engine's store, to be closed.
type Store interface {
	store.Store
	io.Closer
}

// An engine opens stores, each by its place: a path, or what stands behind the scheme of an
// address. What its stores can do besides is found by type assertion, see [store.File].
type engine struct {
	open    func(place string) (Store, error)                    // for writing; a store that is not there is made
	view    func(place string) (Store, error)                    // for reading, beside other readers
	held    func(place string) bool                              // whether another process has it open
	missing func(place string) bool                              // whether there is none yet
	place   func(rest string) string                             // of an address, made definite
	name    func(place string) string                            // what a person is shown, without a secret
	id      func(place string) string                            // what tells it from other stores, see store.PathOf
	owner   func(place string) (owner, error)                    // who has it open, as far as that is told
	tell    func(o owner, place string, s Store) (func(), error) // tells who has it open, and how to take that back
	file    bool                                                 // its stores are files, of this machine's processes
}

// engines are the engines by the scheme of a store's address, for the store of an account. A path is
// the short form of an address of fileScheme.
var engines = map[string]func(account string) engine{
	fileScheme: fileEngine, "postgres": postgresEngine, "postgresql": postgresEngine,
}

// fileEngine keeps stores in files, one for each account.
func fileEngine(string) engine {
	return engine{
		open: opener(bolt.Open), view: opener(bolt.OpenView), held: bolt.Held, missing: noFile,
		place: config.Absolute, name: func(path string) string { return path }, id: store.CanonicalPath,
		owner: ownerOf, tell: owner.announce, file: true,
	}
}

// fileScheme is the scheme of the engine whose stores are files.
const fileScheme = "bolt"

// engineOf returns the engine for the address of an account's store, which the variable of a name
// holds, and the place of the store. The error does not repeat the address, which may hold a password.
func engineOf(variable, address, account string) (e engine, place string, err error) {
	scheme, rest := config.SplitStore(address)
	of, known := engines[cmp.Or(scheme, fileScheme)]
	if !known {
		schemes := slices.Sorted(maps.Keys(engines))
		return fileEngine(account), "", &shopadapter.Fault{
			Variable: config.Prefix + variable,
			Text: "is an address that no store has: name a file, or begin it with " +
				strings.Join(schemes, "://, ") + "://",
		}
	}
	e = of(cmp.Or(account, config.DefaultAccount))
	return e, e.place(rest), nil
}

// opener is an engine's function that opens, without the engine's own type.
func opener[S Store](open func(path string) (S, error)) func(path string) (Store, error) {
	return func(path string) (Store, error) {
		s, err := open(path)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// OpenCopy opens a copy of a store, which is a file, and checks all of it.
func OpenCopy(ctx context.Context, path string) (Store, error) {
	s, err := bolt.Open(path)
	if err != nil {
		return nil, err
	}
	if err := s.Check(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// noFile reports whether there is no file at a path.
func noFile(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
