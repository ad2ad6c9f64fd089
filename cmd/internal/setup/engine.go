package setup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgres"
)

// A storeEngine opens the store of an account, which lies in a file or in a database. The zero
// storeEngine has none.
type storeEngine struct {
	place   string // a path, or the address of a database, which may hold a password
	name    string // of the place, what a person is shown
	id      string // what tells the store from others, see store.PathOf
	file    bool   // it is a file, of this machine's processes
	account string // of a database
}

func fileEngine(path string) storeEngine {
	path = config.Absolute(path)
	return storeEngine{place: path, name: path, id: store.CanonicalPath(path), file: true}
}

// engineOf returns the engine for the address of an account's store, which the variable of a name
// holds. The error does not repeat the address, which may hold a password.
func engineOf(variable, address, account string) (storeEngine, error) {
	switch scheme, rest := config.SplitStore(address); scheme {
	case "", "bolt":
		return fileEngine(rest), nil
	case "postgres", "postgresql":
		address, account = "postgres://"+rest, cmp.Or(account, config.DefaultAccount)
		name := postgres.Name(address, account)
		return storeEngine{place: address, name: name, id: name, account: account}, nil
	}
	return storeEngine{}, &shopadapter.Fault{
		Variable: config.Prefix + variable,
		Text:     "is an address that no store has: name a file, or begin it with bolt:// or postgres://",
	}
}

// openWait bounds a question to a database, but for the wait for a lease.
const openWait = 20 * time.Second

// open opens the store for writing; one that is not there is made.
func (e storeEngine) open() (store.Store, error) {
	if e.file {
		return bolt.Open(e.place)
	}
	return postgres.Open(context.Background(), e.place, e.account)
}

// view opens the store for reading, beside other readers.
func (e storeEngine) view() (store.Store, error) {
	if e.file {
		return bolt.OpenView(e.place)
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	return postgres.OpenView(ctx, e.place, e.account)
}

// holder is who has the lease of a database's account, the zero Holder where that is not known.
func (e storeEngine) holder() postgres.Holder {
	if e.place == "" {
		return postgres.Holder{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	h, err := postgres.HolderOf(ctx, e.place, e.account)
	if err != nil {
		return postgres.Holder{}
	}
	return h
}

// held reports whether another process has the store open.
func (e storeEngine) held() bool {
	if e.file {
		return bolt.Held(e.place)
	}
	return e.holder().Held
}

// missing reports whether there is no store yet.
func (e storeEngine) missing() bool {
	switch {
	case e.place == "":
		return true
	case e.file:
		return noFile(e.place)
	}
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	h, err := postgres.HolderOf(ctx, e.place, e.account)
	return err == nil && !h.Known
}

// owner is who has the store open, as far as that is told.
func (e storeEngine) owner() (o owner, err error) {
	if e.file {
		return ownerOf(e.place)
	}
	if h := e.holder(); h.Held {
		o = ownerIn(h.Owner)
	}
	return o, nil
}

func noFile(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// A database keeps the stores of all accounts of a process.
type database = *postgres.Database

func openDatabase(ctx context.Context, address string) (database, error) {
	return postgres.Connect(ctx, address)
}

// note tells in the lease of a store who holds it. The end of the lease takes that back.
func note(s store.Store, text string) error { return postgres.Announce(context.Background(), s, text) }

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
