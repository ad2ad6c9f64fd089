//go:build !unix || solaris || aix

package bolt

import "os"

// unlock does nothing: closing the file gives up the lock.
func unlock(*os.File) error { return nil }
