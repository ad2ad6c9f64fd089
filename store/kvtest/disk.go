package kvtest

import (
	"os"
	"testing"
)

// disk is the temporary folder before init moves it to memory.
var disk = os.TempDir()

// OnDisk makes a folder on the disk for the test.
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
