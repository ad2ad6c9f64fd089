package memorytest

import (
	"os"
	"testing"
)

// disk is where temporary folders lie without this package.
var disk = os.TempDir()

// OnDisk is a temporary folder that lies where it would without this package. It is removed at the
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
