//go:build unix

package listener

import "syscall"

// mayOpen is how many files this process may have open, sockets among them.
func mayOpen() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(limit.Cur, 1<<20)) //nolint:gosec // bounded
}
