//go:build !unix || solaris || aix

package bolt

import "os"

// unlock leaves the lock to the closing of the file.
func unlock(*os.File) error { return nil }
