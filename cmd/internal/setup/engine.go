package setup

import (
	"io"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A Store is an engine's store, to be closed.
type Store interface {
	store.Store
	io.Closer
}

// An engine opens stores. What it can do besides is found by type assertion, see [store.File].
type engine struct {
	open  func(path string) (Store, error) // for writing; a store that is not there is made
	view  func(path string) (Store, error) // for reading, beside other readers
	whole func(path string) (Store, error) // as open, all of it checked
	held  func(path string) bool           // whether another process has it open
}

// engines are the engines by the scheme of a store's address. PUBSYNC_STORE_PATH is a path of the
// first.
var engines = map[string]engine{
	"bolt": {open: opener(bolt.Open), view: opener(bolt.OpenView), whole: opener(bolt.OpenWhole), held: bolt.Held},
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

// fileEngine is the engine of a store that is a file.
func fileEngine() engine { return engines["bolt"] }

// OpenWhole opens a store that is a file, and checks all of it.
func OpenWhole(path string) (Store, error) { return fileEngine().whole(path) }
