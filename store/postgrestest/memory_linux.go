package postgrestest

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

const (
	memory = "/dev/shm"
	room   = 2 << 30 // bytes
	noexec = 8       // ST_NOEXEC of a file system's flags
)

// Temporary folders lie in memory where it has room and runs programs: tests wait for the disk more than they work.
func init() {
	benchmark := slices.ContainsFunc(os.Args, func(a string) bool { return strings.HasPrefix(a, "-test.bench") })
	var fs syscall.Statfs_t
	if benchmark || os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Flags&noexec != 0 {
		return
	}
	if int64(fs.Bavail)*int64(fs.Bsize) >= room { //nolint:unconvert // their types differ by the machine
		_ = os.Setenv("TMPDIR", memory) //nolint:errcheck // without it the tests take longer
	}
}
