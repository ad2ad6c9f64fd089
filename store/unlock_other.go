//go:build !unix || solaris || aix

package store

import "os"

// letGo closes a file; the lock goes with it.
func letGo(f *os.File) error { return f.Close() }
