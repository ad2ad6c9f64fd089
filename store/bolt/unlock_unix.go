//go:build unix && !solaris && !aix

package bolt

import (
	"os"
	"syscall"
)

// unlock gives up the lock of a file. Closing the file is not enough: the map of a database that
// cannot be closed keeps the file, and with it the lock, until the process ends.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
