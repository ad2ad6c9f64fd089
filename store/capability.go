package store

import (
	"context"
	"io"
	"time"
)

// What follows are capabilities that a store may have besides. They are found by type assertion.

// A File is a store that is one file on this machine.
type File interface {
	// Path is the file's absolute path with symbolic links resolved. It tells two stores apart.
	Path() string
	// Size is the file's size in bytes.
	Size() int64
	// Backup writes a consistent copy to w, while others go on writing to the store.
	Backup(ctx context.Context, w io.Writer) error
}

// An Observed store tells of its commits.
type Observed interface {
	// Observe has f told of every commit: how many writers shared it and how long it took.
	Observe(f func(writers int, took time.Duration))
}

// A Checked store can prove all that it holds.
type Checked interface {
	// Check reads everything, while others go on reading and writing. What is damaged is
	// ErrCorrupt.
	Check(ctx context.Context) error
}

// PathOf is the path of a store that is a file, "" of another.
func PathOf(s Reader) string {
	if f, ok := s.(File); ok {
		return f.Path()
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
