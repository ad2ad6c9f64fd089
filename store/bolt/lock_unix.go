//go:build unix && !solaris && !aix

package bolt

import (
	"os"
	"syscall"
)

// Held reports whether a process holds the store at path for writing at this moment. It waits for
// nothing. A file that cannot be opened is not held.
func Held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // closing gives up the lock, and nothing was written
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}

// unlock gives up the lock of a file. Closing the file is not enough: the map of a database that
// cannot be closed keeps the file, and with it the lock, until the process ends.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
