package bolt

import (
	"os"
	"syscall"
)

// syncData waits until what was written to f is on the disk. The file's times may be behind: they would cost a second write.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR { //nolint:errorlint // a number
			return err
		}
	}
}
