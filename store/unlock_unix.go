//go:build unix && !solaris && !aix

package store

import (
	"os"
	"syscall"
)

// letGo gives up the lock of a file and closes it. Closing alone would not do: the map of a database that cannot be closed keeps the file, and with
// it the lock, until the process ends.
func letGo(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
		return err
	}
	return f.Close()
}
