package store

import (
	"context"
	"fmt"
	"io"
	"time"
)

// The interfaces below are capabilities that only some stores have. They are found by type
// assertion.

// A File is a store that is one file on this machine.
type File interface {
	Placed
	// Size is the file's size in bytes.
	Size() int64
	// Backup writes a consistent copy to w, while others go on writing to the store.
	Backup(ctx context.Context, w io.Writer) error
	// Check reads everything. Damage is ErrCorrupt. Nobody may write meanwhile.
	Check(ctx context.Context) error
}

// An Observed store reports its commits.
type Observed interface {
	// Observe calls f after each commit, with the number of writers that shared it and how long it
	// took.
	Observe(f func(writers int, took time.Duration))
}

// A Leased store may be written only while this process has the lease of its account.
type Leased interface {
	// Lost is closed when the lease is lost. Whoever works on the account stops then. It is nil for a
	// store that is only read.
	Lost() <-chan struct{}
	// Held reports whether the lease is held at this moment. It is asked before each request of a
	// shop, since a process that was stopped learns of Lost only after it goes on.
	Held() bool
}

// Over is a store in memory that lies over another one, which it only reads: a plan is a run on it.
func Over(ctx context.Context, s Reader) (Store, error) {
	if below, ok := s.(interface {
		Over(ctx context.Context) (Store, error)
	}); ok {
		return below.Over(ctx)
	}
	return nil, fmt.Errorf("plan on store: nothing lies over a %T", s)
}

// A Placed store can be told from others.
type Placed interface {
	// Path is where the store is, the same for each process that opens it: the absolute path of a
	// file, or the address of a database without any secret.
	Path() string
}

// PathOf is the path of a store, "" of one that ends with its process.
func PathOf(s Reader) string {
	if p, ok := s.(Placed); ok {
		return p.Path()
	}
	return ""
}

// SizeOf is the size in bytes of a store that is a file, 0 of another.
func SizeOf(s Reader) int64 {
	if f, ok := s.(File); ok {
		return f.Size()
	}
	return 0
}
