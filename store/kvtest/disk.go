package kvtest

import (
	"os"
	"testing"
)

// disk is where temporary folders lie without the package.
var disk = os.TempDir()

// OnDisk is a temporary folder on the disk. It is removed at the
// end of the test.
func OnDisk(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(disk, "pubsync-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
