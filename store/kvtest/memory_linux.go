package kvtest

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

const (
	memory = "/dev/shm"
	room   = 2 << 30 // bytes
	noexec = 8       // of a file system's flags: no program that lies there is run
)

// The temporary folders of a test that imports the package lie in memory, on Linux, where TMPDIR is
// not set and /dev/shm has room and lets programs run: the tests of a durable store wait for the
// disk more than they work, and none of them is about what a disk keeps when the power fails.
// Benchmarks keep the disk, since it is a part of what they measure.
func init() {
	benchmark := slices.ContainsFunc(os.Args, func(a string) bool { return strings.HasPrefix(a, "-test.bench") })
	var fs syscall.Statfs_t
	if benchmark || os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil {
		return
	}
	if fs.Flags&noexec != 0 ||
		int64(fs.Bavail)*int64(fs.Bsize) < room { //nolint:unconvert // their types differ by the machine
		return
	}
	if dir, err := os.MkdirTemp(memory, "pubsync-"); err == nil {
		_ = os.Remove(dir)              //nolint:errcheck // it was made to see that it can be
		_ = os.Setenv("TMPDIR", memory) //nolint:errcheck // without it the tests take longer
	}
}
